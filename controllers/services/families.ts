import { isIPv4, isIPv6 } from 'node:net';
import type { Pod, Service } from '../../api/types/core/v1.js';

export type Family = 'IPv4' | 'IPv6';

export const familyOf = (address: string): Family | null => (isIPv4(address) ? 'IPv4' : isIPv6(address) ? 'IPv6' : null);

/** A Service without a virtual address is headless. */
export const hasClusterIP = ({ spec }: Service): boolean => Boolean(spec?.clusterIP) && spec?.clusterIP !== 'None';

/** Returns the families of a Service. Without stated ones it has the family of its address; a headless one has both. */
export function familiesOf({ spec }: Service): readonly Family[] {
  const named = (spec?.ipFamilies ?? []).filter((family): family is Family => family === 'IPv4' || family === 'IPv6');
  if (named.length > 0) return [...new Set(named)];
  const own = familyOf(spec?.clusterIP ?? '');
  return own ? [own] : ['IPv4', 'IPv6'];
}

/** `podIP` counts only where the list is missing. */
export function addressesOf({ status }: Pod): readonly string[] {
  const listed = (status?.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
  return listed.length > 0 ? listed : status?.podIP ? [status.podIP] : [];
}
