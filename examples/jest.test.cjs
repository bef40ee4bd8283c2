// jest jest.test.cjs
//
// jest loads CommonJS unless it is told otherwise, and so is this file, with the operator. It is written with `raftplane/client`; the operator of the other
// examples uses a client that CommonJS cannot load.
const { startCluster } = require('raftplane/testing');
const { QueueController, controllerProgram, isAlreadyExists, loadKubeconfig, resource, unless } = require('raftplane/client');

const greetings = resource({ apiVersion: 'example.org/v1', resource: 'greetings', kind: 'Greeting' });
const configMaps = resource({ apiVersion: 'v1', resource: 'configmaps', kind: 'ConfigMap' });

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'greetings.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Greeting', plural: 'greetings', singular: 'greeting' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { to: { type: 'string' } } } } } },
      },
    ],
  },
};

/** Gives each Greeting a ConfigMap of its name that says hello, and keeps it right. Resolves when `signal` ends it. */
function runOperator(kubeconfigFile, signal) {
  const program = controllerProgram(loadKubeconfig(kubeconfigFile), { name: 'greeter', signal });
  const { api, informers } = program.environment;
  const controller = new QueueController(program.environment, {
    name: 'greeter',
    workers: 2,
    async sync(key) {
      const greeting = informers.of(greetings).cache.get(key);
      if (!greeting) return;
      const { name, namespace } = greeting.metadata;
      const data = { text: `Hello, ${greeting.spec.to}!` };
      const map = informers.of(configMaps).cache.get(key);
      // Whatever goes wrong is tried again by the queue. One that exists already comes into the cache soon.
      if (!map) await unless(isAlreadyExists, api.create(configMaps, { metadata: { name, namespace }, data }));
      else if (map.data?.text !== data.text) await api.update(configMaps, { ...map, data });
    },
  });
  controller.watch(greetings);
  controller.watch(configMaps);
  return program.run(controller);
}

const greeting = (name, to) => ({ apiVersion: 'example.org/v1', kind: 'Greeting', metadata: { name, namespace: 'default' }, spec: { to } });
const answer = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('the operator', () => {
  const stopping = new AbortController();
  let cluster, running;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    await cluster.installCRDs(definition);
    running = runOperator(cluster.kubeconfigPath, stopping.signal);
  }, 60_000);
  afterAll(async () => {
    stopping.abort();
    await running;
    await cluster?.stop();
  });

  test('goes on when the leader dies', async () => {
    const leader = await cluster.leader();
    await leader.kill();
    await cluster.apply(greeting('after', 'Grace'));
    const made = await cluster.waitFor(answer('after'), 'has(object.data)', { timeoutMs: 30_000 });
    expect(made.data).toEqual({ text: 'Hello, Grace!' });
    await leader.restart();
  }, 60_000);

  test('reads again what somebody else has changed meanwhile', async () => {
    await cluster.apply(greeting('changed', 'Ada'));
    await cluster.waitFor(answer('changed'), 'object.data.text == "Hello, Ada!"');
    const conflict = await cluster.fail('PUT /api/v1/namespaces/*/configmaps/*', { status: 409, times: 2 });
    await cluster.apply(greeting('changed', 'Barbara'));
    await cluster.waitFor(answer('changed'), 'object.data.text == "Hello, Barbara!"');
    expect(conflict.hits).toBe(2);
  }, 60_000);
});
