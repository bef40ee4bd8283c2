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

export const keptWords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in', ...reservedWords]);

/** Names used by macros, forbidden for their variables. */
export const reservedAccumulators: ReadonlySet<string> = new Set(['__result__', '@result']);
