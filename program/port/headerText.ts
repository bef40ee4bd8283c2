import { isAscii } from 'node:buffer';

/** Parsers of HTTP take each byte for a character. A value that is not UTF-8 stays unchanged. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  if (isAscii(bytes)) return value;
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? value : text;
}
