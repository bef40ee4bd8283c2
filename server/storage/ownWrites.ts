import type { EncodedWrite } from './encoding.js';
import type { JsonLayout } from './jsonLayout.js';

/**
 * This process's pending writes with their JSON, so that the cache need not decode them when they return as changes. Bounded by the pending writes, which end
 * in bounded time.
 */
export class OwnWrites {
  readonly #underWay = new Map<string, EncodedWrite[]>();

  /** Call the returned function once the write is over, however it ended. */
  begin(key: string, write: EncodedWrite): () => void {
    // Values stored in JSON are shown directly.
    if (write.json === null) return nothing;
    const others = this.#underWay.get(key);
    if (others === undefined) this.#underWay.set(key, [write]);
    else others.push(write);
    return () => {
      this.#end(key, write);
    };
  }

  /** Returns the JSON if the value is the pending one: others may write the same object concurrently. */
  jsonOf(key: string, value: Uint8Array): JsonLayout | null {
    if (this.#underWay.size === 0) return null;
    return this.#underWay.get(key)?.find((write) => write.value.equals(value))?.json ?? null;
  }

  #end(key: string, write: EncodedWrite): void {
    const left = (this.#underWay.get(key) ?? []).filter((each) => each !== write);
    if (left.length === 0) this.#underWay.delete(key);
    else this.#underWay.set(key, left);
  }
}

const nothing = (): void => {};
