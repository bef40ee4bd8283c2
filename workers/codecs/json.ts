import { isAscii } from 'node:buffer';
import type { Codec, DecodeFailure, DecodeOptions, DecodeResult, Spelling } from './contract.js';
import { readJson, type MemberOrder } from './jsonReader.js';
import { surveyJson } from './jsonSurvey.js';
import { isMembers, NumberLiteral, type Json, type JsonMembers } from './value.js';
import { writeJson } from './jsonWriter.js';

/** A decoded text, with data for reporting duplicates in text order. */
export type JsonDocument =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Members in the text; if the value has fewer, some are duplicates. */ readonly members: number;
      /** Set only by the careful reader. */ readonly order: MemberOrder | undefined;
    }
  | DecodeFailure;

/**
 * Uses JSON.parse if that loses nothing, else the careful reader. If `members` differs from the value's members, there are duplicates: read again with
 * `careful`.
 */
export const parseJson = (
  bytes: Uint8Array,
  options: { readonly depthMax: number; readonly keepLiterals: boolean; readonly careful?: boolean },
): JsonDocument => {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const latin1 = buffer.toString('latin1');
  // Invalid UTF-8 becomes U+FFFD, as in the reference.
  const text = isAscii(buffer) ? latin1 : buffer.toString('utf8');
  const survey = surveyJson(buffer, latin1);
  if (options.careful !== true && survey.depth <= options.depthMax && survey.plainNumbers && !hasSurrogateEscape(text)) {
    try {
      return { ok: true, value: JSON.parse(text) as Json, members: survey.members, order: undefined };
    } catch {
      // The careful reader below reports the error.
    }
  }
  const read = readJson(text, options);
  return read.ok ? { ok: true, value: read.value, members: survey.members, order: read.order } : read;
};

/** Counts members at all levels, to compare with the text. */
export const countMembers = (value: Json): number => {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countMembers(item);
  } else if (isMembers(value)) {
    for (const name in value) {
      count++;
      const member = value[name];
      if (typeof member === 'object' && member !== null) count += countMembers(member);
    }
  }
  return count;
};

export const jsonCodec: Codec = {
  name: 'json',
  mediaType: 'application/json',
  decode(bytes: Uint8Array, { findDuplicates, findSpellings = false, depthMax }: DecodeOptions): DecodeResult {
    const document = parseJson(bytes, { depthMax, keepLiterals: false });
    if (!document.ok) return document;
    const read = { ok: true, value: document.value, ...(findSpellings ? spelled(bytes, document, depthMax) : {}) } as const;
    if (!findDuplicates || countMembers(document.value) === document.members) return { ...read, duplicates: [] };
    const careful = parseJson(bytes, { depthMax, keepLiterals: false, careful: true });
    return careful.ok ? { ...read, duplicates: duplicatePaths(careful.value, careful.order) } : careful;
  },
  encode: (value: unknown): Buffer => Buffer.from(writeJson(value), 'utf8'),
};

const spellingsMax = 1_000;

/** The quick reader leaves such texts to the careful one. */
function spelled(bytes: Uint8Array, { order }: JsonDocument & { ok: true }, depthMax: number): { spellings?: Spelling[] } {
  const kept = order === undefined ? undefined : parseJson(bytes, { depthMax, keepLiterals: true });
  const spellings: Spelling[] = [];
  const path: string[] = [];
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null || spellings.length >= spellingsMax) return;
    if (value instanceof NumberLiteral) {
      spellings.push({ path: [...path], text: value.text });
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      path.push(name);
      visit(member as Json);
      path.pop();
    }
  };
  if (kept?.ok === true) visit(kept.value);
  return spellings.length === 0 ? {} : { spellings };
}

/** Unpaired surrogates in escapes become U+FFFD, which JSON.parse does not do. */
const hasSurrogateEscape = (text: string): boolean => text.includes('\\u') && (text.includes('\\ud') || text.includes('\\uD'));

/** Returns the paths of repeated members: `spec.replicas`, `items[0].name`. */
export const duplicatePaths = (root: Json, order: MemberOrder | undefined): string[] => {
  const paths = new Set<string>();
  const visit = (value: Json, path: string): void => {
    if (Array.isArray(value)) value.forEach((item, index) => visit(item, `${path}[${index}]`));
    else if (isMembers(value)) visitMembers(value, path);
  };
  const visitMembers = (members: JsonMembers, path: string): void => {
    const visited = new Set<string>();
    for (const text of order?.get(members) ?? [Object.keys(members)]) {
      const seen = new Set<string>();
      for (const name of text) {
        const at = path === '' ? name : `${path}.${name}`;
        if (!visited.has(name)) visit(members[name] ?? null, at);
        if (seen.has(name)) paths.add(at);
        visited.add(name);
        seen.add(name);
      }
    }
  };
  if (order !== undefined && order.size > 0) visit(root, '');
  return [...paths];
};
