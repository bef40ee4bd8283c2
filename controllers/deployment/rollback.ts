import type { Deployment, ReplicaSet } from '../../api/types/apps/v1.js';
import { nameOf } from '../../api/meta/object.js';
import { readRevision, revisionOf, rollbackAnnotation, sameTemplate, takesOver, withoutHash } from './revisions.js';

/** A Deployment at a former revision, without the rollback request. A warning's event comes before the write. */
export interface Rollback {
  readonly deployment: Deployment;
  readonly event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };
}

/**
 * Decides about the annotation that keeps `spec.rollbackTo` of the first API versions, which the reference still obeys; 0 is the last revision but one. Null
 * without a request. Pure.
 */
export function rollbackOf(deployment: Deployment, sets: readonly ReplicaSet[]): Rollback | null {
  const asked = deployment.metadata.annotations?.[rollbackAnnotation] ?? '';
  if (!/^[+-]?\d{1,19}$/.test(asked)) return null;
  const wanted = readRevision(asked) || lastButOne(sets.map(revisionOf));
  if (wanted === 0n) return warned(deployment, 'RevisionNotFound', 'Unable to find last revision.');
  const to = sets.find((set) => revisionOf(set) === wanted);
  if (to === undefined) return warned(deployment, 'RevisionNotFound', 'Unable to find the revision to rollback to.');
  const named = `deployment "${nameOf(deployment)}"`;
  if (sameTemplate(deployment.spec?.template, to.spec?.template))
    return warned(deployment, 'TemplateUnchanged', `The rollback revision contains the same template as current ${named}`);
  return {
    deployment: withTemplateOf(to, unasked(deployment)),
    event: { type: 'Normal', reason: 'DeploymentRollback', message: `Rolled back ${named} to revision ${wanted}` },
  };
}

const lastButOne = (revisions: readonly bigint[]): bigint => revisions.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[1] ?? 0n;

const warned = (deployment: Deployment, reason: string, message: string): Rollback => ({
  deployment: unasked(deployment),
  event: { type: 'Warning', reason: `DeploymentRollback${reason}`, message },
});

function unasked(deployment: Deployment): Deployment {
  const { [rollbackAnnotation]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

/** Annotations, such as the cause of the change, are restored as well. */
function withTemplateOf(set: ReplicaSet, deployment: Deployment): Deployment {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !takesOver(name));
  const former = Object.entries(set.metadata.annotations ?? {}).filter(([name]) => takesOver(name));
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: Object.fromEntries([...own, ...former]) },
    spec: { ...deployment.spec, template: withoutHash(set.spec?.template) },
  } as Deployment;
}
