import { isAscii } from 'node:buffer';

/** HTTP parsers make a character of each byte. A value that is not UTF-8 stays. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  if (isAscii(bytes)) return value;
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? value : text;
}
