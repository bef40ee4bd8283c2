import { setTimeout } from 'node:timers/promises';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { generatedName } from '../../registry/generatedName.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { annotationsOf, mirrorAnnotation } from '../../kinds/core/pod/annotations.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { forbiddenDebugSecret, forbiddenSecret, namesSecret } from './mountableSecrets.js';

const accounts = { group: '', resource: 'serviceaccounts' };
const pods = { group: '', resource: 'pods' };
const defaultAccount = 'default';
const volumePrefix = 'kube-api-access-';
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Slightly over an hour: this number identifies tokens to be extended for old clients. */
const tokenSeconds = 3607;
const fileMode = 0o644;

/** The token, certificate authority and namespace that every pod finds. */
const accessVolume = (name: string): JsonObject => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: fileMode,
  },
});

/** Mounts the account's token in containers with a free path. */
function mountToken(spec: JsonObject, newName: () => string): void {
  const present = objectsIn(spec, 'volumes')
    .map((volume) => textAt(volume, 'name'))
    .find((name) => name.startsWith(volumePrefix));
  const name = present ?? newName();
  let mounted = false;
  for (const container of [...objectsIn(spec, 'initContainers'), ...objectsIn(spec, 'containers')]) {
    const mounts = objectsIn(container, 'volumeMounts');
    if (mounts.some((mount) => textAt(mount, 'mountPath') === mountPath)) continue;
    container['volumeMounts'] = [...mounts, { name, readOnly: true, mountPath: mountPath }];
    mounted = true;
  }
  if (present === undefined && mounted) spec['volumes'] = [...objectsIn(spec, 'volumes'), accessVolume(name)];
}

/** The pod decides, else its account; the default is yes. */
const wantsToken = (spec: JsonObject, account: ApiObject): boolean => {
  const own = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'];
  return own !== false;
};

/** Returns why a mirror pod is invalid, or null. Static pods have no identity in the cluster. */
function mirrorProblem(spec: JsonObject): string | null {
  if (textAt(spec, 'serviceAccountName') !== '') return 'a mirror pod may not reference service accounts';
  if (namesSecret(spec)) return 'a mirror pod may not reference secrets';
  const projects = objectsIn(spec, 'volumes').some((volume) =>
    objectsIn(objectAt(volume, 'projected') ?? {}, 'sources').some((source) => objectAt(source, 'serviceAccountToken') !== null),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : null;
}

/** A controller creates a namespace's default account shortly after the namespace. */
const defaultAccountAttempts = 10;
const attemptDistanceMs = 100;

export interface ServiceAccountParts {
  readonly lookup: Lookup;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

async function accountOf(
  { namespace, name }: AdmissionRequest,
  spec: JsonObject,
  { lookup, random, pause = setTimeout }: ServiceAccountParts,
): Promise<ApiObject> {
  const accountName = textAt(spec, 'serviceAccountName');
  const failed = (why: string): Error => forbidden(pods, name, `error looking up service account ${namespace}/${accountName}: ${why}`);
  for (let attempt = 1; ; attempt++) {
    const problems = pathSegmentName(accountName, false);
    if (problems.length > 0) throw failed(`invalid resource name ${JSON.stringify(accountName)}: [${problems.join(' ')}]`);
    const account = await lookup.find(accounts, namespace, accountName);
    if (account !== null) return account;
    if (accountName !== defaultAccount || attempt >= defaultAccountAttempts)
      throw failed(`serviceaccount ${JSON.stringify(accountName)} not found`);
    await pause(attemptDistanceMs * (1 + random()));
  }
}

export const serviceAccount = (parts: ServiceAccountParts): AdmissionPlugin => ({
  name: 'ServiceAccount',
  resources: ['pods'],
  async admit(request) {
    if (!isNewPod(request)) return;
    const spec = ensureObject(request.object, 'spec');
    if (isMirror(request.object)) {
      refuse(request, mirrorProblem(spec));
      return;
    }
    const accountName = textAt(spec, 'serviceAccountName') || defaultAccount;
    spec['serviceAccountName'] = accountName;
    spec['serviceAccount'] = accountName;
    const account = await accountOf(request, spec, parts);
    if (wantsToken(spec, account)) mountToken(spec, () => generatedName(volumePrefix, parts.random));
    const secrets = itemsOf(account['imagePullSecrets']);
    if (itemsOf(spec['imagePullSecrets']).length === 0 && secrets.length > 0) spec['imagePullSecrets'] = [...secrets];
    // Admit ends with Validate (serviceaccount/admission.go): this refusal precedes those of the pod.
    refuse(request, forbiddenSecret(spec, account));
  },
  async validate(request) {
    const debugs = request.subresource === 'ephemeralcontainers' && request.operation === 'UPDATE';
    if (request.object === null || isMirror(request.object) || !(debugs || isNewPod(request))) return;
    const spec = ensureObject(request.object, 'spec');
    refuse(request, (debugs ? forbiddenDebugSecret : forbiddenSecret)(spec, await accountOf(request, spec, parts)));
  },
});

function refuse({ name }: AdmissionRequest, problem: string | null): void {
  if (problem !== null) throw forbidden(pods, name, problem);
}

const isMirror = (pod: ApiObject): boolean => Object.hasOwn(annotationsOf(pod), mirrorAnnotation);
const isNewPod = (request: AdmissionRequest): request is AdmissionRequest & { readonly object: ApiObject } =>
  request.operation === 'CREATE' && request.subresource === '' && request.object !== null;
