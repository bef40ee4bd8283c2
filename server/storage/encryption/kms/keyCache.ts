import { noEncryptionCounts, type EncryptionCounts } from '../counts.js';

/** Concurrent requests for a key share one call. Size 0 keeps nothing. */
export class KeyCache {
  readonly #max: number;
  readonly #counts: Pick<EncryptionCounts, 'keyMissed' | 'keysFill'>;
  readonly #keys = new Map<string, Buffer | Promise<Buffer>>();

  constructor(max: number, counts: Pick<EncryptionCounts, 'keyMissed' | 'keysFill'> = noEncryptionCounts) {
    this.#max = max;
    this.#counts = counts;
  }

  /** Failures are not cached. */
  get(encrypted: Uint8Array, decrypt: () => Promise<Buffer>): Buffer | Promise<Buffer> {
    const id = idOf(encrypted);
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    this.#counts.keyMissed();
    const asked = decrypt().then(
      (key) => {
        this.#remember(id, key);
        return key;
      },
      (error: unknown) => {
        this.#keys.delete(id);
        throw error;
      },
    );
    this.#remember(id, asked);
    return asked;
  }

  put(encrypted: Uint8Array, key: Buffer): void {
    this.#remember(idOf(encrypted), key);
  }

  #remember(id: string, key: Buffer | Promise<Buffer>): void {
    this.#keys.delete(id);
    this.#keys.set(id, key);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= this.#max) break;
      this.#keys.delete(oldest);
    }
    if (this.#max > 0) this.#counts.keysFill(this.#keys.size / this.#max);
  }
}

const idOf = (encrypted: Uint8Array): string =>
  Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength).toString('latin1');
