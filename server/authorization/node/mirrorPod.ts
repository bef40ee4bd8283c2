import type { ApiObject, JsonObject } from '../../../api/object.js';
import { notFound } from '../../../api/status.js';
import type { Lookup } from '../../registry/lookup.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { podReferences } from './references.js';

export const mirrorAnnotation = 'kubernetes.io/config.mirror';
const nodes = { group: '', resource: 'nodes' };

/** Returns why a node may not create this pod, or null. Permitted are mirrors of static pods on this node that read nothing of the cluster. */
export async function mirrorPodProblem(node: string, pod: ApiObject, lookup: Lookup): Promise<string | null> {
  const name = JSON.stringify(node);
  if (!Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation))
    return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, node ${name} can only create mirror pods`;
  if (textAt(pod, 'spec', 'nodeName') !== node) return `node ${name} can only create pods with spec.nodeName set to itself`;
  const wrongOwner = ownerProblem(node, pod);
  if (wrongOwner !== null) return wrongOwner;
  const found = await lookup.find(nodes, '', node);
  if (found === null) throw notFound(nodes, node);
  const uid = found.metadata.uid ?? '';
  const owner = pod.metadata.ownerReferences?.[0]?.uid ?? '';
  if (uid !== owner) return `node ${node} UID mismatch: expected ${owner} got ${uid}`;
  return referenceProblem(name, pod);
}

function ownerProblem(node: string, pod: ApiObject): string | null {
  const name = JSON.stringify(node);
  const owners = pod.metadata.ownerReferences ?? [];
  const [owner] = owners;
  if (owners.length > 1) return `node ${name} can only create pods with a single owner reference set to itself`;
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `node ${name} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) return `node ${name} can only create pods with a controller owner reference set to itself`;
  return owner.blockOwnerDeletion === true ? `node ${name} must not set blockOwnerDeletion on an owner reference` : null;
}

function referenceProblem(name: string, pod: ApiObject): string | null {
  const spec = objectAt(pod, 'spec') ?? {};
  const known = new Set([...podReferences({ ...pod, metadata: { ...pod.metadata, annotations: {} } })].map((key) => key.split('/', 1)[0]!));
  const kind =
    ['serviceaccounts', 'secrets', 'configmaps'].find((each) => known.has(each)) ??
    (itemsOf(spec['resourceClaims']).length > 0 ? 'resourceclaims' : null);
  if (kind !== null) return `node ${name} can not create pods that reference ${kind}`;
  for (const volume of objectsIn(spec, 'volumes')) {
    const found = volumeReference(volume);
    if (found === 'unknown')
      return `error checking mirror pod for API references: unknown volume type for volume ${JSON.stringify(textAt(volume, 'name'))}`;
    if (found !== null) return `node ${name} can not create pods that reference ${found}`;
  }
  return null;
}

/** Sources without cluster content. */
const localSources = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];
/** Names of other sources' content. */
const sources: readonly (readonly [string, string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
];
const projectedSources: readonly (readonly [string, string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
];

/** Unknown volume types are refused. */
function volumeReference(volume: JsonObject): string | null {
  const has = (source: JsonObject, member: string): boolean => memberAt(source, member) !== undefined && memberAt(source, member) !== null;
  if (localSources.some((member) => has(volume, member))) return null;
  const found = sources.find(([member]) => has(volume, member));
  if (found !== undefined) return found[1];
  if (!has(volume, 'projected')) return 'unknown';
  for (const source of objectsIn(objectAt(volume, 'projected') ?? {}, 'sources')) {
    const projected = projectedSources.find(([member]) => has(source, member));
    if (projected !== undefined) return projected[1];
    if (!has(source, 'downwardAPI')) return 'unknown';
  }
  return null;
}
