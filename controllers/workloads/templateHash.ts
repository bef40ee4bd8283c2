import { dumpTemplate } from './goDump.js';

/** Hashes in names, spelled like the reference: digits become letters that form no words. Pure. */

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

function fnv1(bytes: Uint8Array): number {
  let hash = fnvOffset;
  for (const byte of bytes) hash = Math.imul(hash, fnvPrime) ^ byte;
  return hash >>> 0;
}

function fnv1a(bytes: Uint8Array): number {
  let hash = fnvOffset;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime);
  return hash >>> 0;
}

const safeWord = (text: string): string => [...text].map((letter) => alphabet[letter.charCodeAt(0) % alphabet.length]).join('');

/** Returns the hash of a pod template and of the number of earlier collisions (`controller.ComputeHash` of the reference). */
export function templateHash(template: unknown, collisions: number | undefined): string {
  const count = Buffer.alloc(collisions === undefined ? 0 : 8);
  if (collisions !== undefined) count.writeUInt32LE(collisions);
  return safeWord(String(fnv1a(Buffer.concat([Buffer.from(dumpTemplate(template)), count]))));
}

export const nameHash = (text: string): string => safeWord(String(fnv1a(Buffer.from(text))));

/** Returns the hash of a revision's data (`history.HashControllerRevision`) and of the number of taken names. */
export const dataHash = (data: unknown, collisions: number): string =>
  safeWord(String(fnv1(Buffer.from(`${canonical(data)}${collisions}`))));

/** JSON with sorted members, without empty ones. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value as Record<string, unknown>)
    .filter(([, member]) => member !== null && member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
