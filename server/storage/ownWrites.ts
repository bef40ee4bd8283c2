import type { EncodedWrite } from './encoding.js';
import type { JsonLayout } from './jsonLayout.js';

/**
 * Writes under way from this process, with the JSON that was made for them. When they come back as changes, the cache need not read what is
 * stored in another form. Bounded by the writes under way, which end in a known time.
 */
export class OwnWrites {
  private readonly underWay = new Map<string, EncodedWrite[]>();

  /** Call what comes back once the write is over, however it ended. */
  begin(key: string, write: EncodedWrite): () => void {
    // What is stored in JSON is shown as it is.
    if (write.json === null) return nothing;
    const others = this.underWay.get(key);
    if (others === undefined) this.underWay.set(key, [write]);
    else others.push(write);
    return () => {
      this.end(key, write);
    };
  }

  /** The JSON of a value, if it is the one that is being written: others may write the same object at the same time. */
  jsonOf(key: string, value: Uint8Array): JsonLayout | null {
    if (this.underWay.size === 0) return null;
    return this.underWay.get(key)?.find((write) => write.value.equals(value))?.json ?? null;
  }

  private end(key: string, write: EncodedWrite): void {
    const left = (this.underWay.get(key) ?? []).filter((each) => each !== write);
    if (left.length === 0) this.underWay.delete(key);
    else this.underWay.set(key, left);
  }
}

const nothing = (): void => {};
