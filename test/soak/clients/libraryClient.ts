import { ApiException, CoreV1Api, KubeConfig, KubernetesObjectApi, PatchStrategy, type V1ConfigMap } from '@kubernetes/client-node';
import { configMapOf, storedOf, userLabel } from './ordinaryClient.js';
import type { ClientPlace, OrdinaryClient, PatchKind, Reply } from './ordinaryClient.js';

const strategies: Readonly<Record<PatchKind, PatchStrategy>> = {
  merge: PatchStrategy.MergePatch,
  strategic: PatchStrategy.StrategicMergePatch,
  // This patch accepts an object; an array of operations has no kind.
  json: PatchStrategy.MergePatch,
};

/** `@kubernetes/client-node`, which opens a connection for each request. */
export function libraryClient(place: ClientPlace): OrdinaryClient {
  const config = new KubeConfig();
  config.loadFromFile(place.kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const objects = KubernetesObjectApi.makeApiClient(config);
  const { namespace } = place;
  const own = { namespace, labelSelector: `${userLabel}=${place.user}` };
  /** The library gives the status only with errors. */
  const reply = async (status: number, request: Promise<unknown>): Promise<Reply> => {
    try {
      return { status, object: storedOf((await request) as V1ConfigMap) };
    } catch (error) {
      if (error instanceof ApiException) return { status: error.code, object: null };
      throw error;
    }
  };
  return {
    create: (name, text) => reply(201, api.createNamespacedConfigMap({ namespace, body: configMapOf(place, name, text) })),
    read: (name) => reply(200, api.readNamespacedConfigMap({ namespace, name })),
    replace: (name, text, resourceVersion) =>
      reply(200, api.replaceNamespacedConfigMap({ namespace, name, body: configMapOf(place, name, text, resourceVersion) })),
    patch: (name, text, kind) => {
      const body = configMapOf(place, name, text);
      return reply(200, objects.patch(body, undefined, undefined, 'soak', undefined, strategies[kind]));
    },
    remove: async (name) => ({ ...(await reply(200, api.deleteNamespacedConfigMap({ namespace, name }))), object: null }),
    list: async () => {
      const { items } = await api.listNamespacedConfigMap(own);
      return { status: 200, items: items.flatMap((item) => storedOf(item) ?? []) };
    },
    removeAll: async () => ({ ...(await reply(200, api.deleteCollectionNamespacedConfigMap(own))), object: null }),
    close: () => undefined,
  };
}
