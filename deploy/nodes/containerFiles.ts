import { posix } from 'node:path';
import type { TarEntry } from './tar.js';

/** What a container has beside what is copied to it. */
const foldersAtFirst = ['/', '/etc', '/home', '/opt', '/root', '/tmp', '/usr', '/var'];
/** What the files of all containers may take; those of containers that were used longest ago go first. */
const bytesMaxDefault = 64 * 1024 * 1024;

/** The files of one container, in memory: what `kubectl cp` brings, and fetches. */
export class ContainerFiles {
  /** By absolute path; null for a folder. */
  readonly #entries = new Map<string, Buffer | null>(foldersAtFirst.map((path) => [path, null]));

  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + (entry?.length ?? 0), 0);
  }

  isFolder(path: string): boolean {
    return this.#entries.get(absolute(path)) === null;
  }

  /** Null for what is no file. */
  file(path: string): Buffer | null {
    return this.#entries.get(absolute(path)) ?? null;
  }

  /** Names in a folder. */
  list(folder: string): string[] {
    const base = absolute(folder);
    return [...this.#entries.keys()]
      .filter((path) => path !== '/' && posix.dirname(path) === base)
      .map((path) => posix.basename(path))
      .sort();
  }

  makeFolder(path: string): void {
    const at = absolute(path);
    if (at !== '/') this.makeFolder(posix.dirname(at));
    this.#entries.set(at, null);
  }

  /** Below a folder, which must be there. */
  unpack(folder: string, entries: readonly TarEntry[]): void {
    for (const { path, bytes } of entries) {
      const at = posix.resolve(absolute(folder), path);
      this.makeFolder(bytes === null ? at : posix.dirname(at));
      if (bytes !== null) this.#entries.set(at, bytes);
    }
  }

  /** A file, or a folder with all that is in it, by paths without the first slash. */
  pack(path: string): TarEntry[] {
    const base = absolute(path);
    return [...this.#entries]
      .filter(([at]) => at === base || at.startsWith(base === '/' ? '/' : `${base}/`))
      .map(([at, bytes]) => ({ path: at.slice(1), bytes }))
      .filter((entry) => entry.path !== '')
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** The files of all containers of a program that stands in for nodes. */
export class AllFiles {
  readonly #containers = new Map<string, ContainerFiles>();

  constructor(private readonly bytesMax = bytesMaxDefault) {}

  /** Those of a container, whose pod is told by its uid: another pod of its name begins with nothing. */
  of(podUid: string, container: string): ContainerFiles {
    const key = `${podUid}/${container}`;
    const files = this.#containers.get(key) ?? new ContainerFiles();
    // The one that was used last stands last.
    this.#containers.delete(key);
    this.#containers.set(key, files);
    return files;
  }

  /** To be called after files have come. */
  makeRoom(): void {
    let bytes = [...this.#containers.values()].reduce((sum, files) => sum + files.bytes, 0);
    for (const [key, files] of this.#containers) {
      if (bytes <= this.bytesMax) return;
      bytes -= files.bytes;
      this.#containers.delete(key);
    }
  }
}

const absolute = (path: string): string => posix.resolve('/', path);
