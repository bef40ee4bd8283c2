// mocha mocha.test.mjs
import assert from 'node:assert/strict';
import { startCluster } from 'raftplane/testing';
import { definition, startOperator } from './operator.mjs';

const greeting = (name, to) => ({ apiVersion: 'example.org/v1', kind: 'Greeting', metadata: { name, namespace: 'default' }, spec: { to } });
const answer = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('the operator', function () {
  this.timeout(60_000);
  let cluster, stopOperator;

  before(async () => {
    cluster = await startCluster({ controllers: false });
    await cluster.installCRDs(definition);
    stopOperator = await startOperator(cluster.kubeconfig);
  });
  after(async () => {
    await stopOperator?.();
    await cluster?.stop();
  });
  afterEach(function () {
    if (this.currentTest.state === 'failed') console.error(cluster.logs());
  });

  it('goes on when the leader dies', async () => {
    await cluster.apply(greeting('before', 'Ada'));
    await cluster.waitFor(answer('before'), (object) => object?.data.text === 'Hello, Ada!');
    const leader = await cluster.leader();
    await leader.kill();
    await cluster.apply(greeting('after', 'Grace'));
    await cluster.waitFor(answer('after'), (object) => object?.data.text === 'Hello, Grace!', { timeoutMs: 30_000 });
    await leader.restart();
  });

  it('tries again what a busy server turned away', async () => {
    const busy = await cluster.fail('POST /api/v1/namespaces/*/configmaps', { status: 429, retryAfterSeconds: 1, times: 2 });
    await cluster.apply(greeting('patient', 'Edsger'));
    await cluster.waitFor(answer('patient'), (object) => object !== null);
    assert.equal(busy.hits, 2);
  });

  it('lists again when what it saw has expired', async () => {
    const lists = () => cluster.audit().filter(({ verb, resource }) => verb === 'list' && resource === 'greetings.example.org').length;
    const before = lists();
    await cluster.expireHistory();
    await cluster.apply(greeting('late', 'Barbara'));
    await cluster.waitFor(answer('late'), (object) => object !== null, { timeoutMs: 30_000 });
    await cluster.eventually(() => lists() > before);
  });
});
