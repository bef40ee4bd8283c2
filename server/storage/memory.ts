import type { ApiObject } from '../../api/object.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import type {
  Consistency,
  Failure,
  GetResult,
  ListRequest,
  ListResult,
  ObjectKey,
  SideWrite,
  Storage,
  StoredObject,
  Version,
  Watch,
  WatchEvent,
  WatchEventType,
  WatchRequest,
  WatchSink,
  WriteResult,
  WriteTerms,
} from './contract.js';
import { encodeStored } from './encoding.js';
import { compareKeys, scopeOf, selects, selectsAll } from './matching.js';
import {
  noSelectableFields,
  resourceFacts,
  storedObjectOf,
  type ResourceFacts,
  type SelectableFields,
  type StoredItem,
} from './storedObject.js';
import { expired } from './watchEnds.js';

interface Change {
  readonly version: Version;
  readonly key: ObjectKey;
  readonly previous: StoredItem | null;
  readonly next: StoredItem | null;
  readonly removed: StoredItem | null;
  readonly events: Map<WatchEventType, WatchEvent>;
}

/** A Storage for tests with a visible clock and compaction. */
export interface MemoryStorage extends Storage {
  readonly version: Version;
  compact(version: Version): void;
}

export interface MemoryStorageOptions {
  readonly selectableFields?: SelectableFields;
  readonly startVersion?: Version;
}

/**
 * The whole history in one array, scanned for every answer: the model of the real implementations. A future version is "tooLarge" at once; sinks are called in
 * the write's turn, or in a microtask after `watch`.
 */
export const createMemoryStorage = (options: MemoryStorageOptions = {}): MemoryStorage => new ModelStorage(options);

class ModelStorage implements MemoryStorage {
  version: Version;
  #compacted: Version;
  readonly #history: Change[] = [];
  readonly #watches = new Set<ModelWatch>();
  readonly #facts = new Map<string, ResourceFacts>();
  readonly #selectableFields: SelectableFields;

  constructor({ selectableFields = noSelectableFields, startVersion = 1 }: MemoryStorageOptions) {
    this.#selectableFields = selectableFields;
    this.version = startVersion;
    this.#compacted = startVersion;
  }

  async ready(): Promise<void> {}

  async isStale(): Promise<boolean> {
    return false;
  }

  compact(version: Version): void {
    this.#compacted = Math.max(this.#compacted, Math.min(version, this.version));
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<GetResult> {
    const at = this.#versionFor(consistency);
    if (typeof at !== 'number') return at;
    const object = this.objectsAt(key.resource, at).find(({ namespace, name }) => namespace === key.namespace && name === key.name);
    return object === undefined ? { outcome: 'absent', version: at } : { outcome: 'found', object };
  }

  async list(request: ListRequest): Promise<ListResult> {
    const version = this.#versionFor(request.consistency);
    if (typeof version !== 'number') return version;
    const { after, limit } = request;
    const all = this.objectsAt(request.resource, version);
    const scope = scopeOf(request, all[0]?.namespace !== '');
    const following = all
      .filter(
        (object) =>
          (scope.namespace === null || object.namespace === scope.namespace) && (scope.name === null || object.name === scope.name),
      )
      .filter((object) => after === null || compareKeys(object, after) > 0);
    const matching = following.filter((object) => selects(request, object));
    const items = limit === null ? matching : matching.slice(0, limit);
    const last = items.at(-1);
    const rest = last === undefined || limit === null || items.length < limit ? 0 : following.length - following.indexOf(last) - 1;
    return { outcome: 'found', version, items, more: rest > 0, remaining: selectsAll(request) ? rest : null };
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    const watch = new ModelWatch(request, sink, this);
    queueMicrotask(() => this.#begin(watch));
    return watch;
  }

  create(key: ObjectKey, object: ApiObject, terms: WriteTerms): Promise<WriteResult> {
    return this.#write(key, 0, object, terms);
  }

  update(key: ObjectKey, object: ApiObject, expected: Version, terms: WriteTerms): Promise<WriteResult> {
    return this.#write(key, expected, object, terms);
  }

  delete(key: ObjectKey, expected: Version, terms: WriteTerms): Promise<WriteResult> {
    return this.#write(key, expected, null, terms);
  }

  objectsAt(resource: GroupResource, version: Version): StoredItem[] {
    const objects = new Map<string, StoredItem>();
    for (const { key, next } of this.changesOf(resource).filter((change) => change.version <= version)) {
      objects.delete(`${key.namespace}/${key.name}`);
      if (next !== null) objects.set(`${key.namespace}/${key.name}`, next);
    }
    return [...objects.values()].sort(compareKeys);
  }

  changesOf(resource: GroupResource): Change[] {
    return this.#history.filter(({ key }) => qualifiedName(key.resource) === qualifiedName(resource));
  }

  forget(watch: ModelWatch): void {
    this.#watches.delete(watch);
  }

  #begin(watch: ModelWatch): void {
    if (watch.stopped) return;
    const { start, initialEvents } = watch.request;
    if (start.at === 'after' && initialEvents && start.version > this.version) {
      return watch.end({ outcome: 'tooLarge', requested: start.version, current: this.version });
    }
    if (start.at === 'after' && !initialEvents && start.version < this.#compacted) return watch.end(expired('Compacted', this.#compacted));
    this.#watches.add(watch);
    if (start.at !== 'after' || initialEvents) watch.sendInitial(this.objectsAt(watch.request.resource, this.version), this.version);
    else watch.replay(this.changesOf(watch.request.resource).filter((change) => change.version > start.version));
  }

  async #write(
    key: ObjectKey,
    expected: Version,
    object: ApiObject | null,
    { sideWrites = [] }: Partial<WriteTerms> = {},
  ): Promise<WriteResult> {
    const current = this.#current(key);
    if ((current?.version ?? 0) !== expected) return { outcome: 'conflict', current };
    const sides = sideWrites.map((side) => ({ ...side, next: this.#nextOf(side) }));
    const taken = sides.find(({ next }) => next === 'taken');
    if (taken !== undefined) return { outcome: 'taken', key: taken.key };
    const version = this.version + 1;
    const written = this.#change(key, object, version);
    for (const { key: sideKey, next } of sides)
      if (next !== 'taken' && (next !== null || this.#current(sideKey) !== null)) this.#change(sideKey, next, version);
    return { outcome: 'applied', object: written };
  }

  #nextOf(side: SideWrite): ApiObject | null | 'taken' {
    const current = this.#current(side.key);
    if (side.action === 'remove') return null;
    if (side.action === 'create') return current === null ? side.object : 'taken';
    return side.amend(current?.decode() ?? null) ?? 'taken';
  }

  #change(key: ObjectKey, object: ApiObject | null, version: Version): StoredItem {
    const previous = this.#current(key);
    const next = object === null ? null : storedObjectOf(this.#factsOf(key.resource), key, version, encodeStored(key, object));
    const removed = next === null ? (previous?.atVersion(version) ?? null) : null;
    this.#commit({ version, key, previous, next, removed, events: new Map() });
    return (next ?? removed) as StoredItem;
  }

  #commit(change: Change): void {
    this.#history.push(change);
    this.version = change.version;
    for (const watch of [...this.#watches])
      if (qualifiedName(watch.request.resource) === qualifiedName(change.key.resource)) watch.replay([change]);
  }

  #current(key: ObjectKey): StoredItem | null {
    return (
      this.changesOf(key.resource).findLast((change) => change.key.namespace === key.namespace && change.key.name === key.name)?.next ??
      null
    );
  }

  #versionFor(consistency: Consistency): Version | Failure {
    if (consistency.at === 'mostRecent' || consistency.at === 'any') return this.version;
    if (consistency.version > this.version) return { outcome: 'tooLarge', requested: consistency.version, current: this.version };
    if (consistency.at === 'notOlderThan') return this.version;
    return consistency.version < this.#compacted ? expired('Compacted', this.#compacted) : consistency.version;
  }

  #factsOf(resource: GroupResource): ResourceFacts {
    const name = qualifiedName(resource);
    const known = this.#facts.get(name) ?? resourceFacts(resource, this.#selectableFields);
    this.#facts.set(name, known);
    return known;
  }
}

class ModelWatch implements Watch {
  readonly #sink: WatchSink;
  readonly #storage: ModelStorage;
  stopped = false;
  #started = false;
  #behind: Change[] | null = null;

  constructor(
    readonly request: WatchRequest,
    sink: WatchSink,
    storage: ModelStorage,
  ) {
    this.#sink = sink;
    this.#storage = storage;
  }

  get version(): Version {
    if (!this.#started) return 0;
    return this.request.start.at === 'after' ? Math.max(this.#storage.version, this.request.start.version) : this.#storage.version;
  }

  fallBehind(): void {
    const drained = this.#behind === null ? (this.#sink.drained?.() ?? null) : null;
    if (drained === null) return;
    this.#behind = [];
    void drained.then(() => {
      const missed = this.#behind ?? [];
      this.#behind = null;
      this.replay(missed);
    });
  }

  stop(): void {
    this.stopped = true;
    this.#storage.forget(this);
  }

  end(reason: Failure): void {
    this.stop();
    this.#sink.end(reason);
  }

  sendInitial(objects: readonly StoredItem[], version: Version): void {
    for (const object of objects) if (selects(this.request, object)) this.#send(new ModelEvent('ADDED', object));
    this.#started = true;
    if (!this.stopped) this.#sink.synced(version);
  }

  replay(changes: readonly Change[]): void {
    this.#started = true;
    const { start } = this.request;
    for (const change of changes) {
      if (this.#behind !== null) {
        this.#behind.push(change);
        continue;
      }
      const { version, previous, next, removed } = change;
      if (start.at === 'after' && version <= start.version) continue;
      const before = previous !== null && selects(this.request, previous);
      const now = next !== null && selects(this.request, next);
      if (now) this.#send(eventOf(change, before ? 'MODIFIED' : 'ADDED', next));
      else if (before) this.#send(eventOf(change, 'DELETED', removed ?? previous.atVersion(version)));
    }
  }

  #send(event: WatchEvent): void {
    if (!this.stopped) this.#sink.event(event);
  }
}

function eventOf({ events }: Change, type: WatchEventType, object: StoredObject): WatchEvent {
  const event = events.get(type) ?? new ModelEvent(type, object);
  events.set(type, event);
  return event;
}

class ModelEvent implements WatchEvent {
  readonly #frames = new Map<string, Buffer>();

  constructor(
    readonly type: WatchEventType,
    readonly object: StoredObject,
  ) {}

  get version(): Version {
    return this.object.version;
  }

  frame(encoding: string, make: (event: WatchEvent) => Buffer): Buffer {
    const made = this.#frames.get(encoding) ?? make(this);
    this.#frames.set(encoding, made);
    return made;
  }
}
