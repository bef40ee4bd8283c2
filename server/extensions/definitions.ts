import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { turns } from '../../workers/turns/turns.js';
import type { GroupResource } from '../../api/resource.js';
import { untimed, type RuleTimes } from '../../cel/rules/times.js';
import { indexedCatalogue, type Catalogue, type ServedGroup, type ServedResource } from '../registry/resources.js';
import type { Storage, StoredObject } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import type { LiveFields } from '../storage/storedObject.js';
import type { WebhookConverters } from './conversion/contract.js';
import { isEstablished, readDefinition, readLifeCycle, type Definition, type LifeCycle } from './definition.js';
import { CustomType } from './serving/customType.js';
import { compareVersions } from './versions.js';

export const definitionsResource: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/** Limit of the wait of documents about served resources for the latest state. */
const freshMs = 250;
/** Polling interval until a stored definition is served here, and number of attempts. */
const lookMs = 10;
const attemptsMax = 200;
/** Limit of one turn's reading of changed definitions, except for a single one. */
const sliceMs = 5;
/** Definitions of this size have their schemas compiled early, which takes some 10 ms. */
const largeBytes = 128 * 1024;

export interface CustomResourcesOptions {
  readonly storage: Pick<Storage, 'watch' | 'get'>;
  /** Built-in types, which no definition replaces. */
  readonly builtIn: Catalogue;
  /** Returns whether a resource is compiled in, served or not: a definition of that name would share its storage. */
  readonly isBuiltIn: (resource: GroupResource) => boolean;
  readonly webhooks: WebhookConverters;
  readonly ruleTimes?: RuleTimes;
  /** Receives a single definition's defects, because of which it is not served. */
  readonly report: (error: unknown) => void;
}

interface Entry {
  readonly definition: Definition;
  readonly lifeCycle: LifeCycle;
  readonly stored: StoredObject;
  /** Null while it is not established. */
  readonly type: CustomType | null;
}

/** The custom resources served by this replica. Follows the definitions in storage; each change replaces the catalogue as a whole. */
export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #entries = new Map<string, Entry>();
  /** Unread changes; null for removed definitions. */
  readonly #changed = new Map<string, StoredObject | null>();
  readonly #unreadable = new Set<string>();
  readonly #following: Following;
  readonly #listeners = new Set<() => void>();
  #working: Promise<void> | null = null;
  /** Large definitions are compiled in sequence. */
  #compiling: Promise<void> = Promise.resolve();
  #present: Catalogue = indexedCatalogue([]);
  #versionGroups: ReadonlyMap<string, ServedGroup> = new Map();

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#following = follow(options.storage, definitionsResource, {
      put: (object) => {
        this.#unreadable.delete(object.name);
        this.#change(object.name, object);
      },
      remove: (_, name) => {
        this.#unreadable.delete(name);
        this.#change(name, null);
      },
      unreadable: ({ name }) => {
        this.#unreadable.add(name);
        this.#change(name, null);
      },
    });
  }

  /** Settles once all initial definitions are in effect. */
  get synced(): Promise<void> {
    return this.#following.synced.then(() => this.settled());
  }

  /** Custom resources alone, replaced with every change. */
  get catalogue(): Catalogue {
    return this.#present;
  }

  /** Whether all definitions are readable; otherwise any resource may have one. */
  get complete(): boolean {
    return this.#unreadable.size === 0;
  }

  /** The type of a definition, or null while it has none. */
  typeOf({ group, resource }: GroupResource): CustomType | null {
    return this.#entries.get(`${resource}.${group}`)?.type ?? null;
  }

  /** Reports whether a definition shares storage with a built-in type. */
  overlaps(resource: GroupResource): boolean {
    return this.#options.isBuiltIn(resource);
  }

  readonly kindOf = ({ group, resource }: GroupResource): string | null => {
    const definition = this.#entries.get(`${resource}.${group}`)?.definition;
    return definition === undefined || definition.names.kind === '' ? null : definition.names.kind;
  };

  /** Served definitions of a group, as stored JSON. */
  readonly storedIn = (group: string): Uint8Array[] =>
    [...this.#entries.values()]
      .filter(({ type, definition }) => type !== null && definition.group === group)
      .map(({ stored }) => stored.item);

  get lifeCycles(): LifeCycle[] {
    return [...this.#entries.values()].map(({ lifeCycle }) => lifeCycle);
  }

  /** Called after every effective change. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The fields for selectors, by the definition at the time. */
  readonly fieldsOf = ({ group, resource }: GroupResource): LiveFields => {
    const name = `${resource}.${group}`;
    const entries = this.#entries;
    return {
      get current() {
        return entries.get(name)?.type?.fieldsOf ?? null;
      },
    };
  };

  /** Waits for a definition just created through another replica. */
  readonly catchUp = async ({ group, resource }: GroupResource): Promise<void> => {
    // Groups of definitions are domains; other groups have none.
    if (!group.includes('.') || resource === '') return;
    const name = `${resource}.${group}`;
    const result = await this.#options.storage.get({ resource: definitionsResource, namespace: '', name }, { at: 'mostRecent' });
    await this.settled();
    if (result.outcome !== 'found') return;
    // A starting server, or one with a failed watch, receives it slightly later.
    for (let attempt = 0; attempt < attemptsMax && (this.#entries.get(name)?.stored.version ?? 0) < result.object.version; attempt++) {
      await delay(lookMs);
      await this.settled();
    }
  };

  /** The same for all definitions until now. Waits briefly only: without a majority, the known state is better than no answer. */
  readonly fresh = async (): Promise<void> => {
    const nothing = { resource: definitionsResource, namespace: '', name: '-' };
    const asked = this.#options.storage.get(nothing, { at: 'mostRecent' }).then(
      () => this.settled(),
      () => undefined,
    );
    await Promise.race([asked, delay(freshMs, undefined, { ref: false })]);
  };

  /** Settles when all changes applied here are in effect. */
  async settled(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  stop(): void {
    this.#following.stop();
    for (const { type } of this.#entries.values()) type?.retire();
  }

  #change(name: string, object: StoredObject | null): void {
    this.#changed.set(name, object);
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async #work(): Promise<void> {
    await turns.next();
    while (this.#changed.size > 0) {
      const end = performance.now() + sliceMs;
      const retired: CustomType[] = [];
      for (const [name, object] of this.#changed) {
        this.#changed.delete(name);
        this.#read(name, object, retired);
        if (performance.now() >= end) break;
      }
      this.#publish();
      for (const type of retired) type.retire();
      await turns.next();
    }
  }

  #read(name: string, object: StoredObject | null, retired: CustomType[]): void {
    const before = this.#entries.get(name) ?? null;
    const next = object === null ? null : this.#entryOf(object, before);
    if (before?.type != null && before.type !== next?.type) retired.push(before.type);
    if (next === null) this.#entries.delete(name);
    else this.#entries.set(name, next);
  }

  /** A type stays the same with its inputs, whatever conditions and labels do. */
  #entryOf(object: StoredObject, before: Entry | null): Entry | null {
    try {
      const decoded = object.decode();
      const definition = readDefinition(decoded);
      const lifeCycle = readLifeCycle(decoded, object.version);
      const type = before?.type ?? null;
      if (!isEstablished(definition)) return { definition, lifeCycle, stored: object, type: null };
      const same =
        type !== null &&
        type.definition.uid === definition.uid &&
        type.definition.generation === definition.generation &&
        isDeepStrictEqual(type.definition.names, definition.names);
      return { definition, lifeCycle, stored: object, type: same ? type : this.#make(definition, object) };
    } catch (error) {
      this.#options.report(error);
      return null;
    }
  }

  #make(definition: Definition, { item }: StoredObject): CustomType {
    const { name } = definition;
    const type = new CustomType({
      definition,
      webhooks: this.#options.webhooks,
      ruleTimes: this.#options.ruleTimes ?? untimed,
      isTerminating: () => this.#entries.get(name)?.definition.conditions.has('Terminating') === true,
    });
    if (item.length >= largeBytes) this.#compiling = this.#compiling.then(() => this.#compileAhead(type));
    return type;
  }

  async #compileAhead(type: CustomType): Promise<void> {
    try {
      await turns.run(type.compileAhead());
    } catch (error) {
      this.#options.report(error);
    }
  }

  #publish(): void {
    const groups = this.#groups();
    if (groups.length !== this.#present.groups.length || groups.some((group, position) => group !== this.#present.groups[position]))
      this.#present = indexedCatalogue(groups);
    for (const listener of this.#listeners) listener();
  }

  /** Groups sorted by name; an unchanged one keeps its object. */
  #groups(): ServedGroup[] {
    const byGroup = new Map<string, ServedResource[]>();
    for (const { type, definition } of this.#entries.values()) {
      for (const resource of (definition.conditions.has('Terminating') ? type?.endingResources : type?.resources) ?? []) {
        if (this.overlaps(resource) || this.#options.builtIn.version(resource.group, resource.version) !== null) continue;
        const list = byGroup.get(resource.group);
        if (list === undefined) byGroup.set(resource.group, [resource]);
        else list.push(resource);
      }
    }
    const next = new Map(
      [...byGroup]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, resources]) => [name, sameGroup(groupOf(name, resources), this.#versionGroups.get(name))] as const),
    );
    this.#versionGroups = next;
    return [...next.values()];
  }
}

function groupOf(name: string, resources: readonly ServedResource[]): ServedGroup {
  const versions = [...new Set(resources.map(({ version }) => version))].sort(compareVersions);
  const inOrder = [...resources].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return {
    name,
    unknownPaths: 'named',
    versions: versions.map((version) => ({ version, resources: inOrder.filter((resource) => resource.version === version) })),
  };
}

function sameGroup(group: ServedGroup, before: ServedGroup | undefined): ServedGroup {
  const resources = ({ versions }: ServedGroup): readonly ServedResource[] => versions.flatMap((version) => version.resources);
  if (before === undefined || before.versions.length !== group.versions.length) return group;
  const [now, then] = [resources(group), resources(before)];
  return now.length === then.length && now.every((resource, position) => resource === then[position]) ? before : group;
}

export function withCustomResources(builtIn: Catalogue, custom: () => Catalogue): () => Catalogue {
  let seen: Catalogue | null = null;
  let joined = builtIn;
  return () => {
    const present = custom();
    if (present !== seen) {
      seen = present;
      joined = join(builtIn, present);
    }
    return joined;
  };
}

/** Built-in versions stay; definitions may add others to their groups. */
function join(builtIn: Catalogue, custom: Catalogue): Catalogue {
  const extended = builtIn.groups.map((group): ServedGroup => {
    const more = custom.group(group.name);
    return more === null ? group : { ...group, versions: [...group.versions, ...more.versions] };
  });
  const groups = [...extended, ...custom.groups.filter(({ name }) => builtIn.group(name) === null)];
  const byName = new Map(groups.map((group) => [group.name, group]));
  return {
    groups,
    group: (name) => byName.get(name) ?? null,
    version: (group, version) => builtIn.version(group, version) ?? custom.version(group, version),
    resource: (group, version, resource) => builtIn.resource(group, version, resource) ?? custom.resource(group, version, resource),
    kind: (group, version, kind) => builtIn.kind(group, version, kind) ?? custom.kind(group, version, kind),
  };
}
