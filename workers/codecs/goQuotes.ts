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
