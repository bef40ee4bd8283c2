import type { Revision } from '../types.js';
import type { Change, ChangesResult, KeyValue, RangeOptions, RangeResult } from './contract.js';
import { checkedRow, noEnd } from './file.js';
import type { Query, StoreStatements } from './file.js';
import { idAfter, revisionOf } from './rows.js';
import type { ChangeRow, StoreState } from './rows.js';

/** Each value is verified against its checksum; a mismatch throws DamagedStoreError. */
export class StoreReader {
  readonly #path: string;
  readonly #sql: StoreStatements;

  constructor(path: string, sql: StoreStatements) {
    this.#path = path;
    this.#sql = sql;
  }

  get(state: StoreState, key: string, at: Revision | null): RangeResult {
    const revision = at ?? state.revision;
    const refusal = refuse(state, revision);
    if (refusal !== null) return refusal;
    const item = this.keyValue(key, revision);
    return { outcome: 'found', revision, items: item === null ? [] : [item], remaining: 0 };
  }

  keyValue(key: string, revision: Revision): KeyValue | null {
    const head = this.#sql.head.get(key, idAfter(revision));
    if (head === undefined || head.version === 0) return null;
    return keyValue(checkedRow(this.#path, key, this.#sql.change.get(head.id)));
  }

  range(state: StoreState, { start, end, revision: at, limit, bytesMax, countRemaining = true }: RangeOptions): RangeResult {
    const revision = at ?? state.revision;
    const refusal = refuse(state, revision);
    if (refusal !== null) return refusal;
    const bounds = { start, end: end ?? noEnd, below: idAfter(revision) };
    const items = this.#items({ ...bounds, limit: limit ?? -1 }, bytesMax ?? Infinity);
    const last = items.at(-1);
    const cut = items.length === limit || bytesMax !== undefined;
    const rest = { ...bounds, start: last === undefined ? start : `${last.key}\0`, limit: countRemaining ? -1 : 1 };
    const remaining = cut ? (this.#sql.countLive.get(rest)?.keys ?? 0) : 0;
    return { outcome: 'found', revision, items, remaining };
  }

  changesSince(state: StoreState, after: Revision, bytesMax: number): ChangesResult {
    if (after < state.compactedRevision) return { outcome: 'compacted', compacted: state.compactedRevision };
    const changes: Change[] = [];
    let bytes = 0;
    for (const row of this.#sql.changesFrom.iterate(idAfter(after))) {
      const change = this.#change(row);
      const through = changes.at(-1)?.revision;
      if (bytes >= bytesMax && through !== undefined && change.revision > through) return { outcome: 'found', changes, through };
      changes.push(change);
      bytes += change.value?.length ?? 0;
    }
    return { outcome: 'found', changes, through: state.revision };
  }

  #items(query: Query, bytesMax: number): KeyValue[] {
    const items: KeyValue[] = [];
    let bytes = 0;
    for (const { found, ...row } of this.#sql.live.iterate(query)) {
      const item = keyValue(checkedRow(this.#path, found, row));
      bytes += item.value.length;
      if (bytes > bytesMax && items.length > 0) break;
      items.push(item);
    }
    return items;
  }

  #change(row: ChangeRow): Change {
    const { id, key, value, create_revision } = checkedRow(this.#path, row.key, row);
    return { revision: revisionOf(id), key, value, createRevision: create_revision as Revision };
  }
}

function refuse(state: StoreState, revision: Revision): RangeResult | null {
  if (revision < state.compactedRevision) return { outcome: 'compacted', compacted: state.compactedRevision };
  if (revision > state.revision) return { outcome: 'future', revision: state.revision };
  return null;
}

function keyValue({ id, key, value, create_revision, version }: ChangeRow): KeyValue {
  return { key, value: value ?? noEnd, createRevision: create_revision as Revision, modRevision: revisionOf(id), version };
}
