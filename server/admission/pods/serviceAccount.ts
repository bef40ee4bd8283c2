import type { ApiObject, JsonObject } from '../../api/object.js';
import { forbidden } from '../../api/status.js';
import { ensureObject, objectAt, objectsIn } from '../../registry/defaulting.js';
import { generatedName } from '../../registry/generatedName.js';
import { itemsOf, textAt } from '../../registry/members.js';
import { annotationsOf, MIRROR_ANNOTATION } from '../../registry/core/pod/annotations.js';
import type { AdmissionPlugin } from '../contract.js';
import type { Lookup } from '../lookup.js';

const ACCOUNTS = { group: '', resource: 'serviceaccounts' };
const PODS = { group: '', resource: 'pods' };
const DEFAULT_ACCOUNT = 'default';
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** A little over an hour: such tokens were extended to a year for old clients, and are recognised by this number. */
const TOKEN_SECONDS = 3607;
const FILE_MODE = 0o644;

/** Token, certificate authority and namespace, as every pod finds them. */
const accessVolume = (name: string): JsonObject => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: FILE_MODE,
  },
});

/** Mounts the account's token where containers have nothing else. */
export function mountToken(spec: JsonObject, newName: () => string): void {
  const present = objectsIn(spec, 'volumes').map(volume => textAt(volume, 'name')).find(name => name.startsWith(VOLUME_PREFIX));
  const name = present ?? newName();
  let mounted = false;
  for (const container of [...objectsIn(spec, 'initContainers'), ...objectsIn(spec, 'containers')]) {
    const mounts = objectsIn(container, 'volumeMounts');
    if (mounts.some(mount => textAt(mount, 'mountPath') === MOUNT_PATH)) continue;
    container['volumeMounts'] = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    mounted = true;
  }
  if (present === undefined && mounted) spec['volumes'] = [...objectsIn(spec, 'volumes'), accessVolume(name)];
}

/** The pod decides, else its account, else yes. */
const wantsToken = (spec: JsonObject, account: ApiObject): boolean => {
  const own = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'];
  return own !== false;
};

/** Why the shadow of a pod that a node runs by itself cannot be as it is, or null: it has no identity in the cluster. */
function mirrorProblem(spec: JsonObject): string | null {
  if (textAt(spec, 'serviceAccountName') !== '') return 'a mirror pod may not reference service accounts';
  const projects = objectsIn(spec, 'volumes').some(volume => objectsIn(objectAt(volume, 'projected') ?? {}, 'sources').some(source => objectAt(source, 'serviceAccountToken') !== null));
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : null;
}

/** Gives every pod an account, and what belongs to it. `random` gives numbers in [0, 1). */
export const serviceAccount = (lookup: Lookup, random: () => number): AdmissionPlugin => ({
  name: 'ServiceAccount',
  resources: ['pods'],
  async admit({ operation, subresource, object, namespace, name }) {
    if (operation !== 'CREATE' || subresource !== '' || object === null) return;
    const spec = ensureObject(object, 'spec');
    if (Object.hasOwn(annotationsOf(object), MIRROR_ANNOTATION)) {
      const problem = mirrorProblem(spec);
      if (problem !== null) throw forbidden(PODS, name, problem);
      return;
    }
    const accountName = textAt(spec, 'serviceAccountName') || DEFAULT_ACCOUNT;
    spec['serviceAccountName'] = accountName;
    spec['serviceAccount'] = accountName;
    const account = await lookup.find(ACCOUNTS, namespace, accountName);
    // Every namespace gets its default account, but a moment later than itself.
    if (account === null && accountName !== DEFAULT_ACCOUNT) {
      throw forbidden(PODS, name, `error looking up service account ${namespace}/${accountName}: serviceaccount ${JSON.stringify(accountName)} not found`);
    }
    if (wantsToken(spec, account ?? { metadata: {} })) mountToken(spec, () => generatedName(VOLUME_PREFIX, random));
    const secrets = itemsOf(account?.['imagePullSecrets']);
    if (itemsOf(spec['imagePullSecrets']).length === 0 && secrets.length > 0) spec['imagePullSecrets'] = [...secrets];
  },
});
