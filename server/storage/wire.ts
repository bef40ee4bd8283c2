import type { Change, ChangesResult, KeyValue, RangeResult } from './engine.js';

/** Engine reads as JSON for other processes, with values in base64. */

type InJson<T> = Omit<T, 'value'> & { readonly value: string | null };

export type RangeAnswer =
  | (Omit<Extract<RangeResult, { readonly outcome: 'found' }>, 'items'> & { readonly items: readonly InJson<KeyValue>[] })
  | Exclude<RangeResult, { readonly outcome: 'found' }>;

export type ChangesAnswer =
  | (Omit<Extract<ChangesResult, { readonly outcome: 'found' }>, 'changes'> & { readonly changes: readonly InJson<Change>[] })
  | Exclude<ChangesResult, { readonly outcome: 'found' }>;

const base64 = (value: Uint8Array): string => Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
const bytes = (text: string): Buffer => Buffer.from(text, 'base64');

export const rangeToJson = (result: RangeResult): RangeAnswer =>
  result.outcome === 'found' ? { ...result, items: result.items.map((item) => ({ ...item, value: base64(item.value) })) } : result;

export const rangeFromJson = (answer: RangeAnswer): RangeResult =>
  answer.outcome === 'found' ? { ...answer, items: answer.items.map((item) => ({ ...item, value: bytes(item.value ?? '') })) } : answer;

export const changesToJson = (result: ChangesResult): ChangesAnswer =>
  result.outcome === 'found'
    ? { ...result, changes: result.changes.map((change) => ({ ...change, value: change.value === null ? null : base64(change.value) })) }
    : result;

export const changesFromJson = (answer: ChangesAnswer): ChangesResult =>
  answer.outcome === 'found'
    ? { ...answer, changes: answer.changes.map((change) => ({ ...change, value: change.value === null ? null : bytes(change.value) })) }
    : answer;
