import type { Failure, StoredObject, Version, WatchRequest } from '../contract.js';
import { fieldValue, nameSelected, valueSelected } from '../matching.js';
import { DamagedItem, type StoredItem } from '../storedObject.js';
import { expired } from '../watchEnds.js';
import { ChangeEvents, type ObjectChange } from './change.js';

export interface LiveWatcher {
  readonly request: WatchRequest;
  readonly version: Version;
  deliver(events: ChangeEvents): void;
  end(reason: Failure): void;
}

/**
 * Finds the watchers that a change may concern without visiting the others. Every watcher is indexed by its most selective requirement:
 *
 *     scope (one namespace, or all) ─┬─ field and value     metadata.name=…, spec.nodeName=…
 *                                    ├─ label and values    app=…, app in (…, …)
 *                                    ├─ label of any value  app, app>3
 *                                    └─ the rest            everything, app!=…
 *
 * A change visits the entries of its states before and after, however many watchers there are. The rest contains watchers that select nearly everything.
 */
export class WatchIndex {
  readonly #everywhere = new Scope();
  readonly #namespaces = new Map<string, Scope>();
  #count = 0;

  get size(): number {
    return this.#count;
  }

  add(watcher: LiveWatcher): void {
    const namespace = namespaceOf(watcher);
    let scope = namespace === null ? this.#everywhere : this.#namespaces.get(namespace);
    if (scope === undefined) this.#namespaces.set(namespace ?? '', (scope = new Scope()));
    scope.add(watcher);
    this.#count++;
  }

  delete(watcher: LiveWatcher): void {
    const namespace = namespaceOf(watcher);
    const scope = namespace === null ? this.#everywhere : this.#namespaces.get(namespace);
    if (scope === undefined || !scope.delete(watcher)) return;
    this.#count--;
    if (namespace !== null && scope.size === 0) this.#namespaces.delete(namespace);
  }

  deliver(change: ObjectChange): void {
    if (this.#count === 0) return;
    const events = new ChangeEvents(change);
    this.#everywhere.deliver(events);
    this.#namespaces.get(change.subject.namespace)?.deliver(events);
  }

  all(): LiveWatcher[] {
    return [...this.#everywhere.all(), ...[...this.#namespaces.values()].flatMap((scope) => scope.all())];
  }

  endBefore(oldest: Version): void {
    for (const watcher of this.all()) if (watcher.version < oldest) watcher.end(expired('Reloaded', oldest));
  }
}

const namespaceOf = ({ request }: LiveWatcher): string | null => request.namespace ?? valueSelected(request.fields, 'metadata.namespace');

class Scope {
  size = 0;
  readonly #rest = new Set<LiveWatcher>();
  readonly #demanded = { field: new Map<string, Aspect>(), label: new Map<string, Aspect>() };

  add(watcher: LiveWatcher): void {
    this.size++;
    const demand = demandOf(watcher);
    if (demand === null) {
      this.#rest.add(watcher);
      return;
    }
    const aspects = this.#demanded[demand.of];
    let aspect = aspects.get(demand.name);
    if (aspect === undefined) aspects.set(demand.name, (aspect = new Aspect()));
    aspect.add(demand.values, watcher);
  }

  delete(watcher: LiveWatcher): boolean {
    const demand = demandOf(watcher);
    const aspect = demand === null ? undefined : this.#demanded[demand.of].get(demand.name);
    const found = demand === null ? this.#rest.delete(watcher) : (aspect?.delete(demand.values, watcher) ?? false);
    if (found) this.size--;
    if (demand !== null && aspect?.empty === true) this.#demanded[demand.of].delete(demand.name);
    return found;
  }

  deliver(events: ChangeEvents): void {
    if (events.change.next instanceof DamagedItem) {
      for (const watcher of this.all()) watcher.deliver(events);
      return;
    }
    const before = readable(events.change.previous);
    const after = readable(events.change.next);
    for (const watcher of this.#rest) watcher.deliver(events);
    for (const [field, aspect] of this.#demanded.field)
      aspect.deliver(events, before && fieldValue(before, field), after && fieldValue(after, field));
    if (this.#demanded.label.size > 0) this.#deliverByLabel(events, before?.labels ?? {}, after?.labels ?? {});
  }

  all(): LiveWatcher[] {
    const aspects = Object.values(this.#demanded).flatMap((each) => [...each.values()]);
    return [...this.#rest, ...new Set(aspects.flatMap((aspect) => aspect.all()))];
  }

  #deliverByLabel(events: ChangeEvents, before: Labels, after: Labels): void {
    for (const label in before) this.#demanded.label.get(label)?.deliver(events, before[label] ?? null, valueOf(after, label));
    for (const label in after)
      if (!Object.hasOwn(before, label)) this.#demanded.label.get(label)?.deliver(events, null, after[label] ?? null);
  }
}

type Labels = StoredObject['labels'];

const valueOf = (labels: Labels, label: string): string | null => (Object.hasOwn(labels, label) ? (labels[label] ?? null) : null);

const readable = (object: StoredItem | null): StoredItem | null => (object instanceof DamagedItem ? null : object);

/** A set for one watcher would take more memory than the watcher. */
type Bucket = LiveWatcher | Set<LiveWatcher>;

const membersOf = (bucket: Bucket): Iterable<LiveWatcher> => (bucket instanceof Set ? bucket : [bucket]);
const contains = (bucket: Bucket, watcher: LiveWatcher): boolean => (bucket instanceof Set ? bucket.has(watcher) : bucket === watcher);

class Aspect {
  readonly #byValue = new Map<string, Bucket>();
  readonly #ofAnyValue = new Set<LiveWatcher>();

  get empty(): boolean {
    return this.#byValue.size === 0 && this.#ofAnyValue.size === 0;
  }

  add(values: readonly string[] | 'any', watcher: LiveWatcher): void {
    if (values === 'any') this.#ofAnyValue.add(watcher);
    else for (const value of values) this.#addTo(value, watcher);
  }

  delete(values: readonly string[] | 'any', watcher: LiveWatcher): boolean {
    if (values === 'any') return this.#ofAnyValue.delete(watcher);
    let found = false;
    for (const value of values) {
      const bucket = this.#byValue.get(value);
      if (bucket === undefined || !contains(bucket, watcher)) continue;
      found = true;
      if (bucket instanceof Set) bucket.delete(watcher);
      if (!(bucket instanceof Set) || bucket.size === 0) this.#byValue.delete(value);
    }
    return found;
  }

  /** A watcher of both values is notified once. */
  deliver(events: ChangeEvents, before: string | null, after: string | null): void {
    const old = before === null ? undefined : this.#byValue.get(before);
    if (old !== undefined) for (const watcher of membersOf(old)) watcher.deliver(events);
    // A watcher that left the index at this event must not reappear.
    const now = after === null || after === before ? undefined : this.#byValue.get(after);
    if (now !== undefined) for (const watcher of membersOf(now)) if (old === undefined || !contains(old, watcher)) watcher.deliver(events);
    if (before !== null || after !== null) for (const watcher of this.#ofAnyValue) watcher.deliver(events);
  }

  all(): LiveWatcher[] {
    return [...this.#ofAnyValue, ...[...this.#byValue.values()].flatMap((bucket) => [...membersOf(bucket)])];
  }

  #addTo(value: string, watcher: LiveWatcher): void {
    const bucket = this.#byValue.get(value);
    if (bucket === undefined) this.#byValue.set(value, watcher);
    else if (bucket instanceof Set) bucket.add(watcher);
    else if (bucket !== watcher) this.#byValue.set(value, new Set([bucket, watcher]));
  }
}

interface Demand {
  readonly of: 'field' | 'label';
  readonly name: string;
  readonly values: readonly string[] | 'any';
}

/** Names are unique; other fields usually select less than labels. */
function demandOf({ request: { fields, labels } }: LiveWatcher): Demand | null {
  const name = nameSelected(fields);
  if (name !== null) return { of: 'field', name: 'metadata.name', values: [name] };
  const field = fields.find((requirement) => requirement.equals && requirement.field !== 'metadata.namespace');
  if (field !== undefined) return { of: 'field', name: field.field, values: [field.value] };
  const [one] = labels.filter(({ operator }) => operator === 'in').sort((a, b) => a.values.length - b.values.length);
  if (one !== undefined) return { of: 'label', name: one.key, values: one.values };
  const some = labels.find(({ operator }) => operator === 'exists' || operator === 'gt' || operator === 'lt');
  return some === undefined ? null : { of: 'label', name: some.key, values: 'any' };
}
