import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the page, in memory from its first use on. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Whether `bytes` are compressed with gzip. */
  readonly gzip: boolean;
  /** Files whose name has a hash of their content never change. */
  readonly immutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The page itself. */
export const index = 'index.html';
/** Names that a bundler gives. What has a slash, or begins with a dot, is no file of the page: nothing outside its folder can be named. */
const fileName = /^[A-Za-z0-9][\w-]*(\.[\w-]+)+$/;
const hashed = /-[A-Z0-9]{8}\.\w+$/;

/** Where the built page is: beside the bundled programs, or, for what was compiled and not bundled, in their folder. */
function folderOf(): string {
  const places = ['console/', '../../programs/console/'].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(path.join(place, index))) ?? places[0]!;
}

/** The files of the page, each read when it is first asked for. */
export class PageFiles {
  readonly #known = new Map<string, Promise<PageFile | null>>();
  readonly #folder: string;

  /** `folder`: where the built page is, if not where this package has it. */
  constructor(folder: string | null = null) {
    this.#folder = folder ?? folderOf();
  }

  /** Null when there is no such file. `gzip`: the client reads gzip, and gets it where there is a compressed form. */
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
        // Names that do not exist are not remembered: whoever invents them must not fill memory.
        this.#known.delete(file);
        return null;
      },
    );
    this.#known.set(file, read);
    return read;
  }
}
