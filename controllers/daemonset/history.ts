import { nameOf, namespaceOf } from '../../api/meta/object.js';
import { type ControllerRevision, type DaemonSet, daemonSets } from '../../api/types/apps/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { holds, nextNumber, numbered, oldestFirst, patchOf, superfluous } from '../revisions/history.js';
import { controllerReference } from '../workloads/claim.js';
import { templateHash } from '../workloads/templateHash.js';
import { hashLabel } from './daemonPod.js';

const defaultHistoryLimit = 10;

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[hashLabel] ?? '';

export interface History {
  readonly current: ControllerRevision | null;
  /** Other revisions of the same template, left by a lost conflict. */
  readonly twins: readonly ControllerRevision[];
  readonly old: readonly ControllerRevision[];
  /** The desired number of the current revision: one more than all others. */
  readonly number: bigint;
}

export function historyOf(set: DaemonSet, revisions: readonly ControllerRevision[]): History {
  const ordered = oldestFirst(revisions);
  const equal = ordered.filter((revision) => holds(revision, set.spec?.template));
  const old = ordered.filter((revision) => !equal.includes(revision));
  return { current: equal.at(-1) ?? null, twins: equal.slice(0, -1), old, number: nextNumber(old) };
}

export function newRevision(set: DaemonSet, number: bigint): ControllerRevision {
  const { template } = set.spec ?? {};
  const hash = templateHash(template, set.status?.collisionCount);
  const metadata = {
    name: `${nameOf(set)}-${hash}`,
    namespace: namespaceOf(set),
    labels: { ...template?.metadata?.labels, [hashLabel]: hash },
    ...(set.metadata.annotations ? { annotations: set.metadata.annotations } : {}),
    ownerReferences: [controllerReference(daemonSets, set)],
  };
  return numbered({ metadata, data: patchOf(template), revision: 0 }, number);
}

/** Returns unused revisions beyond the limit. */
export function revisionsToDelete(set: DaemonSet, old: readonly ControllerRevision[], pods: readonly Pod[]): readonly ControllerRevision[] {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel] ?? '').filter((hash) => hash !== ''));
  const excess = old.length - (set.spec?.revisionHistoryLimit ?? defaultHistoryLimit);
  // The limit counts all old revisions, but those in use stay.
  return superfluous(
    old.filter((revision) => !live.has(hashOf(revision))),
    0,
  ).slice(0, Math.max(0, excess));
}
