import type { Entry, EntryKind, HardState, LogIndex, MemberId, SnapshotMeta, Term } from '../../../../raft/types.js';
import { logIndex, memberId, term } from '../../../../raft/types.js';
import { openLog } from '../../../../raft/log/log.js';
import type { LogOptions, RaftLog } from '../../../../raft/log/log.js';

export const owner: LogOptions = { clusterId: 'cluster-1', memberId: memberId('a') };

export const open = (path: string, options: Partial<LogOptions> = {}): RaftLog => openLog(path, { ...owner, ...options });

export function entry(
  index: number,
  inTerm: number,
  data: string | Uint8Array = `data ${index}/${inTerm}`,
  kind: EntryKind = 'command',
): Entry {
  return { index: logIndex(index), term: term(inTerm), kind, data: typeof data === 'string' ? Buffer.from(data) : data };
}

/** Entries `from` to `to`, all of one term. */
export function entries(from: number, to: number, inTerm: number): Entry[] {
  return Array.from({ length: to - from + 1 }, (_, place) => entry(from + place, inTerm));
}

export function state(inTerm: number, vote: string | null = null, commit = 0): HardState {
  return { term: term(inTerm), vote: vote === null ? null : memberId(vote), commit: logIndex(commit) };
}

export function snapshot(index: number, inTerm: number): SnapshotMeta {
  return { index: index as LogIndex, term: inTerm as Term, membership: { members: [], removed: [] as MemberId[] } };
}

/** The content of a log in a form that chai compares. */
export function contents(log: RaftLog) {
  const held = log.firstIndex > log.lastIndex ? [] : log.entries(log.firstIndex, log.lastIndex, Infinity);
  return {
    state: log.hardState,
    base: { index: log.firstIndex - 1, term: log.termAt((log.firstIndex - 1) as LogIndex) },
    entries: held.map(({ index, term: ofTerm, kind, data }) => `${index}/${ofTerm}/${kind}/${Buffer.from(data).toString('base64')}`),
  };
}
