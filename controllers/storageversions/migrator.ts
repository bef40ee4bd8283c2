import { keyOf, uidOf, type KubeObject } from '../../api/meta/object.js';
import { resource, type Resource } from '../../api/meta/resource.js';
import type { GroupResource } from '../../api/resource.js';
import { timeText } from '../../api/time.js';
import { type StorageVersionMigration, storageVersionMigrations } from '../../api/types/storagemigration/v1beta1.js';
import { mergePatch } from '../client/api.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';

const pageSize = 500;

interface GroupDocument {
  readonly preferredVersion?: { readonly groupVersion: string };
}
interface ResourceListDocument {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

const isOver = ({ status }: StorageVersionMigration): boolean =>
  status?.conditions?.some(({ type, status: truth }) => (type === 'Succeeded' || type === 'Failed') && truth === 'True') ?? false;

const reasons = {
  Running: 'MigrationRunning',
  Succeeded: 'StorageVersionMigrationSucceeded',
  Failed: 'StorageVersionMigrationFailed',
} as const;

/** Returns the status with another condition. The running condition stays after the end, as in the reference. Pure. */
function migrationWith(
  { status }: StorageVersionMigration,
  type: keyof typeof reasons,
  message: string,
  now: number,
): NonNullable<StorageVersionMigration['status']> {
  const others = (status?.conditions ?? []).filter((condition) => condition.type !== type);
  const condition = { type, status: 'True', reason: reasons[type], message, lastTransitionTime: timeText(now) };
  return { ...status, conditions: [...others, condition] };
}

/** Rewrites all objects of a resource in the current stored form. */
export function storageVersionMigrator(environment: ManagerEnvironment): Controller {
  const name = 'storage-version-migrator-controller';
  return whereServed(environment, name, [storageVersionMigrations], (type) => {
    const migrator = new Migrator(environment, type);
    return new QueueController(environment, { name, sync: (key) => migrator.sync(key) }).watch(type);
  });
}

class Migrator {
  readonly #environment: ManagerEnvironment;
  readonly #type: Resource<StorageVersionMigration>;

  constructor(environment: ManagerEnvironment, type: Resource<StorageVersionMigration>) {
    this.#environment = environment;
    this.#type = type;
  }

  async sync(key: string): Promise<void> {
    const migration = this.#environment.informers.of(this.#type).cache.get(key);
    if (!migration || isOver(migration)) return;
    const running = migration.status?.conditions?.some((each) => each.type === 'Running')
      ? migration
      : await this.#say(migration, 'Running', 'The migration is running');
    try {
      await this.#rewriteAll(await this.#typeOf(migration.spec?.resource ?? {}));
    } catch (error) {
      await this.#say(running, 'Failed', `migration encountered unhandled error: ${messageOf(error)}`);
      return;
    }
    await this.#say(running, 'Succeeded', '');
  }

  #say(migration: StorageVersionMigration, word: keyof typeof reasons, message: string): Promise<StorageVersionMigration> {
    const { api, clock } = this.#environment;
    const status = migrationWith(migration, word, message, clock.now());
    return api.update(this.#type, { ...migration, status }, { subresource: 'status' });
  }

  async #typeOf({ group = '', resource: plural = '' }: Partial<GroupResource>): Promise<Resource> {
    const { api } = this.#environment;
    const groupVersion = group === '' ? 'v1' : (await api.read<GroupDocument>(`/apis/${group}`)).preferredVersion?.groupVersion;
    const { resources = [] } = await api.read<ResourceListDocument>(group === '' ? '/api/v1' : `/apis/${groupVersion ?? ''}`);
    const found = resources.find((each) => each.name === plural);
    if (!found || groupVersion === undefined) throw new Error(`the server has no ${plural} in group ${JSON.stringify(group)}`);
    return resource({ apiVersion: groupVersion, resource: plural, kind: found.kind, namespaced: found.namespaced });
  }

  async #rewriteAll(of: Resource): Promise<void> {
    let next: string | undefined;
    do {
      const options = { limit: pageSize, metadataOnly: true, ...(next ? { continue: next } : {}) };
      const page: Awaited<ReturnType<ManagerEnvironment['api']['list']>> = await this.#environment.api.list(of, options);
      for (const object of page.items) await this.#rewrite(of, object);
      next = page.metadata.continue;
    } while (next);
  }

  /** A conflict means that another client has just rewritten the object. */
  async #rewrite(of: Resource, object: KubeObject): Promise<void> {
    const { resourceVersion } = object.metadata;
    try {
      await this.#environment.api.patch(of, keyOf(object), mergePatch({ metadata: { uid: uidOf(object), resourceVersion } }));
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}
