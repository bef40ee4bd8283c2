import { memberId } from '../types.js';
import type { Entry, EntryKind, HardState, LogIndex, MemberId, Term } from '../types.js';
import { checksum } from '../sqlite/checksum.js';
import type { LogIdentity } from './contract.js';

const kindNumbers = { noop: 0, command: 1, membership: 2 } as const satisfies Record<EntryKind, number>;
const kindsByNumber: readonly (EntryKind | undefined)[] = ['noop', 'command', 'membership'];

export interface EntryRow {
  readonly log_index: number;
  readonly term: number;
  readonly kind: number;
  readonly crc: number;
  readonly data: Uint8Array;
}

/** The row of `state`: figure 2's persistent state, and where the log begins. */
export interface StateRow {
  readonly term: number;
  readonly vote: string | null;
  readonly commit_index: number;
  readonly base_index: number;
  readonly base_term: number;
  readonly crc: number;
}

export interface IdentityRow {
  readonly cluster_id: string;
  readonly member_id: string;
  readonly incarnation: string;
  readonly crc: number;
}

export interface PeerRow {
  readonly member_id: string;
  readonly incarnation: string;
  readonly crc: number;
}

/** The last dropped entry, after which the log begins. */
export interface Base {
  readonly index: LogIndex;
  readonly term: Term;
}

export function entryRow(entry: Entry): EntryRow {
  const kind = kindNumbers[entry.kind];
  return {
    log_index: entry.index,
    term: entry.term,
    kind,
    crc: entryCrc(entry.index, { term: entry.term, kind }, entry.data),
    data: entry.data,
  };
}

/** Null for a corrupt row. */
export function entryFromRow(row: EntryRow): Entry | null {
  const kind = kindsByNumber[row.kind];
  if (kind === undefined || !(row.data instanceof Uint8Array)) return null;
  if (row.crc !== entryCrc(row.log_index, { term: row.term, kind: row.kind }, row.data)) return null;
  return { index: row.log_index as LogIndex, term: row.term as Term, kind, data: row.data };
}

export function stateRow(state: HardState, base: Base): StateRow {
  const row = { term: state.term, vote: state.vote, commit_index: state.commit, base_index: base.index, base_term: base.term };
  return { ...row, crc: stateCrc(row) };
}

/** Null for a corrupt row. */
export function stateFromRow(row: StateRow): { readonly state: HardState; readonly base: Base } | null {
  if (row.crc !== stateCrc(row)) return null;
  return {
    state: { term: row.term as Term, vote: row.vote === null ? null : memberId(row.vote), commit: row.commit_index as LogIndex },
    base: { index: row.base_index as LogIndex, term: row.base_term as Term },
  };
}

export function identityRow({ clusterId, memberId, incarnation }: LogIdentity): IdentityRow {
  return { cluster_id: clusterId, member_id: memberId, incarnation, crc: checksum(`${clusterId}/${memberId}/${incarnation}`) };
}

/** Null for a corrupt row. */
export function identityFromRow(row: IdentityRow): LogIdentity | null {
  const identity = { clusterId: row.cluster_id, memberId: row.member_id as MemberId, incarnation: row.incarnation };
  return row.crc === identityRow(identity).crc ? identity : null;
}

export function peerRow(id: string, incarnation: string): PeerRow {
  return { member_id: id, incarnation, crc: checksum(`${id}/${incarnation}`) };
}

/** A moved row does not verify. */
function entryCrc(index: number, { term, kind }: { readonly term: number; readonly kind: number }, data: Uint8Array): number {
  return checksum(`${index}/${term}/${kind}`, data);
}

function stateCrc(row: Omit<StateRow, 'crc'>): number {
  return checksum(`${row.term}/${row.vote ?? ''}/${row.commit_index}/${row.base_index}/${row.base_term}`);
}
