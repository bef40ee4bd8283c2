/** Words that the language keeps for later: no expression may have them as a name. */
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

/** Words that cannot name anything: those, and the ones that mean something. */
export const keptWords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in', ...reservedWords]);
