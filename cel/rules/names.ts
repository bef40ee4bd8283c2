import { keptWords } from '../reserved.js';

const spellings: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** Null for a name that expressions cannot express. */
export function escapedName(name: string): string | null {
  if (keptWords.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return null;
  return name.replace(/__|[./-]/g, (part) => spellings[part] ?? part);
}

const spelled: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** The name behind an escaped one; the same name if nothing is escaped, or wrongly (cel/escaping.go). */
export function unescapedName(escaped: string): string {
  let isGood = true;
  const name = escaped.replace(/__([^_]+)__/g, (all, word: string) => {
    isGood &&= Object.hasOwn(spelled, word) || (keptWords.has(word) && all === escaped);
    return spelled[word] ?? word;
  });
  return isGood ? name : escaped;
}
