/** Escapes characters other than letters, marks, numbers, signs and plain spaces. */
const unprintable = /[\p{C}\p{Z}"\\]/gu;
const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
  ' ': ' ',
};

/** Quotes as Go does (`strconv.Quote`). */
export const quoted = (text: string): string => `"${text.replace(unprintable, escaped)}"`;

/** A character of UTF-8, or a byte that begins none. */
const characterOrByte =
  /[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/gs;

/** Quotes bytes, each of which is a character here, as Go quotes them: those that are no UTF-8 by their number. */
export const quotedBytes = (bytes: string): string =>
  `"${bytes.replace(characterOrByte, (part) =>
    part.length === 1 && part > '\x7f'
      ? `\\x${part.charCodeAt(0).toString(16)}`
      : quoted(Buffer.from(part, 'latin1').toString()).slice(1, -1),
  )}"`;

const characters = new Map(Object.entries(escapes).map(([character, escape]) => [escape, character]));

/** Reads what `quoted` writes. */
export const unquoted = (text: string): string =>
  text
    .slice(1, -1)
    .replace(
      /\\(?:x(..)|u(....)|U(.{8})|.)/g,
      (escape, ...hex: (string | undefined)[]) => characters.get(escape) ?? String.fromCodePoint(parseInt(hex.slice(0, 3).join(''), 16)),
    );

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return (
    escapes[character] ??
    (code < 0x80 ? `\\x${hex.padStart(2, '0')}` : code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`)
  );
}
