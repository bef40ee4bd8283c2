// node --test node-test.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApiServer } from 'raftplane/testing';
import { definition, startOperator } from './operator.mjs';

let server, stopOperator;
before(async () => {
  server = await startApiServer();
  await server.installCRDs(definition);
});
after(async () => {
  await stopOperator?.();
  await server?.stop();
});

test('the operator needs no more rights than these, and asks for nothing else', async () => {
  const user = await server.createUser({
    name: 'operator',
    rules: [
      { apiGroups: ['example.org'], resources: ['greetings'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'update'] },
    ],
  });
  stopOperator = await startOperator(user.kubeconfig);
  await server.apply({
    apiVersion: 'example.org/v1',
    kind: 'Greeting',
    metadata: { name: 'one', namespace: 'default' },
    spec: { to: 'Ada' },
  });
  await server.waitFor(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' } },
    (object) => object?.data.text === 'Hello, Ada!',
  );
  assert.deepEqual(
    server.audit('operator').filter(({ code }) => code === 403),
    [],
  );
});
