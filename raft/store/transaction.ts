import type { Revision } from '../types.js';
import type { Change, Operation, Transaction } from './contract.js';
import { changeId, revisionOf } from './rows.js';
import type { ChangeRow, KeyHead } from './rows.js';

export type NewChange = Omit<ChangeRow, 'crc'>;

/** Includes deletions; undefined if the key never existed or is forgotten. */
export type HeadOf = (key: string) => KeyHead | undefined;

export type Decision = { readonly outcome: 'conflict' } | { readonly outcome: 'applied'; readonly changes: readonly NewChange[] };

/** Depends only on its keys' newest changes. Deleting an absent key changes nothing. */
export function decide({ comparisons, operations }: Transaction, revision: Revision, lookUp: HeadOf): Decision {
  const headOf = lastRemembered(lookUp);
  if (!comparisons.every(({ key, modRevision }) => modRevisionOf(headOf(key)) === modRevision)) return { outcome: 'conflict' };
  const changes: NewChange[] = [];
  for (const operation of operations) {
    const change = changeOf(operation, headOf(operation.key), { revision, place: changes.length });
    if (change !== null) changes.push(change);
  }
  return { outcome: 'applied', changes };
}

/** Most transactions compare the one key that they change. */
function lastRemembered(lookUp: HeadOf): HeadOf {
  let known: { readonly key: string; readonly head: KeyHead | undefined } | null = null;
  return (key) => (known?.key === key ? known : (known = { key, head: lookUp(key) })).head;
}

export function toChange({ id, key, value, create_revision }: NewChange): Change {
  return { revision: revisionOf(id), key, value, createRevision: create_revision as Revision };
}

function modRevisionOf(head: KeyHead | undefined): number {
  return isLive(head) ? revisionOf(head.id) : 0;
}

function changeOf(
  operation: Operation,
  head: KeyHead | undefined,
  { revision, place }: { readonly revision: Revision; readonly place: number },
): NewChange | null {
  const { key } = operation;
  const id = changeId(revision, place);
  if (operation.type === 'delete') return isLive(head) ? { id, key, value: null, create_revision: head.create_revision, version: 0 } : null;
  const life = isLive(head)
    ? { create_revision: head.create_revision, version: head.version + 1 }
    : { create_revision: revision, version: 1 };
  return { id, key, value: operation.value, ...life };
}

function isLive(head: KeyHead | undefined): head is KeyHead {
  return head !== undefined && head.version > 0;
}
