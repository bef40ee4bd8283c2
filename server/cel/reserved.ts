/** Words that the language reserves: they cannot be identifiers. */
export const reservedWords: ReadonlySet<string> = new Set([
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

/** The reserved words and the keywords. */
export const keptWords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in', ...reservedWords]);
