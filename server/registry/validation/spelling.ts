import { formatAddress, parseAddress, parseRange } from './addresses.js';
import type { Path } from './field.js';

/** Warnings about addresses and ranges that are right, but not in the one spelling that clients can compare. Only IPv6 has several. */

export function addressWarnings(text: string, path: Path | string): string[] {
  const address = parseAddress(text);
  if (address === null || address.family === 'IPv4') return [];
  const plain = formatAddress(address);
  return plain === text
    ? []
    : [`${path.toString()}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(plain)})`];
}

export function rangeWarnings(text: string, path: Path | string): string[] {
  const range = parseRange(text.trim());
  if (range === null || range.family === 'IPv4' || range.text === text.trim()) return [];
  return [
    `${path.toString()}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(range.text)})`,
  ];
}
