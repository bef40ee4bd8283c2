// vitest run vitest.test.mjs
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCluster } from 'raftplane/testing';
import { definition, startOperator } from './operator.mjs';

const greeting = (name, to) => ({ apiVersion: 'example.org/v1', kind: 'Greeting', metadata: { name, namespace: 'default' }, spec: { to } });
const answer = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });

describe('the operator', { timeout: 60_000 }, () => {
  let cluster, stopOperator;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    await cluster.installCRDs(definition);
    stopOperator = await startOperator(cluster.kubeconfig);
  }, 60_000);
  afterAll(async () => {
    await stopOperator?.();
    await cluster?.stop();
  });
  beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(cluster.logs())));

  it('makes one answer, although the connection broke before it heard that it had', async () => {
    const broken = await cluster.fail('POST /api/v1/namespaces/*/configmaps', { reset: 'after', times: 1 });
    await cluster.apply(greeting('once', 'Ada'));
    const made = await cluster.waitFor(answer('once'), 'object.data.text == "Hello, Ada!"');
    expect(broken.hits).toBe(1);
    expect(made.data).toEqual({ text: 'Hello, Ada!' });
  });

  it('comes back when its watches break', async () => {
    await cluster.dropWatches();
    await cluster.apply(greeting('later', 'Grace'));
    expect(await cluster.waitFor(answer('later'), 'has(object.data)', { timeoutMs: 30_000 })).not.toBeNull();
  });
});
