import { Failure, noOverload, Opaque, type Value } from '../values.js';
import type { Implementation, Library } from './library.js';

/** Addresses and networks in canonical spelling only: no zones, no IPv4-mapped IPv6. */

class Address extends Opaque {
  readonly typeName = 'net.IP';
  constructor(
    readonly value: bigint,
    readonly bits: 32 | 128,
  ) {
    super();
  }
  override get size(): number {
    return this.bits / 8;
  }
  equals(other: Opaque): boolean {
    return other instanceof Address && other.bits === this.bits && other.value === this.value;
  }
  startsWith(prefix: bigint, length: number): boolean {
    return this.value >> BigInt(this.bits - length) === prefix;
  }
  override toString(): string {
    return this.bits === 32 ? [24n, 16n, 8n, 0n].map((shift) => (this.value >> shift) & 255n).join('.') : longText(this.value);
  }
}

class Network extends Opaque {
  readonly typeName = 'net.CIDR';
  constructor(
    readonly address: Address,
    readonly length: number,
  ) {
    super();
  }
  override get size(): number {
    return Math.ceil(this.length / 8);
  }
  equals(other: Opaque): boolean {
    return other instanceof Network && other.length === this.length && other.address.equals(this.address);
  }
  get masked(): Network {
    const rest = BigInt(this.address.bits - this.length);
    return new Network(new Address((this.address.value >> rest) << rest, this.address.bits), this.length);
  }

  contains(address: Address): boolean {
    return (
      address.bits === this.address.bits && address.startsWith(this.address.value >> BigInt(this.address.bits - this.length), this.length)
    );
  }
  override toString(): string {
    return `${this.address.toString()}/${this.length}`;
  }
}

function longText(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let [start, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let zeros = 0;
    while (i + zeros < 8 && groups[i + zeros] === '0') zeros += 1;
    if (zeros > length) [start, length] = [i, zeros];
  }
  return start < 0 ? groups.join(':') : `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** The error, and the rest of the text at its place. */
type Wrong = readonly [problem: string, at: string];

function shortAddress(text: string): bigint | Wrong {
  const fields = text.split('.');
  for (const field of fields) {
    if (/[^0-9]/.test(field)) return ['unexpected character', text.slice(text.search(/[^0-9.]/))];
    if (field === '') return ['IPv4 field must have at least one digit', text];
    if (field.length > 1 && field.startsWith('0')) return ['IPv4 field has octet with leading zero', ''];
    if (Number(field) > 255) return ['IPv4 field has value >255', ''];
  }
  if (fields.length !== 4) return [fields.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short', ''];
  return fields.reduce((value, field) => (value << 8n) + BigInt(field), 0n);
}

function wrongGroup(group: string, rest: string, endsText: boolean): Wrong | null {
  const digits = group.search(/[^0-9a-fA-F]|$/);
  if (group === '' && endsText) return ['colon must be followed by more characters', ':'];
  if (digits === 0) return ['each colon-separated field must have at least one digit', rest];
  if (digits > 4) return ['each group must have 4 or less digits', rest];
  return digits < group.length ? ['unexpected character, want colon', rest.slice(digits)] : null;
}

function longAddress(text: string): bigint | Wrong {
  const parts = text.split('::');
  if (parts.length > 2) return ['multiple :: in address', text.slice(text.indexOf('::', text.indexOf('::') + 2))];
  const halves = parts.map((part) => (part === '' ? [] : part.split(':')));
  const groups: bigint[][] = [];
  for (const [position, half] of halves.entries()) {
    const made: bigint[] = [];
    let offset = position === 0 ? 0 : (parts[0] ?? '').length + 2;
    for (const [index, group] of half.entries()) {
      const rest = text.slice(offset);
      offset += group.length + 1;
      const last = position === halves.length - 1 && index === half.length - 1;
      if (last && group.includes('.')) {
        const tail = shortAddress(group);
        if (typeof tail !== 'bigint') return [tail[0], group];
        made.push(tail >> 16n, tail & 0xffffn);
      } else {
        const wrong = wrongGroup(group, rest, last && index > 0);
        if (wrong !== null) return wrong;
        made.push(BigInt(`0x${group}`));
      }
    }
    groups.push(made);
  }
  const [head = [], tail = []] = groups;
  const missing = 8 - head.length - tail.length;
  if (parts.length === 1 ? missing !== 0 : missing < 1)
    return [missing > 0 ? 'address string too short' : 'trailing garbage after address', missing > 0 ? '' : text];
  return [...head, ...Array<bigint>(missing).fill(0n), ...tail].reduce((value, group) => (value << 16n) + group, 0n);
}

function parse(text: string): Address | Wrong {
  const sign = /[.:%]/.exec(text)?.[0];
  if (sign === undefined) return ['unable to parse IP', ''];
  if (sign === '%') return ['missing IPv6 address', ''];
  const value = sign === '.' ? shortAddress(text) : longAddress(text);
  return typeof value === 'bigint' ? new Address(value, sign === '.' ? 32 : 128) : value;
}

const isMapped = (address: Address): boolean => address.bits === 128 && address.value >> 32n === 0xffffn;
const said = (text: string, [problem, at]: Wrong): string =>
  `ParseAddr(${JSON.stringify(text)}): ${problem}${at === '' ? '' : ` (at ${JSON.stringify(at)})`}`;

function readAddress(text: string): Address | Failure {
  const [plain, zone] = text.includes(':') && text.includes('%') ? [text.slice(0, text.indexOf('%')), true] : [text, false];
  const parsed = parse(plain);
  if (!(parsed instanceof Address))
    return new Failure(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${said(text, parsed)}`);
  if (zone) return new Failure(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  return isMapped(parsed) ? new Failure(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`) : parsed;
}

function readNetwork(text: string): Network | Failure {
  const slash = text.lastIndexOf('/');
  const wrong = (why: string): Failure =>
    new Failure(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${why}`,
    );
  if (slash < 0) return wrong("no '/'");
  const [address, length] = [parse(text.slice(0, slash)), text.slice(slash + 1)];
  if (!(address instanceof Address)) return wrong(said(text.slice(0, slash), address));
  if (text.includes('%')) return wrong('IPv6 zones cannot be present in a prefix');
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return wrong(`bad bits after slash: ${JSON.stringify(length)}`);
  if (Number(length) > address.bits) return wrong('prefix length out of range');
  return isMapped(address)
    ? new Failure(
        `network address parse error during conversion from string: IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`,
      )
    : new Network(address, Number(length));
}

const ofText =
  (use: (text: string) => Value): Implementation =>
  ([text]) =>
    typeof text === 'string' ? use(text) : noOverload;
const ofAddress =
  (use: (address: Address) => Value): Implementation =>
  ([address]) =>
    address instanceof Address ? use(address) : noOverload;
const ofNetwork =
  (use: (network: Network) => Value): Implementation =>
  ([network]) =>
    network instanceof Network ? use(network) : noOverload;
/** Tests for a prefix per family, such as that of link-local addresses. */
const inside = (short: readonly [bigint, number], long: readonly [bigint, number]): Implementation =>
  ofAddress((address) => address.startsWith(...(address.bits === 32 ? short : long)));
const isLinkLocalUnicast = inside([0xa9fen, 16], [0x3fan, 10]);
const isLinkLocalMulticast = inside([0xe00000n, 24], [0xff02n, 16]);
const isLoopback = inside([127n, 8], [1n, 128]);
const isMulticast = inside([0xen, 4], [0xffn, 8]);
const isUnspecified = ofAddress(({ value }) => value === 0n);
/** None of the others, nor the broadcast address. */
const isGlobalUnicast: Implementation = (args, run) =>
  args[0] instanceof Address
    ? ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((is) => is(args, run) === true) &&
      !(args[0].bits === 32 && args[0].value === 0xffffffffn)
    : noOverload;

function contains([network, other]: readonly Value[]): Value {
  if (!(network instanceof Network)) return noOverload;
  const address = typeof other === 'string' ? readAddress(other) : other;
  // Unlike for a network, the reference does not name an address's fault.
  return address instanceof Address ? network.contains(address) : noOverload;
}

function containsNetwork([network, other]: readonly Value[]): Value {
  if (!(network instanceof Network)) return noOverload;
  const inner = typeof other === 'string' ? readNetwork(other) : other;
  if (!(inner instanceof Network)) return inner instanceof Failure ? inner : noOverload;
  return inner.length >= network.length && network.contains(inner.masked.address);
}

export const addresses: Library = {
  'ip/1': ofText(readAddress),
  'isIP/1': ofText((text) => !(readAddress(text) instanceof Failure)),
  'cidr/1': ofText(readNetwork),
  'isCIDR/1': ofText((text) => !(readNetwork(text) instanceof Failure)),
  'ip.isCanonical/1': ofText((text) => {
    const address = readAddress(text);
    return address instanceof Failure ? address : address.toString() === text;
  }),
  'string/1': ([value]) => (value instanceof Address || value instanceof Network ? value.toString() : noOverload),
  '.family/0': ofAddress(({ bits }) => (bits === 32 ? 4n : 6n)),
  '.isUnspecified/0': isUnspecified,
  '.isLoopback/0': isLoopback,
  '.isLinkLocalMulticast/0': isLinkLocalMulticast,
  '.isLinkLocalUnicast/0': isLinkLocalUnicast,
  '.isGlobalUnicast/0': isGlobalUnicast,
  '.containsIP/1': contains,
  '.containsCIDR/1': containsNetwork,
  '.ip/0': ofNetwork(({ address }) => address),
  '.masked/0': ofNetwork((network) => network.masked),
  '.prefixLength/0': ofNetwork(({ length }) => BigInt(length)),
};
