import type { LogIndex } from '../types.js';

interface Barrier {
  readonly id: number;
  readonly sinceMs: number;
  readonly deadlineMs: number;
}

/**
 * Pending read barriers. A group shares one read of the core, is confirmed with an index, and reached once that is applied.
 *
 *   add -> waiting -> group (core.read) -> confirmed at an index -> reached
 *            ^            |  failed: leadership was lost, ask again
 *            +------------+
 */
export class Barriers {
  readonly #countMax: number;
  #count = 0;
  #waiting: Barrier[] = [];
  readonly #groups = new Map<number, Barrier[]>();
  #confirmed: { readonly index: LogIndex; readonly barriers: readonly Barrier[] }[] = [];
  #nextGroup = 1;
  #delayed = false;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get size(): number {
    return this.#count;
  }

  add(id: number, nowMs: number, timeoutMs: number): boolean {
    if (this.#count >= this.#countMax) return false;
    this.#count += 1;
    this.#waiting.push({ id, sinceMs: nowMs, deadlineMs: nowMs + timeoutMs });
    return true;
  }

  begin(): number | null {
    if (this.#waiting.length === 0 || this.#delayed) return null;
    const group = this.#nextGroup;
    this.#nextGroup += 1;
    this.#groups.set(group, this.#waiting);
    this.#waiting = [];
    return group;
  }

  confirmed(group: number, index: LogIndex): void {
    const barriers = this.#groups.get(group);
    if (barriers === undefined) return;
    this.#groups.delete(group);
    this.#confirmed.push({ index, barriers });
  }

  failed(group: number): void {
    this.#waiting.push(...(this.#groups.get(group) ?? []));
    this.#groups.delete(group);
    this.#delayed = true;
  }

  tick(): void {
    this.#delayed = false;
  }

  reached(applied: LogIndex): number[] {
    if (this.#confirmed.length === 0) return [];
    const ids = this.#confirmed.filter(({ index }) => index <= applied).flatMap(({ barriers }) => barriers.map(({ id }) => id));
    if (ids.length > 0) this.#confirmed = this.#confirmed.filter(({ index }) => index > applied);
    this.#count -= ids.length;
    return ids;
  }

  expire(nowMs: number, sinceMs = Number.NEGATIVE_INFINITY): number[] {
    if (this.#count === 0) return [];
    const late: number[] = [];
    const keep = ({ id, sinceMs: since, deadlineMs }: Barrier): boolean => {
      if (deadlineMs > nowMs && since > sinceMs) return true;
      late.push(id);
      return false;
    };
    this.#waiting = this.#waiting.filter(keep);
    for (const [group, barriers] of this.#groups) this.#groups.set(group, barriers.filter(keep));
    this.#confirmed = this.#confirmed.map(({ index, barriers }) => ({ index, barriers: barriers.filter(keep) }));
    this.#count -= late.length;
    return late;
  }
}
