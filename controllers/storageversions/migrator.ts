import { keyOf, uidOf, type KubeObject } from '../../api/meta/object.js';
import { resource, type Resource } from '../../api/meta/resource.js';
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

/** Returns the status with a condition more. That the migration runs stays said when it is over, as in the reference. Pure. */
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

/** Rewrites all objects of a resource, so that they are stored in the current form. */
export function storageVersionMigrator(environment: ManagerEnvironment): Controller {
  const name = 'storage-version-migrator-controller';
  return whereServed(environment, name, [storageVersionMigrations], (type) => {
    const { api, clock, informers } = environment;
    const { cache } = informers.of(type);
    const typeOf = async ({
      group = '',
      resource: plural = '',
    }: {
      readonly group?: string;
      readonly resource?: string;
    }): Promise<Resource> => {
      const groupVersion = group === '' ? 'v1' : (await api.read<GroupDocument>(`/apis/${group}`)).preferredVersion?.groupVersion;
      const { resources = [] } = await api.read<ResourceListDocument>(group === '' ? '/api/v1' : `/apis/${groupVersion ?? ''}`);
      const found = resources.find((each) => each.name === plural);
      if (!found || groupVersion === undefined) throw new Error(`the server has no ${plural} in group ${JSON.stringify(group)}`);
      return resource({ apiVersion: groupVersion, resource: plural, kind: found.kind, namespaced: found.namespaced });
    };
    /** A conflict means that another client has written the object since, and it is stored anew. */
    const rewrite = async (of: Resource, object: KubeObject): Promise<void> => {
      const { resourceVersion } = object.metadata;
      try {
        await api.patch(of, keyOf(object), mergePatch({ metadata: { uid: uidOf(object), resourceVersion } }));
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    };
    const say = (migration: StorageVersionMigration, word: keyof typeof reasons, message: string): Promise<StorageVersionMigration> =>
      api.update(type, { ...migration, status: migrationWith(migration, word, message, clock.now()) }, { subresource: 'status' });
    const sync = async (key: string): Promise<void> => {
      const migration = cache.get(key);
      if (!migration || isOver(migration)) return;
      const running = migration.status?.conditions?.some((each) => each.type === 'Running')
        ? migration
        : await say(migration, 'Running', 'The migration is running');
      try {
        const of = await typeOf(migration.spec?.resource ?? {});
        let next: string | undefined;
        do {
          const page: Awaited<ReturnType<typeof api.list>> = await api.list(of, {
            limit: pageSize,
            metadataOnly: true,
            ...(next ? { continue: next } : {}),
          });
          for (const object of page.items) await rewrite(of, object);
          next = page.metadata.continue;
        } while (next);
      } catch (error) {
        await say(running, 'Failed', `migration encountered unhandled error: ${messageOf(error)}`);
        return;
      }
      await say(running, 'Succeeded', '');
    };
    return new QueueController(environment, { name, sync }).watch(type);
  });
}
