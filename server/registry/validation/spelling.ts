import { formatAddress, isMapped, parseAddress, parseOldAddress, parseRange } from './addresses.js';
import type { Path } from './field.js';

/** Warns about valid addresses that are not in the canonical spelling, which clients can compare. */

export function addressWarnings(text: string, path: Path | string): string[] {
  const address = parseAddress(text);
  if (address === null || isMapped(address)) return oldAddressWarnings(text, path);
  if (address.family === 'IPv4') return [];
  const plain = formatAddress(address);
  return plain === text
    ? []
    : [`${path.toString()}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(plain)})`];
}

function oldAddressWarnings(text: string, path: Path | string): string[] {
  const address = parseOldAddress(text);
  if (address === null) return [];
  const [said, plain] = [text, formatAddress(address)].map((each) => JSON.stringify(each));
  return [`${path.toString()}: non-standard IP address ${said} will be considered invalid in a future Kubernetes release: use ${plain}`];
}

export function rangeWarnings(text: string, path: Path | string): string[] {
  const range = parseRange(text.trim());
  if (range === null || range.family === 'IPv4' || range.text === text.trim()) return [];
  return [
    `${path.toString()}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(range.text)})`,
  ];
}
