import { nameOf, namespaceOf } from '../../api/meta/object.js';
import { type StatefulSet, statefulSets } from '../../api/types/apps/v1.js';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '../../api/types/core/v1.js';
import { podOf } from '../workloads/podTemplate.js';
import { revisionLabel } from './revisions.js';

const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

/** Null for names of another form. */
export function parseName(name: string): { readonly parent: string; readonly ordinal: number } | null {
  const match = /^(.*)-(\d+)$/.exec(name);
  const ordinal = Number(match?.[2]);
  return match?.[1] !== undefined && Number.isSafeInteger(ordinal) ? { parent: match[1], ordinal } : null;
}

export const ordinalOf = (pod: Pod): number => parseName(nameOf(pod))?.ordinal ?? -1;
export const isMember = (set: StatefulSet, pod: Pod): boolean => parseName(nameOf(pod))?.parent === nameOf(set);
export const startOf = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;
export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;
export const isInRange = (set: StatefulSet, ordinal: number): boolean =>
  ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);

const podName = (set: StatefulSet, ordinal: number): string => `${nameOf(set)}-${ordinal}`;
const claimName = (set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${nameOf(template)}-${podName(set, ordinal)}`;

/** Keyed by the volumes that mount the claims. */
export function claimsOf(set: StatefulSet, ordinal: number): ReadonlyMap<string, PersistentVolumeClaim> {
  const labels = set.spec?.selector?.matchLabels;
  return new Map(
    (set.spec?.volumeClaimTemplates ?? []).map((template) => {
      const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = template.metadata;
      const own = {
        ...metadata,
        name: claimName(set, template, ordinal),
        namespace: namespaceOf(set),
        ...(metadata.labels || labels ? { labels: { ...metadata.labels, ...labels } } : {}),
      };
      return [nameOf(template), { ...template, metadata: own }];
    }),
  );
}

function volumesWithClaims(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): readonly Volume[] {
  const claims = claimsOf(set, ordinal);
  const mounted = [...claims].map(([name, claim]) => ({ name, persistentVolumeClaim: { claimName: nameOf(claim) } }));
  return [...mounted, ...volumes.filter(({ name }) => !claims.has(name))];
}

const identityLabels = (pod: string, ordinal: number): Readonly<Record<string, string>> => ({
  [nameLabel]: pod,
  [indexLabel]: String(ordinal),
});

export function newPod(set: StatefulSet, template: PodTemplateSpec | undefined, revision: string, ordinal: number): Pod {
  const { metadata, spec } = podOf(template, statefulSets, set);
  const name = podName(set, ordinal);
  const volumes = volumesWithClaims(set, ordinal, spec?.volumes ?? []);
  const { serviceName } = set.spec ?? {};
  return {
    metadata: { ...metadata, name, labels: { ...metadata.labels, ...identityLabels(name, ordinal), [revisionLabel]: revision } },
    spec: { ...spec, hostname: name, ...(serviceName ? { subdomain: serviceName } : {}), ...(volumes.length > 0 ? { volumes } : {}) },
  };
}

export function identityMatches({ metadata }: Pod): boolean {
  const parsed = parseName(metadata.name ?? '');
  return parsed !== null && metadata.labels?.[nameLabel] === metadata.name && metadata.labels?.[indexLabel] === String(parsed.ordinal);
}

export function storageMatches(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod);
  return (set.spec?.volumeClaimTemplates ?? []).every((template) =>
    pod.spec?.volumes?.some(
      ({ name, persistentVolumeClaim }) =>
        name === nameOf(template) && persistentVolumeClaim?.claimName === claimName(set, template, ordinal),
    ),
  );
}

export function corrected(set: StatefulSet, pod: Pod): Pod {
  const ordinal = ordinalOf(pod);
  const labelled = { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...identityLabels(nameOf(pod), ordinal) } } };
  return storageMatches(set, pod)
    ? labelled
    : { ...labelled, spec: { ...pod.spec, volumes: volumesWithClaims(set, ordinal, pod.spec?.volumes ?? []) } };
}
