/** Names of resources that containers ask for: standard ones, huge pages, and extended ones with a domain. */

const nativeDomain = 'kubernetes.io/';
const hugePagesPrefix = 'hugepages-';

export const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix);
export const hugePageSize = (name: string): string => name.slice(hugePagesPrefix.length);
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes(nativeDomain);

/** Resources of which a container may be promised more than the node has. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);
