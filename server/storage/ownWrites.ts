import type { EncodedWrite } from './encoding.js';
import type { JsonLayout } from './jsonLayout.js';

/** Pending writes with their JSON, which the cache need not decode when they return. */
export class OwnWrites {
  readonly #underWay = new Map<string, EncodedWrite[]>();

  /** Call the returned function once the write is over. */
  begin(key: string, write: EncodedWrite): () => void {
    if (write.json === null) return nothing;
    const others = this.#underWay.get(key);
    if (others === undefined) this.#underWay.set(key, [write]);
    else others.push(write);
    return () => {
      this.#end(key, write);
    };
  }

  /** Others may write the same object concurrently. */
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
