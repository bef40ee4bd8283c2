import path from 'node:path';
import type { RequestInfo } from '../../../api/requestInfo.js';

/** Paths through proxies. Everybody reads the decoded path: authorization, admission and the backend mean the same by it. Pure. */

/** What follows `/proxy`, decoded, as admission sees it: with a slash at its beginning, and with one at its end where the request has one. Empty for nothing. */
export function proxiedPath(info: RequestInfo): string {
  const rest = info.isResource ? info.rest.join('/') : '';
  const below = rest === '' || rest.startsWith('/') ? rest : `/${rest}`;
  return info.path.endsWith('/') && !below.endsWith('/') ? `${below}/` : below;
}

/** The same without `.`, `..` and doubled slashes: no backend is asked to make sense of them. */
export const cleanPath = (below: string): string => (below === '' ? '' : path.posix.normalize(below));

/** The path that leads to the proxy, decoded. */
export function proxyPrefix(info: RequestInfo): string {
  if (!info.isResource) return '';
  const { group, version, namespace, resource, name, subresource } = info;
  const space = namespace === '' ? [] : ['namespaces', namespace];
  return ['', ...(group === '' ? ['api', version] : ['apis', group, version]), ...space, resource, name, subresource].join('/');
}

/** Percent-encoded, so that each character of a path means itself. */
export const encodePath = (decoded: string): string =>
  encodeURI(decoded).replace(/[?#!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** The query of a request target as it was sent, without the question mark. */
export function sentQuery(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}
