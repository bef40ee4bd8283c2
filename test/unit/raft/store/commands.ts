import { encodeProposal } from '../../../../raft/store/command.js';
import type { Change, Command, KeyValue, Operation, RangeResult, StateMachine } from '../../../../raft/store/contract.js';
import { openStore } from '../../../../raft/store/store.js';
import type { Store } from '../../../../raft/store/store.js';
import { logIndex, memberId, revision, term } from '../../../../raft/types.js';
import type { Entry, Membership } from '../../../../raft/types.js';

export const member = (id: string) => ({ id: memberId(id), role: 'voter' as const, address: `${id}.example:7000` });
export const initialMembership: Membership = { members: [member('a'), member('b')], removed: [memberId('z')] };

/** In these tests a membership entry's data is a list of ids. */
const decodeMembership = (data: Uint8Array): Membership => ({
  members: Buffer.from(data).toString().split(',').map(member),
  removed: [],
});

export const open = (path: string): Store => openStore(path, { decodeMembership, initialMembership });

export const put = (key: string, value: string | Uint8Array): Operation => ({
  type: 'put',
  key,
  value: typeof value === 'string' ? Buffer.from(value) : value,
});
export const remove = (key: string): Operation => ({ type: 'delete', key });

export function transaction(operations: readonly Operation[], expected: Readonly<Record<string, number>> = {}): Command {
  return {
    type: 'transaction',
    transaction: { comparisons: Object.entries(expected).map(([key, at]) => ({ key, modRevision: revision(at) })), operations },
  };
}

export const compact = (at: number): Command => ({ type: 'compact', revision: revision(at) });

export function entryOf(index: number, command: Command): Entry {
  return { index: logIndex(index), term: term(1), kind: 'command', data: encodeProposal('session', index, command) };
}

/** Applies the commands as the next entries in one batch. */
export function apply(store: StateMachine, ...commands: readonly Command[]) {
  return store.apply(commands.map((command, place) => entryOf(store.appliedIndex + 1 + place, command)));
}

const said = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString());

/** `key=value create/mod/version`. */
export const tell = ({ key, value, createRevision, modRevision, version }: KeyValue): string =>
  `${key}=${said(value)} ${createRevision}/${modRevision}/${version}`;
export const tellChange = ({ revision: at, key, value, createRevision }: Change): string => `${at} ${key}=${said(value)} ${createRevision}`;
export const tellRange = (result: RangeResult) => (result.outcome === 'found' ? { ...result, items: result.items.map(tell) } : result);

/** All live keys, now or at a revision. */
export function everything(store: StateMachine, at: number | null = null) {
  return tellRange(store.range({ start: '', end: null, revision: at === null ? null : revision(at), limit: null }));
}
