import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { BuiltDocument } from './build.js';

const decompress = promisify(gunzip);

/** Uncompressed documents. The cache is compressed; concurrent readers of a plain document get the same bytes. */
export class PlainForms {
  readonly #made = new WeakMap<BuiltDocument, WeakRef<Buffer>>();
  readonly #making = new WeakMap<BuiltDocument, Promise<Buffer>>();

  async of(document: BuiltDocument): Promise<Buffer> {
    return this.#made.get(document)?.deref() ?? this.#making.get(document) ?? this.#make(document);
  }

  #make(document: BuiltDocument): Promise<Buffer> {
    const making = decompress(document.gzip)
      .then((bytes) => {
        this.#made.set(document, new WeakRef(bytes));
        return bytes;
      })
      .finally(() => {
        this.#making.delete(document);
      });
    this.#making.set(document, making);
    return making;
  }
}
