import type { GroupResource } from '../api/resource.js';
import type { ObjectKey } from './contract.js';
import { groupedLayout, type KeyLayout } from './keyLayout.js';

/** How objects are named in the store: `<prefix>/<resource's part>[/<namespace>]/<name>`. Names never contain a slash. */
export class KeySpace {
  /** Range that holds every object. */
  readonly start: string;
  readonly end: string;

  /** `prefix` starts with a slash and does not end with one, such as `/registry`. */
  constructor(
    private readonly prefix: string,
    private readonly layout: KeyLayout = groupedLayout,
  ) {
    if (!/^\/.*[^/]$/.test(prefix)) throw new RangeError(`key prefix ${JSON.stringify(prefix)} must start with "/", and not end with it`);
    this.start = `${prefix}/`;
    this.end = `${prefix}${afterSlash}`;
  }

  keyOf({ resource, namespace, name }: ObjectKey): string {
    return `${this.collection(resource)}/${namespace === '' ? '' : `${namespace}/`}${name}`;
  }

  /** The keys of a resource, in one namespace or (null) in all. */
  rangeOf(resource: GroupResource, namespace: string | null): { readonly start: string; readonly end: string } {
    const base = namespace === null ? this.collection(resource) : `${this.collection(resource)}/${namespace}`;
    return { start: `${base}/`, end: `${base}${afterSlash}` };
  }

  /** Null for a key that is no object's. */
  parse(key: string): { readonly group: string; readonly resource: string; readonly namespace: string; readonly name: string } | null {
    if (!key.startsWith(this.start)) return null;
    const found = this.layout.resourceAt(key.slice(this.start.length).split('/'));
    if (found === null || found.rest.length < 1 || found.rest.length > 2) return null;
    const { resource, rest } = found;
    const [name, namespace] = rest.length === 1 ? [rest[0], ''] : [rest[1], rest[0]];
    return name === undefined || name === '' || namespace === undefined
      ? null
      : { group: resource.group, resource: resource.resource, namespace, name };
  }

  private collection(resource: GroupResource): string {
    return `${this.prefix}/${this.layout.partOf(resource)}`;
  }
}

/** The character after "/": keys that start with `x/` end before `x0`. */
const afterSlash = '0';

/** The first key after `key`. */
export const keyAfter = (key: string): string => `${key}\0`;

/**
 * A copy that shares nothing: a part cut out of a longer string keeps that string in memory, which for the name of a cached object
 * would be its whole key.
 */
export const flat = (text: string): string => Buffer.from(text).toString();
