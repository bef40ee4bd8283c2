/** Names of fields as expressions write them: what the language keeps to itself, or cannot say, is spelled otherwise. */

const reserved: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);
const spellings: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** null for a name that expressions cannot name at all. */
export function escapedName(name: string): string | null {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return null;
  return name.replace(/__|[./-]/g, (part) => spellings[part] ?? part);
}
