/** Letters and digits that do not spell words and are not mistaken for each other. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const NAME_MAX = 63;

/** `prefix` and five random characters; a prefix that is too long loses its end. `random` gives numbers in [0, 1). */
export function generatedName(prefix: string, random: () => number): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');
  return prefix.slice(0, NAME_MAX - SUFFIX_LENGTH) + suffix;
}
