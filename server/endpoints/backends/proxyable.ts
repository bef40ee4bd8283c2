import { isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { badRequest } from '../../../api/status.js';
import { contains, parseAddress, parseRange, type Address, type Range } from '../../registry/validation/addresses.js';

/** Writers of pod and node statuses choose these addresses, which could be loopback services of this machine, or its cloud's metadata service. */

const ranges = (...texts: readonly string[]): Range[] => texts.map(parseRange).filter((range) => range !== null);

/** Loopback, link-local, multicast (RFC 4291, section 2.4; RFC 6890). */
const refused = ranges(
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
);

/** IPv6 addresses that contain IPv4: compatible, mapped, translated, NAT64 and 6to4. */
const embedding: readonly (readonly [range: Range, bitsBefore: number])[] = [
  ...ranges('::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48').map((range): [Range, number] => [range, 96]),
  ...ranges('2002::/16').map((range): [Range, number] => [range, 16]),
];
const bitsSix = 128n;
const bitsFour = 32n;

const embedded = (address: Address): Address[] =>
  embedding
    .filter(([range]) => contains(range, address))
    .map(([, bitsBefore]) => ({
      family: 'IPv4',
      value: (address.value >> (bitsSix - bitsFour - BigInt(bitsBefore))) & 0xffff_ffffn,
    }));

/** False for unusual spellings and addresses with a zone. Pure. */
export function isProxyable(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && [address, ...embedded(address)].every((each) => !refused.some((range) => contains(range, each)));
}

/** Rejects when there is no address. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

const notAllowed = 'address not allowed';

/** All addresses must be allowed; connections use them without another look-up. Spellings such as `0x7f000001` and `127.1` count as names. Throws 400. */
export async function proxyableAddresses(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  const found =
    family > 0
      ? [{ address: host, family }]
      : await lookup(host).catch((error: unknown) => {
          throw badRequest(`lookup ${host}: no such host`, error);
        });
  if (found.length === 0) throw badRequest('No addresses for hostname');
  if (!found.every(({ address }) => isProxyable(address))) throw badRequest(notAllowed);
  return found;
}
