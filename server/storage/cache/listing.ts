import type { ListRequest, ListResult, StoredObject, Version } from '../contract.js';
import type { CacheCounts } from './counts.js';
import { selects, selectsAll } from '../matching.js';
import { DamagedListError, damagedListedMax, type DamagedValueError } from '../encoding.js';
import { DamagedItem } from '../storedObject.js';
import type { Slices } from './slices.js';
import type { TreeView } from './tree.js';

/** Objects matched without yielding. */
const stepSize = 256;

/** Answers remembered for one state. */
const answersMax = 8;
/** Longer answers would keep past states alive. */
const answerObjectsMax = 10_000;

/** Lists by first and last position: equal lists share one array. */
const answers = new WeakMap<TreeView, Map<string, readonly StoredObject[]>>();

/** Matching is done in slices. Rejects with DamagedListError. */
export async function listIn(
  view: TreeView,
  version: Version,
  request: ListRequest,
  { slices, counts }: { readonly slices: Slices; readonly counts: CacheCounts },
): Promise<ListResult> {
  const scan = new Scan(view, request);
  const known = scan.matching ? undefined : answers.get(view)?.get(scan.places);
  if (known !== undefined) {
    counts.listed(known.length, known.length);
    return { outcome: 'found', version, items: known, ...scan.after(known.length) };
  }
  const { places } = scan;
  if (scan.step(scan.matching ? stepSize : Infinity)) await slices.run(() => scan.step(stepSize));
  scan.assertReadable();
  counts.listed(scan.looked, scan.items.length);
  if (!scan.matching && scan.items.length <= answerObjectsMax) remember(view, places, scan.items);
  return { outcome: 'found', version, items: scan.items, ...scan.after(0) };
}

function remember(view: TreeView, places: string, items: readonly StoredObject[]): void {
  let known = answers.get(view);
  if (known === undefined || known.size >= answersMax) answers.set(view, (known = new Map<string, readonly StoredObject[]>()));
  known.set(places, items);
}

class Scan {
  readonly #view: TreeView;
  readonly #request: ListRequest;
  readonly items: StoredObject[] = [];
  readonly #damaged: DamagedValueError[] = [];
  readonly matching: boolean;
  #position: number;
  readonly #begin: number;
  readonly #end: number;

  constructor(view: TreeView, request: ListRequest) {
    this.#view = view;
    this.#request = request;
    const { start, end } = view.range(request);
    const { after } = request;
    this.#position = after === null ? start : Math.max(start, view.rank({ namespace: after.namespace, name: `${after.name}\0` }));
    this.#begin = this.#position;
    this.#end = end;
    this.matching = !selectsAll(request);
  }

  get looked(): number {
    return this.#position - this.#begin;
  }

  get places(): string {
    return `${this.#position}-${Math.min(this.#end, this.#position + (this.#request.limit ?? Infinity))}`;
  }

  after(known: number): { readonly more: boolean; readonly remaining: number | null } {
    const remaining = Math.max(0, this.#end - this.#position - known);
    return { more: (this.#full || this.#request.limit === known) && remaining > 0, remaining: this.matching ? null : remaining };
  }

  /** Returns whether more objects remain. */
  step(count: number): boolean {
    const stop = Math.min(this.#end, this.#position + count);
    while (this.#position < stop && !this.#full) this.#takeChunk(stop);
    return this.#position < this.#end && !this.#full;
  }

  /** Throws DamagedListError. */
  assertReadable(): void {
    if (this.#damaged.length > 0) throw new DamagedListError(this.#damaged);
  }

  get #full(): boolean {
    if (this.#damaged.length > damagedListedMax) return true;
    return this.#request.limit !== null && this.items.length >= this.#request.limit;
  }

  #takeChunk(stop: number): void {
    for (const object of this.#view.slice(this.#position, stop)) {
      if (this.#full) return;
      this.#position++;
      if (object instanceof DamagedItem) this.#damaged.push(object.damage);
      else if (!this.matching || selects(this.#request, object)) this.items.push(object);
    }
  }
}
