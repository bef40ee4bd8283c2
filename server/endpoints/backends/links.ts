import path from 'node:path';

/** Places on a backend as they are reached from outside, through the proxy. Pure. */
export interface View {
  /** The path that leads to the proxy, percent-encoded. */
  readonly prefix: string;
  /** `host:port` of the backend, and that which the client has asked. */
  readonly hosts: readonly string[];
}

/** Scheme, authority, path, and the rest of a reference (RFC 3986, appendix B). */
const parts = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is;

/** A link as the client has to follow it. Those to other hosts, and relative ones, stay as they are: they are right already. */
export function seenThrough(link: string, { prefix, hosts }: View): string {
  const [, scheme, authority = '', where = '', rest = ''] = parts.exec(link) ?? [];
  const elsewhere = authority === '' ? scheme !== undefined : !hosts.includes(authority);
  if (elsewhere || !where.startsWith('/')) return link;
  const through = where === prefix || where.startsWith(`${prefix}/`) ? where : `${prefix}${path.posix.normalize(where)}`;
  return `${through}${rest}`;
}
