/** Letters and digits that spell no words and are not mistaken for each other. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const nameMax = 63;

/** `random` returns numbers in [0, 1). */
export function generatedName(prefix: string, random: () => number): string {
  const suffix = Array.from({ length: suffixLength }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
  return prefix.slice(0, nameMax - suffixLength) + suffix;
}
