import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';

const enforced = 'kubernetes.io/enforce-mountable-secrets';
const trueTexts: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Names of container lists in messages. */
const called: Readonly<Record<string, string>> = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
};

interface Use {
  readonly what: string;
  readonly secret: string;
}

/**
 * An account may restrict its pods to listed secrets. Returns an error for another one, or null. Order and messages are the reference's; unlike it, this also
 * checks projected volumes.
 */
export function forbiddenSecret(spec: JsonObject, account: ApiObject): string | null {
  if (!isStrict(account)) return null;
  const used = [
    ...objectsIn(spec, 'volumes').flatMap(usesOfVolume),
    ...['initContainers', 'containers'].flatMap((list) => usesOfContainers(spec, list)),
  ];
  const unlisted = unlistedUse(used, account);
  if (unlisted !== null) return unlisted;
  const pullable = namesIn(account, 'imagePullSecrets');
  const names = objectsIn(spec, 'imagePullSecrets').map((secret) => textAt(secret, 'name'));
  const at = names.findIndex((name) => !pullable.has(name));
  return at < 0 ? null : `imagePullSecrets[${at}].name=${JSON.stringify(names[at])}${lacking(account)}imagePullSecret`;
}

/** The same for ephemeral containers, added to an admitted pod. */
export const forbiddenDebugSecret = (spec: JsonObject, account: ApiObject): string | null =>
  isStrict(account) ? unlistedUse(usesOfContainers(spec, 'ephemeralContainers'), account) : null;

const isStrict = (account: ApiObject): boolean => trueTexts.has(account.metadata.annotations?.[enforced] ?? '');
const namesIn = (account: ApiObject, member: string): ReadonlySet<string> =>
  new Set(objectsIn(account, member).map((secret) => textAt(secret, 'name')));
const lacking = (account: ApiObject): string =>
  ` is not allowed because service account ${account.metadata.name ?? ''} does not reference that `;

function unlistedUse(used: readonly Use[], account: ApiObject): string | null {
  const mountable = namesIn(account, 'secrets');
  const found = used.find(({ secret }) => !mountable.has(secret));
  return found === undefined ? null : `${found.what}secret.secretName=${JSON.stringify(found.secret)}${lacking(account)}secret`;
}

const volumeSecrets = [
  ['secret', 'secretName'],
  ['azureFile', 'secretName'],
  ['csi', 'nodePublishSecretRef', 'name'],
  ...['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'].map((source) => [source, 'secretRef', 'name']),
];

export const namesSecret = (spec: JsonObject): boolean =>
  objectsIn(spec, 'imagePullSecrets').some((secret) => textAt(secret, 'name') !== '') ||
  ['initContainers', 'containers', 'ephemeralContainers'].some((list) =>
    usesOfContainers(spec, list).some(({ secret }) => secret !== ''),
  ) ||
  objectsIn(spec, 'volumes').some(
    (volume) => usesOfVolume(volume).some(({ secret }) => secret !== '') || volumeSecrets.some((path) => textAt(volume, ...path) !== ''),
  );

function usesOfVolume(volume: JsonObject): Use[] {
  const own = objectAt(volume, 'secret');
  const projected = objectsIn(objectAt(volume, 'projected') ?? {}, 'sources')
    .map((source) => objectAt(source, 'secret'))
    .filter((secret) => secret !== null);
  return [
    ...(own === null ? [] : [{ what: 'volume with ', secret: textAt(own, 'secretName') }]),
    ...projected.map((secret) => ({ what: 'volume with projected ', secret: textAt(secret, 'name') })),
  ];
}

const usesOfContainers = (spec: JsonObject, list: string): Use[] =>
  objectsIn(spec, list).flatMap((container) => usesOfContainer(container, called[list] ?? list));

/** Environment variables from single secret keys or whole secrets. */
function usesOfContainer(container: JsonObject, called: string): Use[] {
  const who = `${called} ${textAt(container, 'name')}`;
  const single = objectsIn(container, 'env').flatMap((variable): Use[] => {
    const reference = objectAt(objectAt(variable, 'valueFrom') ?? {}, 'secretKeyRef');
    return reference === null
      ? []
      : [{ what: `${who} with envVar ${textAt(variable, 'name')} referencing `, secret: textAt(reference, 'name') }];
  });
  const whole = objectsIn(container, 'envFrom').flatMap((source): Use[] => {
    const reference = objectAt(source, 'secretRef');
    return reference === null ? [] : [{ what: `${who} with envFrom referencing `, secret: textAt(reference, 'name') }];
  });
  return [...single, ...whole];
}
