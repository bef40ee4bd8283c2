import { createdAt, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Deployment, deployments, type ReplicaSet } from '../../api/types/apps/v1.js';
import type { PodTemplateSpec } from '../../api/types/core/v1.js';
import { controllerReference } from '../workloads/claim.js';
import { sameMeaning } from '../../api/json/equality.js';
import { templateHash } from '../workloads/templateHash.js';
import { maxSurge } from './limits.js';

const hashLabel = 'pod-template-hash';
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';
/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);
export const takesOver = (annotation: string): boolean => !notCopied.has(annotation);
const historyLengthMax = 2000;

/** Revisions are 64-bit integers, beyond exact numbers; invalid text counts as 0. */
export const revisionOf = ({ metadata }: ReplicaSet): bigint => readRevision(metadata.annotations?.[revisionAnnotation]);

const revisionMax = 2n ** 63n - 1n;

export function readRevision(text: string | undefined): bigint {
  const value = /^[+-]?\d{1,19}$/.test(text ?? '') ? BigInt((text ?? '').replace('+', '')) : 0n;
  return value > revisionMax || value < -revisionMax ? 0n : value;
}

export const nextRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets.map(revisionOf).reduce((most, revision) => (revision > most ? revision : most), 0n) + 1n;

export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return sameMeaning(withoutHash(a), withoutHash(b));
}

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return template && { ...template, metadata: { ...template.metadata, labels } };
}

const byAge = (a: ReplicaSet, b: ReplicaSet): number => createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
export const oldestFirst = (sets: readonly ReplicaSet[]): ReplicaSet[] => [...sets].sort(byAge);
export const newestFirst = (sets: readonly ReplicaSet[]): ReplicaSet[] => [...sets].sort((a, b) => byAge(b, a));

/** Returns the set with the current template (the oldest of several), and all others. */
export function split(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): { readonly current: ReplicaSet | null; readonly old: readonly ReplicaSet[] } {
  const current = oldestFirst(sets).find((set) => sameTemplate(set.spec?.template, deployment.spec?.template)) ?? null;
  return { current, old: sets.filter((set) => !current || uidOf(set) !== uidOf(current)) };
}

/** Records the sizes at the time of scaling, for proportional scaling. */
export function sizeAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const replicas = deployment.spec?.replicas ?? 1;
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(replicas + maxSurge(deployment)) };
}

/** Returns the current set's annotations at `revision`. `isNew`: before its creation. */
export function currentAnnotations(deployment: Deployment, set: ReplicaSet | null, revision: bigint): Readonly<Record<string, string>> {
  const before = set?.metadata.annotations ?? {};
  const copied = Object.fromEntries(Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => takesOver(name)));
  const old = before[revisionAnnotation];
  const after: Record<string, string> = { ...before, ...copied, ...(set ? {} : sizeAnnotations(deployment)) };
  if (old !== undefined && readRevision(old) >= revision) return after;
  after[revisionAnnotation] = String(revision);
  // It had a revision before: in a rollback, former numbers are kept.
  if (old !== undefined) after[historyAnnotation] = history(before[historyAnnotation], old);
  return after;
}

function history(before: string | undefined, revision: string): string {
  const numbers = before ? before.split(',') : [];
  while (numbers.length > 0 && [...numbers, revision].join(',').length > historyLengthMax) numbers.shift();
  return [...numbers, revision].join(',');
}

export function newSet(deployment: Deployment, replicas: number, revision: bigint): ReplicaSet {
  const { template, selector, minReadySeconds = 0 } = deployment.spec ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  return {
    metadata: {
      name: `${nameOf(deployment)}-${hash}`,
      namespace: namespaceOf(deployment),
      labels,
      annotations: currentAnnotations(deployment, null, revision),
      ownerReferences: [controllerReference(deployments, deployment)],
    },
    spec: {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
}
