import { isIP } from 'node:net';
import type { Request } from '../../program/port/message.js';

/** Returns a request's senders: addresses from proxies, and last the unforgeable one. */
export function sourceIPs({ headers, socket }: Request): string[] {
  const said = [...text(headers['x-forwarded-for']).split(','), text(headers['x-real-ip'])]
    .map((part) => part.trim())
    .filter((part) => isIP(part) !== 0);
  const forwarded = said.filter((address, index) => said.indexOf(address) === index || index < said.length - 1);
  const remote = plain(socket?.remoteAddress ?? '');
  return remote === '' || forwarded.at(-1) === remote ? forwarded : [...forwarded, remote];
}

const text = (header: string | string[] | undefined): string => (Array.isArray(header) ? header.join(',') : (header ?? ''));

/** A dual-stack listener sees IPv4 addresses in IPv6 form. */
const plain = (address: string): string => (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address);
