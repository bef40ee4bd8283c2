const nativeDomain = 'kubernetes.io/';
const hugePagesPrefix = 'hugepages-';

export const isHugePages = (name: string): boolean => name.startsWith(hugePagesPrefix);
export const hugePageSize = (name: string): string => name.slice(hugePagesPrefix.length);
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes(nativeDomain);

/** Limits of these may exceed their requests. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePages(name);
