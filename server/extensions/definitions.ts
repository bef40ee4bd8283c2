import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { turns } from '../../workers/turns/turns.js';
import type { JsonObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { untimed, type RuleTimes } from '../cel/rules/times.js';
import type { KindName } from '../../api/catalogue/types.js';
import { indexedCatalogue, type Catalogue, type ServedGroup, type ServedResource } from '../registry/resources.js';
import type { Storage, StoredObject } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import type { LiveFields } from '../storage/storedobject.js';
import type { WebhookConverters } from './conversion/contract.js';
import { isEstablished, readDefinition, readLifeCycle, type Definition, type LifeCycle } from './definition.js';
import { CustomType } from './serving/customType.js';
import { compareVersions } from './versions.js';

export const definitionsResource: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/** How long documents about what is served wait for the latest state. */
const freshMs = 250;
/** Between looks at whether a definition that storage knows is known here, and their number. */
const lookMs = 10;
const looksMax = 200;
/** Reading changed definitions takes the event loop for itself no longer than this, but for a single one. */
const sliceMs = 5;
/** Bytes of a definition from which on its schemas are compiled before they are needed: that takes some 10 ms then. */
const largeBytes = 128 * 1024;

export interface CustomResourcesOptions {
  readonly storage: Pick<Storage, 'watch' | 'get'>;
  /** What is built in, which no definition takes the place of. */
  readonly builtIn: Catalogue;
  /** Whether a resource is of the types that are compiled in, served or not: what a definition of that name makes would be kept where their objects are. */
  readonly isBuiltIn: (resource: GroupResource) => boolean;
  readonly webhooks: WebhookConverters;
  /** Told how long rules of custom resources take. */
  readonly ruleTimes?: RuleTimes;
  /** Told of defects in a single definition, which then is not served. */
  readonly report: (error: unknown) => void;
}

/** What this replica knows of one definition. */
interface Entry {
  readonly definition: Definition;
  readonly lifeCycle: LifeCycle;
  readonly stored: StoredObject;
  /** Null while it is not established. */
  readonly type: CustomType | null;
}

/**
 * The custom resources that are served now, on this replica. Follows the definitions in storage: a change is read within a few milliseconds after it
 * has been applied here, in turns with other work, and takes effect as a whole: the catalogue is replaced, never changed.
 */
export class CustomResources {
  private readonly entries = new Map<string, Entry>();
  /** Changed and not read yet; null for those that are gone. */
  private readonly changed = new Map<string, StoredObject | null>();
  private readonly following: Following;
  private readonly listeners = new Set<() => void>();
  private working: Promise<void> | null = null;
  /** Large definitions are compiled one after the other. */
  private compiling: Promise<void> = Promise.resolve();
  private present: Catalogue = indexedCatalogue([]);
  private versionGroups: ReadonlyMap<string, ServedGroup> = new Map();

  constructor(private readonly options: CustomResourcesOptions) {
    this.following = follow(options.storage, definitionsResource, {
      put: (object) => {
        this.change(object.name, object);
      },
      remove: (_, name) => {
        this.change(name, null);
      },
    });
  }

  /** Settles once all definitions that there were at the start are in effect. */
  get synced(): Promise<void> {
    return this.following.synced.then(() => this.settled());
  }

  /** Custom resources alone. Another object after every change. */
  get catalogue(): Catalogue {
    return this.present;
  }

  /** The type that a definition makes, or null while it makes none. */
  typeOf({ group, resource }: GroupResource): CustomType | null {
    return this.entries.get(`${resource}.${group}`)?.type ?? null;
  }

  /** Whether objects of a definition are those of a type that is built in. */
  overlaps(resource: GroupResource): boolean {
    return this.options.isBuiltIn(resource);
  }

  /** The kind that a definition gives its objects, or null where there is none. */
  readonly kindOf = ({ group, resource }: GroupResource): string | null => {
    const definition = this.entries.get(`${resource}.${group}`)?.definition;
    return definition === undefined || definition.names.kind === '' ? null : definition.names.kind;
  };

  /** The structural schema of a kind that is served, or null. The same object as long as the definition is. */
  readonly schemaOf = ({ group, version, kind }: KindName): JsonObject | null => {
    const resource = this.present.kind(group, version, kind);
    return resource === null ? null : (this.typeOf(resource)?.schemaOf(version) ?? null);
  };

  /** Definitions of a group's resources that are served, as they are stored: JSON. */
  readonly storedIn = (group: string): Uint8Array[] =>
    [...this.entries.values()]
      .filter(({ type, definition }) => type !== null && definition.group === group)
      .map(({ stored }) => stored.item);

  /** Where all definitions stand in their lives. */
  get lifeCycles(): LifeCycle[] {
    return [...this.entries.values()].map(({ lifeCycle }) => lifeCycle);
  }

  /** Called after every change that has taken effect. Gives a function that ends that. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** What selectors on fields compare, as the definition says at the time. */
  readonly fieldsOf = ({ group, resource }: GroupResource): LiveFields => {
    const name = `${resource}.${group}`;
    const { entries } = this;
    return {
      get current() {
        return entries.get(name)?.type?.fieldsOf ?? null;
      },
    };
  };

  /** Waits for what may have been defined through another replica a moment ago. */
  readonly catchUp = async ({ group, resource }: GroupResource): Promise<void> => {
    // Groups of definitions are domains; what is asked for elsewhere is not there.
    if (!group.includes('.') || resource === '') return;
    const name = `${resource}.${group}`;
    const result = await this.options.storage.get({ resource: definitionsResource, namespace: '', name }, { at: 'mostRecent' });
    await this.settled();
    if (result.outcome !== 'found') return;
    // A server that starts, or whose watch of definitions has broken, learns of it a little later.
    for (let look = 0; look < looksMax && (this.entries.get(name)?.stored.version ?? 0) < result.object.version; look++) {
      await delay(lookMs);
      await this.settled();
    }
  };

  /** The same for all that has been defined until now; gives up in a moment, since what is known is better than no answer where no majority can be asked. */
  readonly fresh = async (): Promise<void> => {
    const nothing = { resource: definitionsResource, namespace: '', name: '-' };
    const asked = this.options.storage.get(nothing, { at: 'mostRecent' }).then(
      () => this.settled(),
      () => undefined,
    );
    await Promise.race([asked, delay(freshMs, undefined, { ref: false })]);
  };

  /** Settles when all changes that have been applied here are in effect. */
  async settled(): Promise<void> {
    while (this.working !== null) await this.working;
  }

  stop(): void {
    this.following.stop();
    for (const { type } of this.entries.values()) type?.retire();
  }

  private change(name: string, object: StoredObject | null): void {
    this.changed.set(name, object);
    this.working ??= this.work().finally(() => {
      this.working = null;
    });
  }

  private async work(): Promise<void> {
    await turns.next();
    while (this.changed.size > 0) {
      const end = performance.now() + sliceMs;
      const retired: CustomType[] = [];
      for (const [name, object] of this.changed) {
        this.changed.delete(name);
        this.read(name, object, retired);
        if (performance.now() >= end) break;
      }
      this.publish();
      for (const type of retired) type.retire();
      await turns.next();
    }
  }

  private read(name: string, object: StoredObject | null, retired: CustomType[]): void {
    const before = this.entries.get(name) ?? null;
    const next = object === null ? null : this.entryOf(object, before);
    if (before?.type != null && before.type !== next?.type) retired.push(before.type);
    if (next === null) this.entries.delete(name);
    else this.entries.set(name, next);
  }

  /** A type stays the same as long as nothing that it is made of changes: conditions and labels come and go without anybody noticing. */
  private entryOf(object: StoredObject, before: Entry | null): Entry | null {
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
      return { definition, lifeCycle, stored: object, type: same ? type : this.make(definition, object) };
    } catch (error) {
      this.options.report(error);
      return null;
    }
  }

  private make(definition: Definition, { item }: StoredObject): CustomType {
    const { name } = definition;
    const type = new CustomType({
      definition,
      webhooks: this.options.webhooks,
      ruleTimes: this.options.ruleTimes ?? untimed,
      isTerminating: () => this.entries.get(name)?.definition.conditions.has('Terminating') === true,
    });
    if (item.length >= largeBytes) this.compiling = this.compiling.then(() => this.compileAhead(type));
    return type;
  }

  private async compileAhead(type: CustomType): Promise<void> {
    try {
      await turns.run(type.compileAhead());
    } catch (error) {
      this.options.report(error);
    }
  }

  private publish(): void {
    const groups = this.groups();
    if (groups.length !== this.present.groups.length || groups.some((group, position) => group !== this.present.groups[position]))
      this.present = indexedCatalogue(groups);
    for (const listener of this.listeners) listener();
  }

  /** Groups in the order of the alphabet; one in which nothing has changed is the same object as before. */
  private groups(): ServedGroup[] {
    const byGroup = new Map<string, ServedResource[]>();
    for (const { type, definition } of this.entries.values()) {
      for (const resource of (definition.conditions.has('Terminating') ? type?.endingResources : type?.resources) ?? []) {
        if (this.overlaps(resource) || this.options.builtIn.version(resource.group, resource.version) !== null) continue;
        const list = byGroup.get(resource.group);
        if (list === undefined) byGroup.set(resource.group, [resource]);
        else list.push(resource);
      }
    }
    const next = new Map(
      [...byGroup]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, resources]) => [name, sameGroup(groupOf(name, resources), this.versionGroups.get(name))] as const),
    );
    this.versionGroups = next;
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

/** What is built in and what is defined, as one. */
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

/** Versions that are built in stay what they are; definitions may add others to their groups. */
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
