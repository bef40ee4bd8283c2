import { keptWords } from '../reserved.js';

/** Names of fields as expressions write them: what the language keeps to itself, or cannot say, is spelled otherwise. */

const spellings: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** null for a name that expressions cannot name at all. */
export function escapedName(name: string): string | null {
  if (keptWords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return null;
  return name.replace(/__|[./-]/g, (part) => spellings[part] ?? part);
}
