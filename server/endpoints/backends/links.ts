import path from 'node:path';

export interface View {
  readonly prefix: string;
  /** `host:port` of the backend, and the one that the client requested. */
  readonly hosts: readonly string[];
}

/** RFC 3986, appendix B. */
const parts = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is;

/** Links to other hosts and relative links are already right. */
export function seenThrough(link: string, { prefix, hosts }: View): string {
  const [, scheme, authority = '', where = '', rest = ''] = parts.exec(link) ?? [];
  const elsewhere = authority === '' ? scheme !== undefined : !hosts.includes(authority);
  if (elsewhere || !where.startsWith('/')) return link;
  const through = where === prefix || where.startsWith(`${prefix}/`) ? where : `${prefix}${path.posix.normalize(where)}`;
  return `${through}${rest}`;
}
