import assert from 'node:assert';
import { memberId } from '../types.js';
import type { LogIndex, MemberId, Membership, Revision, Term } from '../types.js';
import { checksum } from '../sqlite/checksum.js';

/**
 * A change's id is its revision and its position in the transaction, so that ids order all changes chronologically:
 *
 *     id = revision * 1024 + place        revision = id / 1024, rounded down
 *
 * Ids are exact while revisions stay below 2^43: at 10,000 changes a second, 27 years.
 */
const placesPerRevision = 1024;

export const revisionMax = Math.floor(Number.MAX_SAFE_INTEGER / placesPerRevision) - 1;

export const changeId = (revision: number, place: number): number => revision * placesPerRevision + place;
export const idAfter = (revision: number): number => (revision + 1) * placesPerRevision;
export const revisionOf = (id: number): Revision => Math.floor(id / placesPerRevision) as Revision;

/** `version` 0: this change deleted the key. */
export interface KeyHead {
  readonly id: number;
  readonly create_revision: number;
  readonly version: number;
}

export interface ChangeRow extends KeyHead {
  readonly key: string;
  readonly value: Uint8Array | null;
  readonly crc: number;
}

export interface StateRow {
  readonly applied_index: number;
  readonly applied_term: number;
  readonly revision: number;
  readonly compacted_revision: number;
  readonly swept_id: number;
  readonly membership: string;
  readonly crc: number;
}

export interface StoreState {
  readonly appliedIndex: LogIndex;
  readonly appliedTerm: Term;
  readonly revision: Revision;
  readonly compactedRevision: Revision;
  readonly sweptId: number;
  readonly membership: Membership;
}

export function changeCrc(row: Omit<ChangeRow, 'crc'>): number {
  return checksum(`${row.id}/${row.create_revision}/${row.version}/${row.key}`, row.value);
}

export function stateRow(state: StoreState): StateRow {
  const row = {
    applied_index: state.appliedIndex,
    applied_term: state.appliedTerm,
    revision: state.revision,
    compacted_revision: state.compactedRevision,
    swept_id: state.sweptId,
    membership: membershipText(state.membership),
  };
  return { ...row, crc: stateCrc(row) };
}

/** Null for a corrupt row. */
export function stateFromRow(row: StateRow): StoreState | null {
  if (row.crc !== stateCrc(row)) return null;
  return {
    appliedIndex: row.applied_index as LogIndex,
    appliedTerm: row.applied_term as Term,
    revision: row.revision as Revision,
    compactedRevision: row.compacted_revision as Revision,
    sweptId: row.swept_id,
    membership: membershipFromText(row.membership),
  };
}

/** Equal memberships give equal texts. */
export function membershipText({ members, removed }: Membership): string {
  for (const { id, address } of members) assert(!/\s/.test(address), `the address of ${id} contains white space`);
  return [...members.map(({ id, role, address }) => `${id} ${role} ${address}`), ...removed].join('\n');
}

function membershipFromText(text: string): Membership {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
  const removed: MemberId[] = [];
  const members: Membership['members'][number][] = [];
  for (const [id = '', role, address = ''] of lines) {
    if (role === undefined) removed.push(memberId(id));
    else members.push({ id: memberId(id), role: role === 'voter' ? 'voter' : 'learner', address });
  }
  return { members, removed };
}

function stateCrc(row: Omit<StateRow, 'crc'>): number {
  return checksum(`${row.applied_index}/${row.applied_term}/${row.revision}/${row.compacted_revision}/${row.swept_id}/${row.membership}`);
}
