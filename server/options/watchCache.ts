import type { GroupResource } from '../../api/resource.js';
import { qualifiedName } from '../../api/resource.js';

const entry = /^([a-z0-9-]+(?:\.[a-z0-9.-]+)?)#(\d+)$/;

export const watchCacheSize = (value: string): string | null => (entry.test(value) ? null : 'resource[.group]#size, such as events#0');

/** The resources kept in memory. Memory bounds history, so sizes other than 0 have no effect. */
export function cachedResources(options: {
  readonly 'watch-cache': boolean;
  readonly 'watch-cache-sizes': readonly string[];
}): (resource: GroupResource) => boolean {
  if (!options['watch-cache']) return () => false;
  const off = new Set(
    options['watch-cache-sizes']
      .map((text) => entry.exec(text))
      .filter((found) => found !== null && Number(found[2]) === 0)
      .map((found) => found?.[1]),
  );
  return off.size === 0 ? () => true : (resource) => !off.has(qualifiedName(resource));
}
