import { compareVersions } from '../cel/eval/functions/semvers.js';
import { oldestEmulationVersion } from '../kinds/coordination.k8s.io/leaseStrategy.js';

/** How long a candidate that was asked whether it is there has to say so, and how long what it said counts. */
export const electionMs = 5_000;
/** A candidate that has not renewed for this long is no candidate any more. */
export const candidateMs = 30 * 60_000;
/** How long the lease is that an elected candidate gets; it renews it as its own afterwards. */
export const firstLeaseSeconds = 5;

/** A LeaseCandidate. Times are in milliseconds since 1970; null where there is none. */
export interface Candidate {
  readonly name: string;
  readonly createdAt: number;
  readonly pingedAt: number | null;
  readonly renewedAt: number | null;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly strategy: string;
}

/** The Lease that candidates are for. */
export interface Held {
  /** Empty where nobody holds it. */
  readonly holder: string;
  readonly renewedAt: number | null;
  readonly durationSeconds: number | null;
  readonly preferred: string;
  readonly strategy: string;
}

/** What is to be done about a lease. Pure data; whoever decides anew after it was done comes to the next step. */
export type Step =
  /** There is nothing to do. `lookAgain`: in so many milliseconds, although nothing has changed by then; null for when something changes. */
  | { readonly do: 'nothing'; readonly lookAgain: number | null }
  /** Candidates are asked whether they are there. */
  | { readonly do: 'ping'; readonly candidates: readonly string[] }
  /** The candidate has the lease from now on. `strategy` goes with it. */
  | { readonly do: 'elect'; readonly candidate: string; readonly strategy: string }
  /** The lease is there for whoever knows the strategy to say who has it. */
  | { readonly do: 'offer'; readonly strategy: string }
  /** The holder is asked to give way to the candidate, which has the lease when the holder lets go of it. */
  | { readonly do: 'prefer'; readonly candidate: string; readonly strategy: string };

export const isExpired = ({ renewedAt, durationSeconds }: Held, now: number): boolean =>
  renewedAt === null || durationSeconds === null || renewedAt + durationSeconds * 1000 < now;

export const isGone = ({ renewedAt }: Candidate, now: number): boolean => renewedAt === null || renewedAt + candidateMs < now;

/**
 * The next step of an election (KEP 4355). A lease that its best candidate holds, or is promised to, is left alone. Otherwise candidates that have not been
 * heard of lately are asked first, and those that say nothing within the time of an election do not count until they do. The best one is then elected, or,
 * while another holds the lease, preferred. A lease of another strategy than the oldest emulation version is made without a holder, for those who know the
 * strategy, and left to them.
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

/** It was asked whether it is there, and has not said so yet. */
const isAsked = ({ pingedAt, renewedAt }: Candidate): boolean => pingedAt !== null && pingedAt > (renewedAt ?? 0);
const isSilent = (candidate: Candidate, now: number): boolean => isAsked(candidate) && (candidate.pingedAt ?? 0) + electionMs <= now;

function electedAmong(candidates: readonly Candidate[], held: Held | null): Step {
  const [strategy, best] = [strategyOf(candidates), bestOf(candidates)];
  if (strategy === null || best === null) return { do: 'nothing', lookAgain: electionMs };
  if (strategy !== oldestEmulationVersion) return held === null ? { do: 'offer', strategy } : { do: 'nothing', lookAgain: electionMs };
  return { do: held === null ? 'elect' : 'prefer', candidate: best.name, strategy };
}

/** Who picks by other rules, or does not agree, is not disturbed either. */
function isSettled({ holder, preferred }: Held, candidates: readonly Candidate[]): boolean {
  if (strategyOf(candidates) !== oldestEmulationVersion) return true;
  const best = bestOf(candidates)?.name;
  return best === holder || best === preferred;
}

/** Whether somebody else, who knows the strategy, is to say who has the lease that nobody has. */
function isOffered(lease: Held | null, candidates: readonly Candidate[]): boolean {
  const strategy = strategyOf(candidates);
  return lease !== null && lease.holder === '' && strategy !== oldestEmulationVersion && lease.strategy === strategy;
}

/** That of the candidates with the newest binary; null where these do not agree, or there are none. */
export function strategyOf(candidates: readonly Candidate[]): string | null {
  const [first] = candidates;
  if (first === undefined) return null;
  const newest = candidates.reduce((best, each) => (compareVersions(each.binaryVersion, best.binaryVersion) > 0 ? each : best), first);
  const strategies = new Set(
    candidates.filter((each) => compareVersions(each.binaryVersion, newest.binaryVersion) === 0).map((each) => each.strategy),
  );
  return strategies.size === 1 ? newest.strategy : null;
}

/** The one that emulates the oldest version; among equals the one with the oldest binary, then the one that is there longest. */
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
