import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ApiClient } from '../../fixtures/apiClient.js';
import type { Prng } from '../../simulation/prng.js';
import type { PastRead } from '../checks/compaction.js';
import type { Place } from './place.js';
import type { Recorder } from './recorder.js';

export type TrafficServer = Pick<ApiClient, 'request' | 'watch'>;

/** The shared settings of a client. */
export interface Actor {
  readonly name: string;
  readonly server: TrafficServer;
  readonly pinned: boolean;
  /** The current replica; null behind a balancer. */
  readonly member: () => string | null;
  readonly place: Place;
  readonly prng: Prng;
  readonly recorder: Recorder;
  /** The version below which such a read failed on any replica at the time of the call, or a later one; null while unknown, `never` if it stays unknown. */
  readonly gone: (what: PastRead['what']) => Promise<number | null | 'never'>;
}

const statusTimeoutMs = 2_000;
/** A cluster without a majority cannot report its compaction; this is the longest wait. */
const goneWithinMs = 60_000;
const pollMs = 200;

export const refusals: ReadonlySet<number> = new Set([429, 503, 504]);

/** The compacted revision of the actor's pinned replica. */
export async function goneHere({ pinned, server }: Actor): Promise<number | null> {
  if (!pinned) return null;
  const answer = await server.request('GET', '/raft/v1/status', { timeoutMs: statusTimeoutMs }).catch(() => null);
  return compactedOf(answer);
}

const compactedOf = (answer: Answer | null): number | null =>
  answer?.status === 200 ? (answer.body as { readonly compactedRevision: number }).compactedRevision : null;

/** Called after a 410. Its server may be gone, and the others without a leader for a while. */
export async function recordExpired(
  { name, recorder, gone }: Actor,
  what: PastRead['what'],
  version: number,
  goneBefore: number | null,
): Promise<void> {
  const deadline = performance.now() + goneWithinMs;
  let goneAfter = await gone(what);
  while (goneAfter === null && performance.now() < deadline) {
    await delay(pollMs);
    goneAfter = await gone(what);
  }
  recorder.pastReads.push({
    who: name,
    what,
    version,
    outcome: 'expired',
    goneBefore,
    goneAfter: goneAfter === 'never' ? null : goneAfter,
  });
}
