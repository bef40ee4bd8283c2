import { compareVersions } from '../../cel/eval/functions/semvers.js';
import { oldestEmulationVersion } from '../kinds/coordination.k8s.io/leaseStrategy.js';

/** Time to answer a ping, and validity of the answer. */
export const electionMs = 5_000;
/** A candidate expires without renewal for this long. */
export const candidateMs = 30 * 60_000;
/** Duration of an elected candidate's first lease, before its own renewals. */
export const firstLeaseSeconds = 5;

/** Times are in milliseconds since 1970, or null. */
export interface Candidate {
  readonly name: string;
  readonly createdAt: number;
  readonly pingedAt: number | null;
  readonly renewedAt: number | null;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly strategy: string;
}

export interface Held {
  /** Empty without a holder. */
  readonly holder: string;
  readonly renewedAt: number | null;
  readonly durationSeconds: number | null;
  readonly preferred: string;
  readonly strategy: string;
}

/** The next action for a lease. Pure data; deciding again afterwards yields the next step. */
export type Step =
  /** `lookAgain`: milliseconds until the next decision; null waits for a change. */
  | { readonly do: 'nothing'; readonly lookAgain: number | null }
  | { readonly do: 'ping'; readonly candidates: readonly string[] }
  | { readonly do: 'elect'; readonly candidate: string; readonly strategy: string }
  /** The lease is left to a coordinator that knows the strategy. */
  | { readonly do: 'offer'; readonly strategy: string }
  /** Asks the holder to yield to the candidate, which gets the lease when the holder releases it. */
  | { readonly do: 'prefer'; readonly candidate: string; readonly strategy: string };

export const isExpired = ({ renewedAt, durationSeconds }: Held, now: number): boolean =>
  renewedAt === null || durationSeconds === null || renewedAt + durationSeconds * 1000 < now;

export const isGone = ({ renewedAt }: Candidate, now: number): boolean => renewedAt === null || renewedAt + candidateMs < now;

/**
 * Returns the next step of an election (KEP 4355). A lease held by or promised to its best candidate stays. Otherwise silent candidates are pinged first, and
 * count only if they answer within the election time. The best one is then elected, or preferred while another holds the lease. A lease with another strategy
 * than the oldest emulation version is created without a holder.
 */
export function nextStep(candidates: readonly Candidate[], lease: Held | null, now: number): Step {
  const standing = candidates.filter((candidate) => !isGone(candidate, now) && !isSilent(candidate, now));
  if (standing.length === 0) return { do: 'nothing', lookAgain: null };
  const held = lease === null || lease.holder === '' || isExpired(lease, now) ? null : lease;
  const settled = held === null ? isOffered(lease, standing) : isSettled(held, standing);
  if (settled) return { do: 'nothing', lookAgain: electionMs };
  const waitMs = Math.max(...standing.filter(isAsked).map(({ pingedAt }) => (pingedAt ?? 0) + electionMs - now));
  if (waitMs > 0) return { do: 'nothing', lookAgain: waitMs };
  if (!standing.every(({ renewedAt }) => renewedAt !== null && renewedAt + electionMs > now))
    return { do: 'ping', candidates: standing.map(({ name }) => name) };
  return electedAmong(standing, held);
}

/** It was pinged and has not answered yet. */
const isAsked = ({ pingedAt, renewedAt }: Candidate): boolean => pingedAt !== null && pingedAt > (renewedAt ?? 0);
const isSilent = (candidate: Candidate, now: number): boolean => isAsked(candidate) && (candidate.pingedAt ?? 0) + electionMs <= now;

function electedAmong(candidates: readonly Candidate[], held: Held | null): Step {
  const [strategy, best] = [strategyOf(candidates), bestOf(candidates)];
  if (strategy === null || best === null) return { do: 'nothing', lookAgain: electionMs };
  if (strategy !== oldestEmulationVersion) return held === null ? { do: 'offer', strategy } : { do: 'nothing', lookAgain: electionMs };
  return { do: held === null ? 'elect' : 'prefer', candidate: best.name, strategy };
}

/** Candidates with other or contradictory strategies are left alone too. */
function isSettled({ holder, preferred }: Held, candidates: readonly Candidate[]): boolean {
  if (strategyOf(candidates) !== oldestEmulationVersion) return true;
  const best = bestOf(candidates)?.name;
  return best === holder || best === preferred;
}

/** Reports whether an unheld lease is left to another coordinator. */
function isOffered(lease: Held | null, candidates: readonly Candidate[]): boolean {
  const strategy = strategyOf(candidates);
  return lease !== null && lease.holder === '' && strategy !== oldestEmulationVersion && lease.strategy === strategy;
}

/** Returns the strategy of candidates with the newest binary; null without one, or if they disagree. */
export function strategyOf(candidates: readonly Candidate[]): string | null {
  const [first] = candidates;
  if (first === undefined) return null;
  const newest = candidates.reduce((best, each) => (compareVersions(each.binaryVersion, best.binaryVersion) > 0 ? each : best), first);
  const strategies = new Set(
    candidates.filter((each) => compareVersions(each.binaryVersion, newest.binaryVersion) === 0).map((each) => each.strategy),
  );
  return strategies.size === 1 ? newest.strategy : null;
}

/** Returns the candidate with the oldest emulation version, then the oldest binary, then the oldest candidate. */
export function bestOf(candidates: readonly Candidate[]): Candidate | null {
  const [first = null] = [...candidates].sort(
    (a, b) =>
      compareVersions(a.emulationVersion, b.emulationVersion) ||
      compareVersions(a.binaryVersion, b.binaryVersion) ||
      a.createdAt - b.createdAt ||
      (a.name < b.name ? -1 : 1),
  );
  return first;
}
