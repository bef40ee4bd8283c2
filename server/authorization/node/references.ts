import type { ApiObject, JsonValue } from '../../../api/object.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';

export type ReferencedKind = 'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts' | 'resourceclaims' | 'pods';

/** Key of an object in the graph: `secrets/NAMESPACE/NAME`. */
export type ObjectKey = string;
export const keyOf = (kind: ReferencedKind, namespace: string, name: string): ObjectKey => `${kind}/${namespace}/${name}`;

/** The kubelet itself creates such pods, whose references grant nothing. */
const mirror = 'kubernetes.io/config.mirror';

const volumeSecrets = [
  ['secret', 'secretName'],
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef', 'name'],
  ['cinder', 'secretRef', 'name'],
  ['flexVolume', 'secretRef', 'name'],
  ['rbd', 'secretRef', 'name'],
  ['scaleIO', 'secretRef', 'name'],
  ['iscsi', 'secretRef', 'name'],
  ['storageos', 'secretRef', 'name'],
  ['csi', 'nodePublishSecretRef', 'name'],
] as const;

export function podReferences(pod: ApiObject): ReadonlySet<ObjectKey> {
  const { namespace = '', name = '', annotations = {} } = pod.metadata;
  const keys = new Set<ObjectKey>([keyOf('pods', namespace, name)]);
  if (Object.hasOwn(annotations, mirror)) return keys;
  const add = (kind: ReferencedKind, referenced: string): void => {
    if (referenced !== '') keys.add(keyOf(kind, namespace, referenced));
  };
  const spec = memberAt(pod, 'spec');
  add('serviceaccounts', textAt(spec, 'serviceAccountName'));
  for (const secret of itemsOf(memberAt(spec, 'imagePullSecrets'))) add('secrets', textAt(secret, 'name'));
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const container of itemsOf(memberAt(spec, list))) addOfContainer(container, add);
  for (const volume of itemsOf(memberAt(spec, 'volumes'))) addOfVolume(volume, name, add);
  addClaims(pod, add);
  return keys;
}

const changeable = ['"ephemeralContainers"', '"resourceClaimStatuses"', '"extendedResourceClaimStatus"'];

/** Other references of a bound pod are immutable (`graph_populator.go`). */
export const mayChangeReferences = (item: Buffer): boolean => changeable.some((member) => item.includes(member));

type Add = (kind: ReferencedKind, name: string) => void;

function addOfContainer(container: JsonValue, add: Add): void {
  for (const variable of itemsOf(memberAt(container, 'env'))) {
    add('secrets', textAt(variable, 'valueFrom', 'secretKeyRef', 'name'));
    add('configmaps', textAt(variable, 'valueFrom', 'configMapKeyRef', 'name'));
  }
  for (const source of itemsOf(memberAt(container, 'envFrom'))) {
    add('secrets', textAt(source, 'secretRef', 'name'));
    add('configmaps', textAt(source, 'configMapRef', 'name'));
  }
}

function addOfVolume(volume: JsonValue, podName: string, add: Add): void {
  for (const path of volumeSecrets) add('secrets', textAt(volume, ...path));
  add('configmaps', textAt(volume, 'configMap', 'name'));
  for (const source of itemsOf(memberAt(volume, 'projected', 'sources'))) {
    add('secrets', textAt(source, 'secret', 'name'));
    add('configmaps', textAt(source, 'configMap', 'name'));
  }
  add('persistentvolumeclaims', textAt(volume, 'persistentVolumeClaim', 'claimName'));
  if (memberAt(volume, 'ephemeral') !== undefined) add('persistentvolumeclaims', `${podName}-${textAt(volume, 'name')}`);
}

/** The status names claims made from templates. */
function addClaims(pod: ApiObject, add: Add): void {
  for (const claim of itemsOf(memberAt(pod, 'spec', 'resourceClaims'))) add('resourceclaims', textAt(claim, 'resourceClaimName'));
  for (const claim of itemsOf(memberAt(pod, 'status', 'resourceClaimStatuses'))) add('resourceclaims', textAt(claim, 'resourceClaimName'));
  add('resourceclaims', textAt(pod, 'status', 'extendedResourceClaimStatus', 'resourceClaimName'));
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'nodePublishSecretRef',
  'nodeStageSecretRef',
  'controllerExpandSecretRef',
  'nodeExpandSecretRef',
] as const;
const volumeSecretRefs = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const;

/** Returns a volume's bound claim and the secrets of its users; null when unbound. Pure. */
export function volumeReferences(volume: ApiObject): { readonly claim: ObjectKey; readonly secrets: ReadonlySet<ObjectKey> } | null {
  const spec = memberAt(volume, 'spec');
  const namespace = textAt(spec, 'claimRef', 'namespace');
  const claim = textAt(spec, 'claimRef', 'name');
  if (claim === '') return null;
  const secrets = new Set<ObjectKey>();
  const add = (name: string, own: string): void => {
    if (name !== '') secrets.add(keyOf('secrets', own || namespace, name));
  };
  add(textAt(spec, 'azureFile', 'secretName'), textAt(spec, 'azureFile', 'secretNamespace'));
  for (const source of volumeSecretRefs) add(textAt(spec, source, 'secretRef', 'name'), textAt(spec, source, 'secretRef', 'namespace'));
  for (const member of csiSecrets) add(textAt(spec, 'csi', member, 'name'), textAt(spec, 'csi', member, 'namespace'));
  return { claim: keyOf('persistentvolumeclaims', namespace, claim), secrets };
}
