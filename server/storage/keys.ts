import { BoundedMap } from '../../api/boundedMap.js';
import { posix } from 'node:path';
import type { GroupResource } from '../../api/resource.js';
import type { ObjectKey } from './contract.js';
import { groupedLayout, type KeyLayout } from './keyLayout.js';

export interface KeyFolder {
  readonly resource: GroupResource;
  readonly namespace: string;
}

/** A full table is replaced. */
const foldersMax = 10_000;
const anyName = '*';

/** `<prefix>/<resource's part>[/<namespace>]/<name>`. Names never contain a slash. */
export class KeySpace {
  readonly #layout: KeyLayout;
  readonly start: string;
  readonly end: string;
  readonly #folders = new BoundedMap<string, KeyFolder>(foldersMax);

  readonly #prefix: string;

  /** `path` begins all keys, such as `/registry`. */
  constructor(path: string, layout: KeyLayout = groupedLayout) {
    this.#layout = layout;
    this.#prefix = posix.join('/', path).replace(/\/$/, '');
    if (this.#prefix === '') throw new RangeError(`key prefix ${JSON.stringify(path)} must not be empty`);
    this.start = `${this.#prefix}/`;
    this.end = `${this.#prefix}${afterSlash}`;
  }

  keyOf({ resource, namespace, name }: ObjectKey): string {
    return `${this.#collection(resource)}/${namespace === '' ? '' : `${namespace}/`}${name}`;
  }

  rangeOf(resource: GroupResource, namespace: string | null): { readonly start: string; readonly end: string } {
    const base = namespace === null ? this.#collection(resource) : `${this.#collection(resource)}/${namespace}`;
    return { start: `${base}/`, end: `${base}${afterSlash}` };
  }

  parse(key: string): { readonly group: string; readonly resource: string; readonly namespace: string; readonly name: string } | null {
    const found = this.find(key);
    return found === null ? null : { ...found.folder.resource, namespace: found.folder.namespace, name: found.name };
  }

  /** Keys of one resource and namespace share a folder. */
  find(key: string): { readonly folder: KeyFolder; readonly name: string } | null {
    const slash = key.lastIndexOf('/');
    const path = key.slice(0, slash);
    const folder = this.#folders.get(path) ?? this.#newFolder(path);
    return folder === null || slash === key.length - 1 ? null : { folder, name: flat(key.slice(slash + 1)) };
  }

  #newFolder(path: string): KeyFolder | null {
    if (!path.startsWith(this.start)) return null;
    const found = this.#layout.resourceAt([...path.slice(this.start.length).split('/'), anyName]);
    if (found === null || found.rest.length < 1 || found.rest.length > 2 || found.rest.at(-1) !== anyName) return null;
    const { resource, rest } = found;
    const namespace = rest.length === 1 ? '' : rest[0];
    if (namespace === undefined) return null;
    const folder = { resource: { group: flat(resource.group), resource: flat(resource.resource) }, namespace: flat(namespace) };
    this.#folders.set(flat(path), folder);
    return folder;
  }

  #collection(resource: GroupResource): string {
    return `${this.#prefix}/${this.#layout.partOf(resource)}`;
  }
}

/** The character after "/": keys that start with `x/` end before `x0`. */
const afterSlash = '0';

export const keyAfter = (key: string): string => `${key}\0`;

/** Copies, as a substring would keep its source in memory. V8 copies short parts itself. */
export const flat = (text: string): string => (text.length < sharedPartMin ? text : Buffer.from(text).toString());

/** V8 makes a view from this length on (`SlicedString::kMinLength`). */
const sharedPartMin = 13;
