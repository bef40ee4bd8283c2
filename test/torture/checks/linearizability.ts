import { limited, type Finding } from './finding.js';
import type { KeyOperation } from './history.js';
import { emptyRegister, fingerprintOf, step, type Register } from './register.js';

/**
 * Finds whether one order of all operations respects their times and explains every answer, by the search of Wing and Gong with Lowe's memory. It treats each
 * key separately (locality: Herlihy and Wing).
 *
 * Two things shorten it. An operation that fits and changes nothing is taken at once. Operations of unknown outcome are kept apart: they may happen at any
 * time after their start, or never.
 */

/** States that the search visits for one key before it gives up. */
const visitsMax = 200_000;

export interface LinearizabilityReport {
  readonly findings: readonly Finding[];
  readonly undecided: readonly string[];
}

export function checkLinearizability(operations: readonly KeyOperation[], limit = visitsMax): LinearizabilityReport {
  const findings: Finding[] = [];
  const undecided: string[] = [];
  for (const [key, ofKey] of byKey(operations)) {
    const outcome = new Search(ofKey, limit).run();
    if (outcome === 'undecided') undecided.push(key);
    else if (outcome !== null)
      findings.push({
        promise: 'linearizability',
        details: `${key}: no order explains ${describe(outcome.operation)} where the longest order led to ${fingerprintOf(outcome.register)}`,
      });
  }
  return { findings: limited(findings), undecided };
}

function byKey(operations: readonly KeyOperation[]): ReadonlyMap<string, KeyOperation[]> {
  const keys = new Map<string, KeyOperation[]>();
  for (const operation of operations) {
    const list = keys.get(operation.key);
    if (list) list.push(operation);
    else keys.set(operation.key, [operation]);
  }
  return keys;
}

const describe = (operation: KeyOperation): string => JSON.stringify(operation);

interface Node {
  readonly register: Register;
  /** All answered operations below this index are in the order. */
  readonly first: number;
  /** Indices from `first` on that are in the order too, ascending. */
  readonly ahead: readonly number[];
  /** Unanswered operations in the order; ascending. */
  readonly unanswered: readonly number[];
}

class Search {
  readonly #limit: number;
  readonly #answered: readonly KeyOperation[];
  readonly #unanswered: readonly KeyOperation[];
  readonly #versionsSeen = new Map<string, number>();
  readonly #visited = new Set<string>();
  /** The furthest point of the search: the operation there is the one to report. */
  #furthest = { index: 0, register: emptyRegister };

  constructor(operations: readonly KeyOperation[], limit: number) {
    this.#limit = limit;
    const sorted = [...operations].sort((a, b) => a.startMs - b.startMs);
    this.#answered = sorted.filter(({ result }) => result !== 'unknown');
    this.#unanswered = sorted.filter(({ result }) => result === 'unknown');
    for (const operation of sorted) if (operation.result === 'found') this.#versionsSeen.set(operation.value, operation.version);
  }

  /** Null if an order exists, else the first operation that no tried order passed, and the state before it. */
  run(): { readonly operation: KeyOperation; readonly register: Register } | 'undecided' | null {
    const stack: Node[] = [{ register: emptyRegister, first: 0, ahead: [], unanswered: [] }];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const settled = this.#takeReads(node);
      if (settled.first >= this.#answered.length) return null;
      if (settled.first >= this.#furthest.index) this.#furthest = { index: settled.first, register: settled.register };
      if (this.#seen(settled)) continue;
      if (this.#visited.size > this.#limit) return 'undecided';
      stack.push(...this.#next(settled));
    }
    const { index, register } = this.#furthest;
    return { operation: this.#answered[index]!, register };
  }

  #seen({ register, first, ahead, unanswered }: Node): boolean {
    const key = `${first}|${ahead.join()}|${unanswered.join()}|${fingerprintOf(register)}`;
    if (this.#visited.has(key)) return true;
    this.#visited.add(key);
    return false;
  }

  /** Takes every permitted operation that fits and changes nothing. */
  #takeReads(node: Node): Node {
    let now = node;
    for (let taken = true; taken;) {
      taken = false;
      for (const index of this.#open(now)) {
        if (step(now.register, this.#answered[index]!, this.#versionsSeen) !== now.register) continue;
        now = this.#take(now, index, now.register);
        taken = true;
      }
    }
    return now;
  }

  /** Answered operations that may come next: no remaining operation ended before they began. */
  #open({ first, ahead }: Node): number[] {
    const open: number[] = [];
    let endMs = Infinity;
    for (let index = first; index < this.#answered.length; index++) {
      const operation = this.#answered[index]!;
      if (operation.startMs > endMs) break;
      if (ahead.includes(index)) continue;
      endMs = Math.min(endMs, operation.endMs);
      open.push(index);
    }
    return open.filter((index) => this.#answered[index]!.startMs <= endMs);
  }

  #take(node: Node, index: number, register: Register): Node {
    const ahead = [...node.ahead, index].sort((a, b) => a - b);
    let { first } = node;
    while (ahead[0] === first) {
      ahead.shift();
      first++;
    }
    return { ...node, register, first, ahead };
  }

  /** The result is a stack: answered operations are tried before unanswered ones. */
  #next(node: Node): Node[] {
    const open = this.#open(node);
    const endMs = Math.min(...open.map((index) => this.#answered[index]!.endMs));
    const nodes: Node[] = [];
    for (const [index, operation] of this.#unanswered.entries()) {
      if (operation.startMs > endMs || node.unanswered.includes(index)) continue;
      const register = step(node.register, operation, this.#versionsSeen);
      if (register !== null) nodes.push({ ...node, register, unanswered: [...node.unanswered, index].sort((a, b) => a - b) });
    }
    for (const index of open.reverse()) {
      const register = step(node.register, this.#answered[index]!, this.#versionsSeen);
      if (register !== null) nodes.push(this.#take(node, index, register));
    }
    return nodes;
  }
}
