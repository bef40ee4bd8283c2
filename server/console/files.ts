import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the page, cached from its first use on. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: boolean;
  /** Files with a content hash in their name never change. */
  readonly immutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const index = 'index.html';
/** Bundlers' names, which cannot leave the folder. */
const fileName = /^[A-Za-z0-9][\w-]*(\.[\w-]+)+$/;
const hashed = /-[A-Z0-9]{8}\.\w+$/;

/** The built page is in the folder of the bundled programs, for compiled code too. */
function folderOf(): string {
  const places = ['console/', '../../programs/console/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(path.join(place, index))) ?? places[0]!;
}

/** Files of the page, each read on first request. */
export class PageFiles {
  readonly #known = new Map<string, Promise<PageFile | null>>();
  readonly #folder: string;

  /** `folder` defaults to that of this package. */
  constructor(folder: string | null = null) {
    this.#folder = folder ?? folderOf();
  }

  /** Null when there is no such file. `gzip`: returns the compressed form, if any. */
  async get(name: string, gzip: boolean): Promise<PageFile | null> {
    const type = types[path.extname(name)];
    if (type === undefined || !fileName.test(name)) return null;
    return (gzip ? await this.#read(name, type, true) : null) ?? this.#read(name, type, false);
  }

  #read(name: string, type: string, gzip: boolean): Promise<PageFile | null> {
    const file = gzip ? `${name}.gz` : name;
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const read = readFile(path.join(this.#folder, file)).then(
      (bytes): PageFile => ({ type, bytes, gzip, immutable: hashed.test(name) }),
      () => {
        // Does not cache unknown names, with which clients could fill memory.
        this.#known.delete(file);
        return null;
      },
    );
    this.#known.set(file, read);
    return read;
  }
}
