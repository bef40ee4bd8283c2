import { setTimeout } from 'node:timers/promises';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { forbidden } from '../../api/status.js';
import { ensureObject, objectAt, objectsIn } from '../../registry/defaulting.js';
import { generatedName } from '../../registry/generatedName.js';
import { itemsOf, textAt } from '../../registry/members.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { annotationsOf, MIRROR_ANNOTATION } from '../../kinds/core/pod/annotations.js';
import type { AdmissionPlugin, AdmissionRequest } from '../contract.js';
import type { Lookup } from '../lookup.js';
import { forbiddenDebugSecret, forbiddenSecret } from './mountableSecrets.js';

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
function mountToken(spec: JsonObject, newName: () => string): void {
  const present = objectsIn(spec, 'volumes')
    .map((volume) => textAt(volume, 'name'))
    .find((name) => name.startsWith(VOLUME_PREFIX));
  const name = present ?? newName();
  let mounted = false;
  for (const container of [...objectsIn(spec, 'initContainers'), ...objectsIn(spec, 'containers')]) {
    const mounts = objectsIn(container, 'volumeMounts');
    if (mounts.some((mount) => textAt(mount, 'mountPath') === MOUNT_PATH)) continue;
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
  const projects = objectsIn(spec, 'volumes').some((volume) =>
    objectsIn(objectAt(volume, 'projected') ?? {}, 'sources').some((source) => objectAt(source, 'serviceAccountToken') !== null),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : null;
}

/** The default account of a namespace is made by a controller, a moment after the namespace itself. */
const DEFAULT_ACCOUNT_ATTEMPTS = 10;
const ATTEMPT_DISTANCE_MS = 100;

export interface ServiceAccountParts {
  readonly lookup: Lookup;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Waits so many milliseconds. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Gives every pod an account, and what belongs to it. */
export const serviceAccount = ({ lookup, random, pause = setTimeout }: ServiceAccountParts): AdmissionPlugin => {
  const accountOf = async ({ namespace, name }: AdmissionRequest, spec: JsonObject): Promise<ApiObject> => {
    const accountName = textAt(spec, 'serviceAccountName');
    for (let attempt = 1; ; attempt++) {
      const complaints = pathSegmentName(accountName, false);
      if (complaints.length > 0)
        throw forbidden(
          PODS,
          name,
          `error looking up service account ${namespace}/${accountName}: invalid resource name ${JSON.stringify(accountName)}: [${complaints.join(' ')}]`,
        );
      const account = await lookup.find(ACCOUNTS, namespace, accountName);
      if (account !== null) return account;
      if (accountName !== DEFAULT_ACCOUNT || attempt >= DEFAULT_ACCOUNT_ATTEMPTS) {
        throw forbidden(
          PODS,
          name,
          `error looking up service account ${namespace}/${accountName}: serviceaccount ${JSON.stringify(accountName)} not found`,
        );
      }
      await pause(ATTEMPT_DISTANCE_MS * (1 + random()));
    }
  };
  return {
    name: 'ServiceAccount',
    resources: ['pods'],
    async admit(request) {
      if (!isNewPod(request)) return;
      const spec = ensureObject(request.object, 'spec');
      if (isMirror(request.object)) {
        const problem = mirrorProblem(spec);
        if (problem !== null) throw forbidden(PODS, request.name, problem);
        return;
      }
      const accountName = textAt(spec, 'serviceAccountName') || DEFAULT_ACCOUNT;
      spec['serviceAccountName'] = accountName;
      spec['serviceAccount'] = accountName;
      const account = await accountOf(request, spec);
      if (wantsToken(spec, account)) mountToken(spec, () => generatedName(VOLUME_PREFIX, random));
      const secrets = itemsOf(account['imagePullSecrets']);
      if (itemsOf(spec['imagePullSecrets']).length === 0 && secrets.length > 0) spec['imagePullSecrets'] = [...secrets];
    },
    async validate(request) {
      const debugs = request.subresource === 'ephemeralcontainers' && request.operation === 'UPDATE';
      if (request.object === null || isMirror(request.object) || !(debugs || isNewPod(request))) return;
      const spec = ensureObject(request.object, 'spec');
      const problem = (debugs ? forbiddenDebugSecret : forbiddenSecret)(spec, await accountOf(request, spec));
      if (problem !== null) throw forbidden(PODS, request.name, problem);
    },
  };
};

const isMirror = (pod: ApiObject): boolean => Object.hasOwn(annotationsOf(pod), MIRROR_ANNOTATION);
const isNewPod = (request: AdmissionRequest): request is AdmissionRequest & { readonly object: ApiObject } =>
  request.operation === 'CREATE' && request.subresource === '' && request.object !== null;
