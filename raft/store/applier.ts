import assert from 'node:assert';
import { failPoint } from '../failPoints.js';
import type { Entry, Membership, Revision } from '../types.js';
import { decodeCommand } from './command.js';
import type { Change, CommandResult, Transaction } from './contract.js';
import type { StoreStatements } from './file.js';
import type { StoreReader } from './reader.js';
import { changeCrc, idAfter, revisionMax } from './rows.js';
import type { StoreState } from './rows.js';
import { decide, toChange } from './transaction.js';
import type { NewChange } from './transaction.js';

export interface ApplierParts {
  readonly sql: StoreStatements;
  readonly reader: StoreReader;
  readonly decodeMembership: (data: Uint8Array) => Membership;
}

/** `state` is valid after its commit. */
export class Applier {
  readonly results: (CommandResult | null)[] = [];
  readonly changes: Change[] = [];
  readonly #parts: ApplierParts;
  #state: StoreState;

  constructor(state: StoreState, parts: ApplierParts) {
    this.#state = state;
    this.#parts = parts;
  }

  get state(): StoreState {
    return this.#state;
  }

  apply(entry: Entry): void {
    assert(
      entry.index === this.#state.appliedIndex + 1,
      `entry ${entry.index} does not follow the applied one, ${this.#state.appliedIndex}`,
    );
    assert(entry.term >= this.#state.appliedTerm, `entry ${entry.index} has term ${entry.term}, after ${this.#state.appliedTerm}`);
    this.results.push(this.#carryOut[entry.kind](entry.data));
    this.#state = { ...this.#state, appliedIndex: entry.index, appliedTerm: entry.term };
  }

  readonly #carryOut: Record<Entry['kind'], (data: Uint8Array) => CommandResult | null> = {
    noop: () => null,
    membership: (data) => {
      failPoint?.('membership.committed');
      this.#state = { ...this.#state, membership: this.#parts.decodeMembership(data) };
      return null;
    },
    command: (data) => {
      const command = decodeCommand(data);
      return command.type === 'compact' ? this.#compact(command.revision) : this.#transact(command.transaction);
    },
  };

  #transact(transaction: Transaction): CommandResult {
    const revision = (this.#state.revision + 1) as Revision;
    const decision = decide(transaction, revision, (key) => this.#parts.sql.head.get(key, idAfter(revision)));
    if (decision.outcome === 'conflict') return this.#conflict(transaction);
    if (decision.changes.length > 0) this.#take(revision, decision.changes);
    return { outcome: 'applied', revision: this.#state.revision };
  }

  #take(revision: Revision, changes: readonly NewChange[]): void {
    assert(revision <= revisionMax, 'all revisions are used up');
    for (const change of changes) {
      this.#parts.sql.insertChange.run(change.id, change.create_revision, change.version, changeCrc(change), change.key, change.value);
      this.changes.push(toChange(change));
    }
    this.#state = { ...this.#state, revision };
  }

  #conflict({ comparisons }: Transaction): CommandResult {
    const { revision } = this.#state;
    return { outcome: 'conflict', revision, current: comparisons.map(({ key }) => this.#parts.reader.keyValue(key, revision)) };
  }

  /** Rows are deleted in slices (housekeeping.ts). */
  #compact(asked: Revision): CommandResult {
    const { revision, compactedRevision } = this.#state;
    if (asked <= compactedRevision) return { outcome: 'compacted', revision };
    this.#state = { ...this.#state, compactedRevision: Math.min(asked, revision) as Revision };
    failPoint?.('store.compaction.uncommitted');
    return { outcome: 'applied', revision };
  }
}
