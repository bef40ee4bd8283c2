import path from 'node:path';
import type { RequestInfo } from '../../../api/requestInfo.js';

/** Authorization, admission and the backend use the same decoded path. Pure. */

export function proxiedPath(info: RequestInfo): string {
  const rest = info.isResource ? info.rest.join('/') : '';
  const below = rest === '' || rest.startsWith('/') ? rest : `/${rest}`;
  return info.path.endsWith('/') && !below.endsWith('/') ? `${below}/` : below;
}

/** Backends may read `.`, `..` and doubled slashes differently. */
export const cleanPath = (below: string): string => (below === '' ? '' : path.posix.normalize(below));

export function proxyPrefix(info: RequestInfo): string {
  if (!info.isResource) return '';
  const { group, version, namespace, resource, name, subresource } = info;
  const space = namespace === '' ? [] : ['namespaces', namespace];
  return ['', ...(group === '' ? ['api', version] : ['apis', group, version]), ...space, resource, name, subresource].join('/');
}

/** Percent-encodes every character with a special meaning in a path. */
export const encodePath = (decoded: string): string =>
  encodeURI(decoded).replace(/[?#!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

export function sentQuery(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}
