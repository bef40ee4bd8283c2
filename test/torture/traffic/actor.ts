import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ApiClient } from '../../fixtures/apiClient.js';
import type { Prng } from '../../simulation/prng.js';
import type { PastRead } from '../checks/compaction.js';
import type { Place } from './place.js';
import type { Recorder } from './recorder.js';

export type TrafficServer = Pick<ApiClient, 'request' | 'watch'>;

/** What everyone has who makes traffic. */
export interface Actor {
  readonly name: string;
  readonly server: TrafficServer;
  /** `server` is always the same replica. */
  readonly pinned: boolean;
  /** Which replica that is now; null where a balancer chooses. */
  readonly member: () => string | null;
  readonly place: Place;
  readonly prng: Prng;
  readonly recorder: Recorder;
  /**
   * The version before which such a question was in vain, on any replica, when this was asked, or a later one; null while nobody can tell, and `never` where
   * nobody ever will.
   */
  readonly gone: (what: PastRead['what']) => Promise<number | null | 'never'>;
}

const statusTimeoutMs = 2_000;
/** A cluster without a majority can tell nobody what was compacted; after so long nobody asks any more. */
const goneWithinMs = 60_000;
const pollMs = 200;

export const refusals: ReadonlySet<number> = new Set([429, 503, 504]);

/** History before this version is gone on the replica that the actor is pinned to. */
export async function goneHere({ pinned, server }: Actor): Promise<number | null> {
  if (!pinned) return null;
  const answer = await server.request('GET', '/raft/v1/status', { timeoutMs: statusTimeoutMs }).catch(() => null);
  return compactedOf(answer);
}

const compactedOf = (answer: Answer | null): number | null =>
  answer?.status === 200 ? (answer.body as { readonly compactedRevision: number }).compactedRevision : null;

/** Asked right after a 410. Whoever gave it may be gone itself, and the others may be without a leader for a while. */
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
