import { failPoints, type FailPoint } from '../../raft/failPoints.js';
import { checkAvailability, silenceMaxMs, silences, type Sight } from './checks/availability.js';
import { checkBounds, peaks, usageMax, type Usage } from './checks/bounds.js';
import { checkPastReads } from './checks/compaction.js';
import { checkAcknowledged, type FinalState } from './checks/durability.js';
import type { Finding } from './checks/finding.js';
import { acknowledgedWrites } from './checks/history.js';
import { checkLinearizability } from './checks/linearizability.js';
import { checkRenewals, renewalMaxMs } from './checks/renewals.js';
import { checkReplicas } from './checks/replicas.js';
import { checkSessions } from './checks/sessions.js';
import { checkLists } from './checks/snapshots.js';
import { allChanges, checkWatches, uncovered, type WatchHistory } from './checks/watchPromises.js';
import { checkProgress, type Comparer } from './comparer.js';
import type { Place } from './traffic/place.js';
import type { Recorder } from './traffic/recorder.js';

export interface Evidence {
  readonly place: Place;
  readonly recorder: Recorder;
  readonly watches: readonly WatchHistory[];
  readonly sights: readonly Sight[];
  /** The slowdown by a crowded machine, at least 1. */
  readonly crowding: number;
  readonly usage: readonly Usage[];
  /** Serving threads of each API server. */
  readonly threads: number;
  readonly comparer: Pick<Comparer, 'digests' | 'progress'>;
  readonly faults: ReadonlyMap<string, number>;
  readonly pointsMet: ReadonlySet<FailPoint>;
  /** The version of the empty store, and of the last write; null without one. */
  readonly from: number;
  readonly to: number | null;
  readonly final: ReadonlyMap<string, FinalState>;
}

/** Results of a round or of all rounds of a seed. Times are milliseconds, sizes bytes. */
export interface Figures {
  readonly requests: number;
  readonly writes: number;
  readonly unknown: number;
  readonly expired: number;
  readonly compared: number;
  readonly longestSilenceMs: number;
  /** The same, while a majority was healthy and connected. */
  readonly workingSilenceMs: number;
  readonly residentBytes: number;
  readonly fileBytes: number;
  readonly faults: ReadonlyMap<string, number>;
  /** Met points of raft/failPoints.ts. */
  readonly pointsMet: ReadonlySet<FailPoint>;
  readonly undecided: readonly string[];
}

export interface Judgement {
  readonly findings: readonly Finding[];
  readonly figures: Figures;
}

/** Checks all promises. Pure. */
export function judge(evidence: Evidence): Judgement {
  const { recorder, sights, crowding, usage, threads, comparer, faults, pointsMet } = evidence;
  const { operations, sightings, acknowledgedMs, requests, unknown, pastReads, longestSilenceMs } = recorder;
  const linearizability = checkLinearizability(operations);
  const findings = [
    ...recorder.findings,
    ...storeFindings(evidence),
    ...linearizability.findings,
    ...checkSessions(sightings),
    ...checkProgress(comparer.progress),
    ...checkPastReads(pastReads),
    ...checkReplicas(comparer.digests),
    ...checkBounds(usage, usageMax(threads)),
    ...checkAvailability(sights, acknowledgedMs, silenceMaxMs * crowding),
    ...checkRenewals(sights, recorder.renewals, renewalMaxMs * crowding),
  ];
  const most = (what: 'residentBytes' | 'fileBytes'): number => Math.max(0, ...peaks(usage, what).values());
  const figures = {
    requests,
    writes: acknowledgedMs.length,
    unknown,
    expired: pastReads.filter(({ outcome }) => outcome === 'expired').length,
    compared: comparer.digests.length,
    longestSilenceMs,
    workingSilenceMs: silences(sights, acknowledgedMs)[0]?.ms ?? 0,
    residentBytes: most('residentBytes'),
    fileBytes: most('fileBytes'),
    faults,
    pointsMet,
    undecided: linearizability.undecided,
  };
  return { findings, figures };
}

/** Checks watches, lists and the final state against the joint history of all watches. */
function storeFindings({ place, recorder, watches, from, to, final }: Evidence): readonly Finding[] {
  const acknowledged = acknowledgedWrites(recorder.operations).filter(({ key }) => place.keys.includes(key));
  const all = [...watches, ...recorder.watches];
  const findings = [...checkWatches(all, acknowledged)];
  if (to === null) return findings;
  const gaps = uncovered(all, from, to);
  const history = allChanges(all).filter(({ version }) => version <= to);
  findings.push(...checkLists(recorder.lists, history, gaps[0]?.after ?? to));
  // Without a watch the history is unknown: only later changes are checked.
  const known = gaps.at(-1)?.upTo ?? from;
  const later = <T extends { readonly version: number }>(writes: readonly T[]): readonly T[] =>
    writes.filter(({ version }) => version > known);
  for (const state of final.values())
    findings.push(
      ...checkAcknowledged(later(acknowledged), later(history), new Map([...state].filter(([, { version }]) => version > known))),
    );
  return findings;
}

const mebibytes = (bytes: number): number => Math.round(bytes / (1 << 20));
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const faultsLine = (faults: ReadonlyMap<string, number>): string =>
  [...faults].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';

export function describeFigures({
  requests,
  writes,
  unknown,
  expired,
  compared,
  longestSilenceMs,
  workingSilenceMs,
  residentBytes,
  fileBytes,
  faults,
  undecided,
}: Figures): string {
  return (
    `${requests} requests, ${writes} writes acknowledged, ${unknown} unknown, ${expired} expired, ${compared} fingerprints compared; longest time without a write ${seconds(longestSilenceMs)}, ` +
    `${seconds(workingSilenceMs)} while a majority was well; faults: ${faultsLine(faults)}; peak ${mebibytes(residentBytes)} MiB memory, ${mebibytes(fileBytes)} MiB files` +
    (undecided.length === 0 ? '' : `; undecided: ${undecided.join(', ')}`)
  );
}

/** Lists the fail points that were met and those that were not. Pure. */
export function pointsLine(met: ReadonlySet<FailPoint>): string {
  const all = Object.keys(failPoints) as FailPoint[];
  const missing = all.filter((point) => !met.has(point));
  return `killed at ${all.length - missing.length} of ${all.length} fail points${missing.length === 0 ? '' : `; not at ${missing.join(', ')}`}`;
}

/** Adds up counts of rounds and takes the maximum of measures. */
export function addFigures(a: Figures, b: Figures): Figures {
  const faults = new Map(a.faults);
  for (const [kind, count] of b.faults) faults.set(kind, (faults.get(kind) ?? 0) + count);
  return {
    requests: a.requests + b.requests,
    writes: a.writes + b.writes,
    unknown: a.unknown + b.unknown,
    expired: a.expired + b.expired,
    compared: a.compared + b.compared,
    longestSilenceMs: Math.max(a.longestSilenceMs, b.longestSilenceMs),
    workingSilenceMs: Math.max(a.workingSilenceMs, b.workingSilenceMs),
    residentBytes: Math.max(a.residentBytes, b.residentBytes),
    fileBytes: Math.max(a.fileBytes, b.fileBytes),
    faults,
    pointsMet: new Set([...a.pointsMet, ...b.pointsMet]),
    undecided: [...a.undecided, ...b.undecided],
  };
}
