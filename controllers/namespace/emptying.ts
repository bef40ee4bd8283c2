import type { Api } from '../client/api.js';
import type { DiscoveredType, Discovery } from '../client/discovery.js';
import { ApiError, isNotFound, messageOf } from '../client/errors.js';
import { type KubeObject, nameOf } from '../../api/meta/object.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import { apiVersionOf, type Resource } from '../../api/meta/resource.js';
import type { Findings } from './conditions.js';

/** An attempt to empty a namespace, and the time of the next. */
export interface Attempt {
  readonly findings: Findings;
  /** Expected seconds until remaining objects are gone; null without any. */
  readonly waitSeconds: number | null;
}

/** Time for objects with finalizers before the next check, as in the reference. */
const finalizerSeconds = 15;
/** Types emptied at the same time. */
const typesAtOnce = 8;

interface TypeResult {
  readonly remaining: number;
  readonly finalizers: readonly string[];
  readonly waitSeconds: number;
  readonly failure: string | null;
}

/** Deletes the contents of a namespace: pods first, then the rest, which may protect pods (a network policy). */
export async function empty(api: Api, namespace: string, discovery: Discovery, sinceDeletionMs: number): Promise<Attempt> {
  const types = discovery.types.filter(({ namespaced, verbs }) => namespaced && verbs.has('delete'));
  const isPods = ({ group, resource }: DiscoveredType): boolean => group === '' && resource === 'pods';
  const first = await emptyTypes(api, namespace, types.filter(isPods), sinceDeletionMs);
  const podsAreGone = first.every(([, { remaining, failure }]) => remaining === 0 && failure === null);
  const rest = podsAreGone
    ? await emptyTypes(
        api,
        namespace,
        types.filter((type) => !isPods(type)),
        sinceDeletionMs,
      )
    : [];
  // While pods remain, other remaining objects are not reported (`deleteAllContent` in pkg/controller/namespace/deletion).
  return summary([...first, ...rest], podsAreGone ? [...first, ...rest] : [], discovery.failed);
}

type Results = readonly (readonly [DiscoveredType, TypeResult])[];

/** The conditions tell what remains of the `reported`. */
function summary(results: Results, reported: Results, discoveryFailures: readonly string[]): Attempt {
  const counted = reported.filter(([, { remaining, failure }]) => remaining > 0 && failure === null);
  const finalizers = new Map<string, number>();
  for (const [, result] of counted) for (const name of result.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  const deletionFailures = results.flatMap(([, { failure }]) => failure ?? []);
  const remains = results.some(([, { remaining }]) => remaining > 0) || deletionFailures.length > 0 || discoveryFailures.length > 0;
  return {
    findings: {
      discoveryFailures,
      deletionFailures,
      remaining: new Map(counted.map(([{ resource, group }, { remaining }]) => [`${resource}.${group}`, remaining])),
      finalizers,
    },
    waitSeconds: remains ? Math.max(0, ...results.map(([, { waitSeconds }]) => waitSeconds)) : null,
  };
}

async function emptyTypes(
  api: Api,
  namespace: string,
  types: readonly DiscoveredType[],
  sinceDeletionMs: number,
): Promise<(readonly [DiscoveredType, TypeResult])[]> {
  const results: (readonly [DiscoveredType, TypeResult])[] = [];
  const waiting = [...types];
  const worker = async (): Promise<void> => {
    for (let type = waiting.shift(); type; type = waiting.shift())
      results.push([type, await emptyType(api, namespace, type, sinceDeletionMs)]);
  };
  await Promise.all(Array.from({ length: typesAtOnce }, worker));
  return results;
}

async function emptyType(api: Api, namespace: string, type: DiscoveredType, sinceDeletionMs: number): Promise<TypeResult> {
  const gone: TypeResult = { remaining: 0, finalizers: [], waitSeconds: 0, failure: null };
  try {
    const graceSeconds = await graceOf(api, namespace, type, sinceDeletionMs);
    if (!(await deleteAll(api, namespace, type))) return gone;
    const items = await itemsOf(api, namespace, type);
    if (items.length === 0) return gone;
    const finalizers = items.flatMap(({ metadata }) => metadata.finalizers ?? []);
    const waitSeconds = graceSeconds > 0 ? graceSeconds : finalizers.length > 0 ? finalizerSeconds : 0;
    const failure =
      waitSeconds > 0
        ? null
        : `unexpected items still remain in namespace: ${namespace} for gvr: ${apiVersionOf(type).includes('/') ? apiVersionOf(type) : `/${type.version}`}, Resource=${type.resource}`;
    return { remaining: items.length, finalizers, waitSeconds, failure };
  } catch (error) {
    // A type that was removed meanwhile has no objects.
    if (isNotFound(error) || (error instanceof ApiError && error.code === 405)) return gone;
    return { ...gone, failure: messageOf(error) };
  }
}

/** Returns whether the type can be listed; others (reviews) have no objects. */
async function deleteAll(api: Api, namespace: string, type: DiscoveredType): Promise<boolean> {
  if (!type.verbs.has('list')) return false;
  const policy = { propagationPolicy: 'Background' } as const;
  if (type.verbs.has('deletecollection')) {
    await api.deleteCollection(type, namespace, policy);
    return true;
  }
  for (const item of await itemsOf(api, namespace, type)) {
    await api.delete(type, { namespace, name: nameOf(item) }, policy).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
  return true;
}

const itemsOf = async (api: Api, namespace: string, type: Resource): Promise<readonly KubeObject[]> =>
  (await api.list(type, { namespace, metadataOnly: true })).items;

/** Returns how long pods may take to terminate: the longest grace period since the deletion of the namespace; 0 afterwards. */
async function graceOf(api: Api, namespace: string, type: DiscoveredType, sinceDeletionMs: number): Promise<number> {
  if (type.group !== '' || type.resource !== 'pods') return 0;
  const running = (await api.list(pods, { namespace })).items.filter(
    ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  const graceSeconds = Math.max(0, ...running.map((pod) => (pod as GracefulPod).spec?.terminationGracePeriodSeconds ?? 0));
  return sinceDeletionMs >= graceSeconds * 1000 ? 0 : graceSeconds;
}

interface GracefulPod extends Pod {
  readonly spec?: Pod['spec'] & { readonly terminationGracePeriodSeconds?: number };
}
