/** Hashes as the reference spells them in names: digits mapped to letters that form no words. Pure. */

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** FNV-1 multiplies first: what the reference hashes templates with. */
function fnv1(bytes: Uint8Array, start = fnvOffset): number {
  let hash = start;
  for (const byte of bytes) hash = Math.imul(hash, fnvPrime) ^ byte;
  return hash >>> 0;
}

const safeWord = (text: string): string => [...text].map((letter) => alphabet[letter.charCodeAt(0) % alphabet.length]).join('');

/** The hash of any JSON value, whatever the order of its members, and of how often the name was taken before. */
export function jsonHash(value: unknown, collisions: number | undefined): string {
  let hash = fnv1(Buffer.from(canonical(value)));
  if (collisions !== undefined) {
    const count = Buffer.alloc(8);
    count.writeUInt32LE(collisions);
    hash = fnv1(count, hash);
  }
  return safeWord(String(hash));
}

/** The hash of what a revision holds, and of how often its name was taken before. */
export const dataHash = (data: unknown, collisions: number): string =>
  safeWord(String(fnv1(Buffer.from(`${canonical(data)}${collisions}`))));

/** JSON with members in order, and without those that say nothing. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value as Record<string, unknown>)
    .filter(([, member]) => member !== null && member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
