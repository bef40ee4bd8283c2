import type { ListRequest, ListResult, StoredObject, Version } from '../contract.js';
import { selects, selectsAll } from '../matching.js';
import { DamagedItem } from '../storedobject.js';
import type { Slices } from './slices.js';
import type { TreeView } from './tree.js';

/** Objects that are matched without giving way to anything else. */
const stepSize = 256;

/**
 * Answers a list from one state. What needs no matching is copied at once (pointers only); matching is done in slices.
 * Rejects with DamagedValueError if an object in the answer cannot be read.
 */
export async function listIn(view: TreeView, version: Version, request: ListRequest, slices: Slices): Promise<ListResult> {
  const scan = new Scan(view, request);
  if (scan.step(scan.matching ? stepSize : Infinity)) await slices.run(() => scan.step(stepSize));
  return { outcome: 'found', version, items: scan.items, more: scan.more, remaining: scan.matching ? null : scan.remaining };
}

class Scan {
  readonly items: StoredObject[] = [];
  readonly matching: boolean;
  private position: number;
  private readonly end: number;

  constructor(private readonly view: TreeView, private readonly request: ListRequest) {
    const { start, end } = view.range(request);
    const { after } = request;
    // The first name after `after` is `after` with a NUL byte behind it.
    this.position = after === null ? start : Math.max(start, view.rank(after.namespace, `${after.name}\0`));
    this.end = end;
    this.matching = !selectsAll(request);
  }

  get remaining(): number {
    return Math.max(0, this.end - this.position);
  }

  get more(): boolean {
    return this.full && this.remaining > 0;
  }

  /** Looks at up to `count` objects; whether there are more to look at. */
  step(count: number): boolean {
    const stop = Math.min(this.end, this.position + count);
    while (this.position < stop && !this.full) this.takeChunk(stop);
    return this.position < this.end && !this.full;
  }

  private get full(): boolean {
    return this.request.limit !== null && this.items.length >= this.request.limit;
  }

  private takeChunk(stop: number): void {
    for (const object of this.view.slice(this.position, stop)) {
      if (this.full) return;
      this.position++;
      if (object instanceof DamagedItem) throw object.damage;
      if (!this.matching || selects(this.request, object)) this.items.push(object);
    }
  }
}
