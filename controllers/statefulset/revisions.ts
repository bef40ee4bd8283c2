import { nameOf, namespaceOf } from '../../api/meta/object.js';
import { type ControllerRevision, type StatefulSet, statefulSets } from '../../api/types/apps/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import type { holds } from '../revisions/history.js';
import { nextNumber, numbered, oldestFirst, patchOf, superfluous } from '../revisions/history.js';
import { controllerReference } from '../workloads/claim.js';
import { dataHash } from '../workloads/templateHash.js';

const hashLabel = 'controller.kubernetes.io/hash';
export const revisionLabel = 'controller-revision-hash';
const defaultHistoryLimit = 10;
/** Leaves room for a dash and the hash. */
const namePrefixMax = 223;

export const revisionNameOf = (pod: Pod): string => pod.metadata.labels?.[revisionLabel] ?? '';

/** Returns the revision for a set's template, after `collisions` taken names. */
export function newRevision(set: StatefulSet, number: bigint, collisions: number): ControllerRevision {
  const data = patchOf(set.spec?.template);
  const hash = dataHash(data, collisions);
  const metadata = {
    name: `${nameOf(set).slice(0, namePrefixMax)}-${hash}`,
    namespace: namespaceOf(set),
    labels: { ...set.spec?.template?.metadata?.labels, [hashLabel]: hash },
    ...(set.metadata.annotations ? { annotations: set.metadata.annotations } : {}),
    ownerReferences: [controllerReference(statefulSets, set)],
  };
  return numbered({ metadata, data, revision: 0 }, number);
}

export type UpdateRevision =
  | { readonly do: 'keep'; readonly revision: ControllerRevision }
  /** The template was used before: its revision becomes the newest. */
  | { readonly do: 'renumber'; readonly revision: ControllerRevision; readonly number: bigint }
  | { readonly do: 'create'; readonly number: bigint };

/** Decides how to reach the pods' target revision. `isOf`: whether a revision holds a template. */
export function updateRevision(set: StatefulSet, revisions: readonly ControllerRevision[], isOf: typeof holds): UpdateRevision {
  const ordered = oldestFirst(revisions);
  const equal = ordered.filter((revision) => isOf(revision, set.spec?.template)).at(-1);
  if (!equal) return { do: 'create', number: nextNumber(ordered) };
  const newest = ordered.at(-1);
  return newest === equal ? { do: 'keep', revision: equal } : { do: 'renumber', revision: equal, number: nextNumber(ordered) };
}

/** Returns the revision before the update; the newest if the set names none. */
export const currentRevision = (
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  update: ControllerRevision,
): ControllerRevision => revisions.find((revision) => nameOf(revision) === set.status?.currentRevision) ?? update;

/** Returns unused revisions beyond the limit. */
export function revisionsToDelete(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
  live: readonly ControllerRevision[],
): readonly ControllerRevision[] {
  const alive = new Set([...live.map(nameOf), ...pods.map(revisionNameOf)]);
  return superfluous(
    revisions.filter((revision) => !alive.has(nameOf(revision))),
    set.spec?.revisionHistoryLimit ?? defaultHistoryLimit,
  );
}
