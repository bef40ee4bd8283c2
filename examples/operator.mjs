import * as k8s from '@kubernetes/client-node';

const group = 'example.org';
const version = 'v1';
const plural = 'greetings';

/** What the operator adds to a cluster. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Greeting', plural, singular: 'greeting' },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { to: { type: 'string' } } },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

/** An operator: gives each Greeting a ConfigMap of its name that says hello, and keeps it right. Returns how to stop it. */
export async function startOperator(kubeconfig) {
  const config = new k8s.KubeConfig();
  config.loadFromString(kubeconfig);
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const core = config.makeApiClient(k8s.CoreV1Api);
  const all = () => custom.listClusterCustomObject({ group, version, plural });
  const informer = k8s.makeInformer(config, `/apis/${group}/${version}/${plural}`, all);
  const timers = new Set();
  let stopped = false;

  async function reconcile(greeting) {
    const { name, namespace } = greeting.metadata;
    const data = { text: `Hello, ${greeting.spec.to}!` };
    const wanted = { metadata: { name, namespace }, data };
    try {
      await core.createNamespacedConfigMap({ namespace, body: wanted });
    } catch (error) {
      if (error.code !== 409) throw error;
      const now = await core.readNamespacedConfigMap({ name, namespace });
      if (now.data?.text !== data.text) await core.replaceNamespacedConfigMap({ name, namespace, body: { ...now, data } });
    }
  }

  /** Whatever goes wrong is tried again: a leader that dies takes requests with it, and a busy server sends some away. */
  function work(greeting) {
    reconcile(greeting).catch(() => again(() => work(greeting)));
  }

  function again(what) {
    if (stopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      what();
    }, 100);
    timers.add(timer);
  }

  for (const event of ['add', 'update']) informer.on(event, work);
  informer.on('error', () => again(() => informer.start().catch(() => undefined)));
  await informer.start();
  return async () => {
    stopped = true;
    for (const timer of timers) clearTimeout(timer);
    await informer.stop();
  };
}
