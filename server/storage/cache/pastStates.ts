import type { Version } from '../contract.js';
import type { History } from './history.js';
import { ObjectTree, type TreeView } from './tree.js';

/** The reference's `ListFromCacheSnapshot` keeps them 75 s. */
export interface PastBounds {
  readonly statesMax: number;
  readonly ageMaxMs: number;
}

/** `place` counts included changes as history does. */
export interface PastState {
  readonly version: Version;
  readonly place: number;
  readonly view: TreeView;
}
interface Kept extends PastState {
  readonly at: number;
}

/** The store answers instead of undoing more changes. */
const undoMax = 5_000;

/** Derives a missing state from the next later one by undoing changes. Most versions do not change a given resource. */
export class PastStates {
  readonly #tree: ObjectTree;
  readonly #history: History;
  readonly #bounds: PastBounds;

  /** Sorted by version. */
  #kept: Kept[] = [];

  constructor(tree: ObjectTree, history: History, bounds: PastBounds) {
    this.#tree = tree;
    this.#history = history;
    this.#bounds = bounds;
  }

  /** Null if not kept, and history is too short. */
  at(version: Version, now: number): TreeView | null {
    const kept = this.#kept.find((state) => state.version === version);
    if (kept !== undefined) return kept.view;
    if (version < this.#history.floor) return null;
    const place = this.#history.placeAfter(version);
    const later = this.#kept.find((state) => state.place >= place) ?? { place: this.#history.end, view: this.#tree.view() };
    if (later.place - place > undoMax) return null;
    const view = later.place === place ? later.view : this.#undo(later.view, later.place, place);
    this.keep({ version, place, view }, now);
    return view;
  }

  /** The caller may keep it. */
  present(version: Version): PastState {
    return { version, place: this.#history.end, view: this.#tree.view() };
  }

  keep(state: PastState, now: number): void {
    const others = this.#kept.filter(({ version }) => version !== state.version);
    while (others.length >= this.#bounds.statesMax) others.splice(indexOfOldest(others), 1);
    this.#kept = [...others, { ...state, at: now }].sort((a, b) => a.version - b.version);
  }

  trim(now: number): void {
    if (this.#kept.length > 0) this.#kept = this.#kept.filter(({ at }) => now - at <= this.#bounds.ageMaxMs);
  }

  forgetBefore(oldest: Version): void {
    this.#kept = this.#kept.filter(({ version }) => version >= oldest);
  }

  restart(): void {
    this.#kept = [];
  }

  #undo(later: TreeView, from: number, to: number): TreeView {
    const tree = new ObjectTree(later);
    for (let place = from - 1; place >= to; place--) {
      const { previous, subject } = this.#history.at(place);
      if (previous === null) tree.delete(subject);
      else tree.set(previous);
    }
    return tree.view();
  }
}

const indexOfOldest = (states: readonly Kept[]): number =>
  states.reduce((oldest, { at }, index) => (at < (states[oldest]?.at ?? Infinity) ? index : oldest), 0);
