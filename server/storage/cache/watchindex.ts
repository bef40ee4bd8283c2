import type { Failure, StoredObject, WatchRequest } from '../contract.js';
import { fieldValue, nameSelected, valueSelected } from '../matching.js';
import { DamagedItem, type StoredItem } from '../storedobject.js';
import { ChangeEvents, type ObjectChange } from './change.js';

/** A watcher that gets changes as they happen. */
export interface LiveWatcher {
  readonly request: WatchRequest;
  deliver(events: ChangeEvents): void;
  end(reason: Failure): void;
}

/**
 * Finds the watchers that a change can matter to, without asking the others. Every watcher is in one bucket, named by the rarest thing
 * that it demands:
 *
 *     scope (one namespace, or all) ─┬─ field and value    metadata.name=…, spec.nodeName=…
 *                                    ├─ label and value    app=…
 *                                    └─ the rest
 *
 * A change visits the buckets of its object's state before and after: a handful of look-ups, however many watchers there are.
 */
export class WatchIndex {
  private readonly everywhere = new Scope();
  private readonly namespaces = new Map<string, Scope>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(watcher: LiveWatcher): void {
    const namespace = namespaceOf(watcher);
    let scope = namespace === null ? this.everywhere : this.namespaces.get(namespace);
    if (scope === undefined) this.namespaces.set(namespace ?? '', scope = new Scope());
    scope.add(watcher);
    this.count++;
  }

  delete(watcher: LiveWatcher): void {
    const namespace = namespaceOf(watcher);
    const scope = namespace === null ? this.everywhere : this.namespaces.get(namespace);
    if (scope === undefined || !scope.delete(watcher)) return;
    this.count--;
    if (namespace !== null && scope.size === 0) this.namespaces.delete(namespace);
  }

  /** Shows a change to everyone that it may matter to. */
  deliver(change: ObjectChange): void {
    if (this.count === 0) return;
    const events = new ChangeEvents(change);
    this.everywhere.deliver(events);
    this.namespaces.get(change.subject.namespace)?.deliver(events);
  }

  all(): LiveWatcher[] {
    return [...this.everywhere.all(), ...[...this.namespaces.values()].flatMap(scope => scope.all())];
  }
}

const namespaceOf = ({ request }: LiveWatcher): string | null => request.namespace ?? valueSelected(request.fields, 'metadata.namespace');

/** The watchers of one namespace, or those of all. */
class Scope {
  size = 0;
  private readonly rest = new Set<LiveWatcher>();
  private readonly aspects = new Map<string, Aspect>();

  add(watcher: LiveWatcher): void {
    this.size++;
    const demand = demandOf(watcher);
    if (demand === null) {
      this.rest.add(watcher);
      return;
    }
    let aspect = this.aspects.get(demand.aspect);
    if (aspect === undefined) this.aspects.set(demand.aspect, aspect = new Aspect(demand.read));
    aspect.add(demand.value, watcher);
  }

  delete(watcher: LiveWatcher): boolean {
    const demand = demandOf(watcher);
    const aspect = demand === null ? undefined : this.aspects.get(demand.aspect);
    const found = demand === null ? this.rest.delete(watcher) : aspect?.delete(demand.value, watcher) ?? false;
    if (found) this.size--;
    if (demand !== null && aspect?.empty === true) this.aspects.delete(demand.aspect);
    return found;
  }

  deliver(events: ChangeEvents): void {
    if (events.change.next instanceof DamagedItem) {
      // Nobody can tell whom it matters to.
      for (const watcher of this.all()) watcher.deliver(events);
      return;
    }
    for (const watcher of this.rest) watcher.deliver(events);
    for (const aspect of this.aspects.values()) aspect.deliver(events);
  }

  all(): LiveWatcher[] {
    return [...this.rest, ...[...this.aspects.values()].flatMap(aspect => aspect.all())];
  }
}

/** Watchers that demand some value of one field or label. */
class Aspect {
  private readonly buckets = new Map<string, Set<LiveWatcher>>();

  constructor(private readonly read: (object: StoredObject) => string | undefined) {}

  get empty(): boolean {
    return this.buckets.size === 0;
  }

  add(value: string, watcher: LiveWatcher): void {
    const bucket = this.buckets.get(value);
    if (bucket === undefined) this.buckets.set(value, new Set([watcher]));
    else bucket.add(watcher);
  }

  delete(value: string, watcher: LiveWatcher): boolean {
    const bucket = this.buckets.get(value);
    const found = bucket?.delete(watcher) ?? false;
    if (bucket?.size === 0) this.buckets.delete(value);
    return found;
  }

  deliver(events: ChangeEvents): void {
    const before = this.valueIn(events.change.previous);
    const after = this.valueIn(events.change.next);
    this.deliverTo(before, events);
    if (after !== before) this.deliverTo(after, events);
  }

  all(): LiveWatcher[] {
    return [...this.buckets.values()].flatMap(bucket => [...bucket]);
  }

  private valueIn(object: StoredItem | null): string | undefined {
    return object === null || object instanceof DamagedItem ? undefined : this.read(object);
  }

  private deliverTo(value: string | undefined, events: ChangeEvents): void {
    const bucket = value === undefined ? undefined : this.buckets.get(value);
    if (bucket !== undefined) for (const watcher of bucket) watcher.deliver(events);
  }
}

interface Demand { readonly aspect: string; readonly value: string; readonly read: (object: StoredObject) => string | undefined }

/** The rarest value that a watcher demands, or null. Names are unique; other fields usually select less than labels do. */
function demandOf({ request: { fields, labels } }: LiveWatcher): Demand | null {
  const name = nameSelected(fields);
  if (name !== null) return { aspect: 'field metadata.name', value: name, read: object => object.name };
  const field = fields.find(requirement => requirement.equals && requirement.field !== 'metadata.namespace');
  if (field !== undefined) return { aspect: `field ${field.field}`, value: field.value, read: object => fieldValue(object, field.field) };
  const label = labels.find(({ operator, values }) => operator === 'in' && values.length === 1);
  const [value] = label?.values ?? [];
  return label === undefined || value === undefined ? null : { aspect: `label ${label.key}`, value, read: object => object.labels[label.key] };
}
