import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';

const ENFORCED = 'kubernetes.io/enforce-mountable-secrets';
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** How containers of a list are called in complaints. */
const CALLED: Readonly<Record<string, string>> = { initContainers: 'init container', containers: 'container', ephemeralContainers: 'ephemeral container' };

/** An account may say that its pods use the secrets that it lists, and no others. Says which one is not listed, or null. `lists`: the containers to look at. */
export function forbiddenSecret(spec: JsonObject, account: ApiObject, lists: readonly string[]): string | null {
  if (!TRUE.has(account.metadata.annotations?.[ENFORCED] ?? '')) return null;
  const listed = (member: string, name: string): boolean => objectsIn(account, member).some(secret => textAt(secret, 'name') === name);
  const lacking = ` is not allowed because service account ${account.metadata.name ?? ''} does not reference that `;
  const mounted = objectsIn(spec, 'volumes').map(volume => objectAt(volume, 'secret')).filter(secret => secret !== null)
    .map(secret => textAt(secret, 'secretName')).find(name => !listed('secrets', name));
  if (mounted !== undefined) return `volume with secret.secretName=${JSON.stringify(mounted)}${lacking}secret`;
  const read = lists.flatMap(list => objectsIn(spec, list).flatMap(container => variablesOf(container).map(variable => ({ ...variable, who: `${CALLED[list] ?? list} ${textAt(container, 'name')}` }))))
    .find(({ secret }) => !listed('secrets', secret));
  if (read !== undefined) return `${read.who} with envVar ${read.name} referencing secret.secretName=${JSON.stringify(read.secret)}${lacking}secret`;
  const pulled = objectsIn(spec, 'imagePullSecrets').map(secret => textAt(secret, 'name')).find(name => !listed('imagePullSecrets', name));
  return pulled === undefined ? null : `imagePullSecret ${JSON.stringify(pulled)}${lacking}imagePullSecret`;
}

/** Variables of the environment that secrets fill. */
const variablesOf = (container: JsonObject): { readonly name: string; readonly secret: string }[] => objectsIn(container, 'env').flatMap(variable => {
  const reference = objectAt(objectAt(variable, 'valueFrom') ?? {}, 'secretKeyRef');
  return reference === null ? [] : [{ name: textAt(variable, 'name'), secret: textAt(reference, 'name') }];
});
