import type { Answer } from '../../fixtures/apiClient.js';

export type Outcome =
  | { readonly result: 'done'; readonly version: number }
  | { readonly result: 'exists' | 'conflict' | 'absent' }
  /** Refused without an attempt. */
  | { readonly result: 'refused' }
  | { readonly result: 'unknown' }
  | { readonly result: 'unexpected'; readonly details: string };

const unavailable = new Set([503, 504]);
const tooMany = 429;

/** `null` is no answer. A 503 may follow an attempt, so only 429 is definite. Pure. */
export function outcomeOf(kind: 'create' | 'update' | 'delete', answer: Answer | null): Outcome {
  if (answer === null) return { result: 'unknown' };
  const { status, body } = answer;
  if (status === 200 || status === 201) return { result: 'done', version: versionOf(body) };
  if (status === tooMany) return { result: 'refused' };
  if (unavailable.has(status)) return { result: 'unknown' };
  if (status === 409 && kind === 'create' && reasonOf(body) === 'AlreadyExists') return { result: 'exists' };
  if (status === 409 && kind !== 'create') return { result: 'conflict' };
  if (status === 404 && kind !== 'create') return { result: 'absent' };
  return { result: 'unexpected', details: `${kind} was answered with ${status} ${JSON.stringify(body).slice(0, 400)}` };
}

const versionOf = (body: unknown): number =>
  Number((body as { readonly metadata?: { readonly resourceVersion?: string } }).metadata?.resourceVersion ?? 0);
const reasonOf = (body: unknown): string => (body as { readonly reason?: string }).reason ?? '';
