import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { BuiltDocument } from './build.js';

const decompress = promisify(gunzip);

/**
 * Documents as clients get them that take no compression. They are kept compressed; for as long as one client waits for the rest of a plain one, all others who ask
 * get the same bytes: a document has megabytes, and whoever asks for it a thousand times costs no more than who asks once.
 */
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
