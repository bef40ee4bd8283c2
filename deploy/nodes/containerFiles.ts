import { posix } from 'node:path';
import type { TarEntry } from './tar.js';

const foldersAtFirst = ['/', '/etc', '/home', '/opt', '/root', '/tmp', '/usr', '/var'];
/** Bound on all containers' files; the least recently used containers lose theirs first. */
const bytesMaxDefault = 64 * 1024 * 1024;

/** A container's files in memory, for `kubectl cp`. */
export class ContainerFiles {
  /** Keyed by absolute path; null for a folder. */
  readonly #entries = new Map<string, Buffer | null>(foldersAtFirst.map((path) => [path, null]));

  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, entry) => sum + (entry?.length ?? 0), 0);
  }

  isFolder(path: string): boolean {
    return this.#entries.get(absolute(path)) === null;
  }

  file(path: string): Buffer | null {
    return this.#entries.get(absolute(path)) ?? null;
  }

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

  /** Writes into a folder, which must exist. */
  unpack(folder: string, entries: readonly TarEntry[]): void {
    for (const { path, bytes } of entries) {
      const at = posix.resolve(absolute(folder), path);
      this.makeFolder(bytes === null ? at : posix.dirname(at));
      if (bytes !== null) this.#entries.set(at, bytes);
    }
  }

  /** Returns a file, or a folder with its contents, by paths without the leading slash. */
  pack(path: string): TarEntry[] {
    const base = absolute(path);
    return [...this.#entries]
      .filter(([at]) => at === base || at.startsWith(base === '/' ? '/' : `${base}/`))
      .map(([at, bytes]) => ({ path: at.slice(1), bytes }))
      .filter((entry) => entry.path !== '')
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

export class AllFiles {
  readonly #bytesMax: number;
  readonly #containers = new Map<string, ContainerFiles>();

  constructor(bytesMax = bytesMaxDefault) {
    this.#bytesMax = bytesMax;
  }

  /** Keyed by the pod's uid: a new pod of the same name begins empty. */
  of(podUid: string, container: string): ContainerFiles {
    const key = `${podUid}/${container}`;
    const files = this.#containers.get(key) ?? new ContainerFiles();
    this.#containers.delete(key);
    this.#containers.set(key, files);
    return files;
  }

  makeRoom(): void {
    let bytes = [...this.#containers.values()].reduce((sum, files) => sum + files.bytes, 0);
    for (const [key, files] of this.#containers) {
      if (bytes <= this.#bytesMax) return;
      bytes -= files.bytes;
      this.#containers.delete(key);
    }
  }
}

const absolute = (path: string): string => posix.resolve('/', path);
