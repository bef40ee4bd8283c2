import { sortNames } from '../../../api/json/json.js';
import { isMembers, type JsonMembers } from '../value.js';
import { writingJson } from '../jsonSteps.js';
import type { Steps } from '../../../api/steps.js';
import { weighsMore } from '../../turns/weight.js';

/** The slowest work on a large object, done in steps before encoding. */
export interface Prepared {
  /** Names of wide maps in writing order. */
  readonly names: ReadonlyMap<object, readonly string[]>;
  readonly texts: ReadonlyMap<object, string>;
}

const largeValues = 1_000;

/** Prepares maps and managed fields. The object must not change before encoding. */
export function* preparing(object: JsonMembers): Steps<Prepared> {
  const names = new Map<object, readonly string[]>();
  const texts = new Map<object, string>();
  for (const fields of ownedFields(object)) {
    if (!weighsMore(fields, largeValues)) continue;
    texts.set(fields, (yield* writingJson(fields)).text);
    yield;
  }
  const waiting: unknown[] = [object];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (!isLarge(value) || texts.has(value)) continue;
    if (isMembers(value)) {
      const sorted = sortedNames(value);
      if (sorted.length > largeValues) names.set(value, sorted);
    }
    yield;
    // Items are pushed singly, because a list may be long.
    for (const member of Object.values(value)) if (isLarge(member)) waiting.push(member);
    yield;
  }
  return { names, texts };
}

const isLarge = (value: unknown): value is object => typeof value === 'object' && value !== null && weighsMore(value, largeValues);

function ownedFields({ metadata }: JsonMembers): JsonMembers[] {
  const entries = isMembers(metadata) && Array.isArray(metadata['managedFields']) ? metadata['managedFields'] : [];
  return entries.flatMap((entry) => (isMembers(entry) && isMembers(entry['fieldsV1']) ? [entry['fieldsV1']] : []));
}

/** The reference sorts by bytes; UTF-16 order differs only where surrogates occur. */
export function sortedNames(map: JsonMembers): string[] {
  const names = Object.keys(map);
  if (names.length < 2) return names;
  if (names.some((name) => /[\ud800-\uffff]/.test(name))) return names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sortNames(names);
}

/** Belongs to the object being encoded: at most one, since encoding never yields. */
let present: Prepared | null = null;

export function encodeWith<T>(prepared: Prepared, encode: () => T): T {
  present = prepared;
  try {
    return encode();
  } finally {
    present = null;
  }
}

export const preparedNames = (map: object): readonly string[] | undefined => present?.names.get(map);
export const preparedText = (value: unknown): string | undefined => present?.texts.get(value as object);
