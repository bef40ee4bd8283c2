import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { programFile } from '../../deploy/programs.js';
import { hasEtcd } from '../fixtures/etcdServers.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { createIdentities } from '../fixtures/identities.js';
import { EnvtestEnvironment, knowsFlag } from './envtestEnvironment.js';

const pollMs = 20;
const group = 'batch.tutorial.example.org';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `cronjobs.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'cronjobs', kind: 'CronJob' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { schedule: { type: 'string', maxLength: 100 }, namespace: { type: 'string', maxLength: 63 } },
                'x-kubernetes-validations': [{ rule: "!has(self.namespace) || self.namespace != 'kube-system'", message: 'not there' }],
              },
              status: { type: 'object', properties: { active: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

function assetsWith(...args: readonly string[]): string {
  const folder = path.join(temporaryDirectory('assets'), 'k8s');
  const { status, stdout, stderr } = spawnSync(process.execPath, [programFile('raftplane'), 'envtest-assets', folder, ...args], {
    encoding: 'utf8',
  });
  expect([status, stdout], stderr).to.deep.equal([0, `export KUBEBUILDER_ASSETS=${folder}\n`]);
  return folder;
}

/** An admission webhook as in tests with controller-runtime: `caBundle` is its self-signed certificate. */
async function serveDefaulter(): Promise<{ readonly clientConfig: object; readonly asked: string[]; close(): void }> {
  const identities = await createIdentities('nobody trusts this one');
  const serving = await identities.issue({ name: 'localhost', usage: 'serverAuth', ip: ['127.0.0.1'], selfSigned: true });
  const asked: string[] = [];
  const server = https.createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { uid, operation } = (JSON.parse(text) as { request: { uid: string; operation: string } }).request;
      asked.push(operation);
      const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/spec/schedule', value: '* * * * *' }])).toString('base64');
      const answer = { uid, allowed: true, patchType: 'JSONPatch', patch };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mutate`;
  return {
    clientConfig: { url, caBundle: Buffer.from(serving.cert).toString('base64') },
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const childrenOf = (pid: number): readonly number[] =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

describe('clients/envtest', function () {
  const running: EnvtestEnvironment[] = [];
  const start = async (assets: string, flags?: readonly string[]): Promise<EnvtestEnvironment> => {
    const environment = await EnvtestEnvironment.start(assets, flags);
    running.push(environment);
    return environment;
  };
  afterEach(async () => {
    for (const environment of running.splice(0)) await environment.stop();
  });

  for (const store of ['memory', 'raft', 'etcd'])
    it(`starts, takes definitions, webhooks, objects and their status, and stops, over ${store}`, async function () {
      if (store === 'etcd' && !hasEtcd()) this.skip();
      const { client, stop } = bound(await start(assetsWith('--store', store)));
      await client.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
      // Waits like envtest until discovery has the kind.
      const served = async (): Promise<boolean> =>
        JSON.stringify((await client.request('GET', `/apis/${group}/v1`)).body).includes('"kind":"CronJob"');
      while (!(await served())) await delay(pollMs);

      const webhook = await serveDefaulter();
      const rules = [{ apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources: ['cronjobs'] }];
      const hook = {
        name: `mcronjob.${group}`,
        clientConfig: webhook.clientConfig,
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      };
      await client.expect(201, 'POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
        body: { metadata: { name: 'mutating' }, webhooks: [hook] },
      });
      const jobs = `/apis/${group}/v1/namespaces/default/cronjobs`;
      const create = async (name: string): Promise<{ readonly spec?: object }> =>
        (await client.expect(201, 'POST', jobs, {
          body: { apiVersion: `${group}/v1`, kind: 'CronJob', metadata: { name }, spec: { namespace: 'a' } },
        })) as unknown as { readonly spec?: object };
      // A configuration takes effect on every server with a delay.
      let round = 0;
      while (webhook.asked.length === 0) await create(`try-${(round += 1)}`);
      expect((await create('one')).spec).to.deep.equal({ namespace: 'a', schedule: '* * * * *' });
      const refused = await client.request('PATCH', `${jobs}/one`, {
        body: { spec: { namespace: 'kube-system' } },
        type: 'application/merge-patch+json',
      });
      expect([refused.status, JSON.stringify(refused.body)]).to.have.property('0', 422);
      const changed = await client.expect(200, 'PATCH', `${jobs}/one/status`, {
        body: { status: { active: 2 } },
        type: 'application/merge-patch+json',
      });
      expect(changed.status).to.deep.equal({ active: 2 });
      webhook.close();
      // A real etcd ends by the signal.
      expect(await stop()).to.deep.equal([0, store === 'etcd' ? null : 0]);
    });

  it('runs several side by side, each with objects of its own', async () => {
    const assets = assetsWith();
    const environments = await Promise.all([start(assets), start(assets), start(assets)]);
    for (const [index, { client }] of environments.entries())
      await client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: `only-${index}` } } });
    for (const [index, { client }] of environments.entries())
      for (const other of environments.keys())
        expect((await client.request('GET', `/api/v1/namespaces/only-${other}`)).status).to.equal(other === index ? 200 : 404);
  });

  it('deletes namespaces and collects owners where controllers were asked for, and leaves no process behind a SIGKILL', async () => {
    const { client, server, log } = await start(assetsWith('--controllers'));
    await client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'short' } } });
    const maps = '/api/v1/namespaces/short/configmaps';
    const owner = await client.expect(201, 'POST', maps, { body: { metadata: { name: 'owner' } } });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    await client.expect(201, 'POST', maps, { body: { metadata: { name: 'owned', ownerReferences } } });
    await client.expect(200, 'DELETE', `${maps}/owner`);
    while ((await client.request('GET', `${maps}/owned`)).status !== 404) await delay(pollMs);
    await client.expect(200, 'DELETE', '/api/v1/namespaces/short');
    while ((await client.request('GET', '/api/v1/namespaces/short')).status !== 404) await delay(pollMs);
    const [manager] = childrenOf(server.pid!);
    expect(manager, log()).to.not.equal(undefined);
    server.kill('SIGKILL');
    while (fs.existsSync(`/proc/${manager}`)) await delay(pollMs);
  });

  it('answers questions for its version and its flags, and refuses flags as the server does', () => {
    const assets = assetsWith();
    const ask = (name: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(path.join(assets, name), args, { encoding: 'utf8' });
    expect(ask('kube-apiserver', '--version').stdout).to.match(/^Kubernetes v1\.\d+/);
    expect(ask('etcd', '--version').stdout).to.match(/^etcd Version: 3\./);
    expect(knowsFlag(assets, 'etcd', 'unsafe-no-fsync'), 'etcd').to.equal(true);
    expect(knowsFlag(assets, 'kube-apiserver', 'secure-port'), 'kube-apiserver').to.equal(true);
    expect(knowsFlag(assets, 'kube-apiserver', 'insecure-port'), 'gone since 1.24').to.equal(false);
    const wrong = ask('kube-apiserver', '--etcd-servers=http://127.0.0.1:1', '--no-such-flag=1');
    expect(wrong.status).to.equal(1);
    expect(wrong.stderr).to.contain('no-such-flag');
  });
});

function bound(environment: EnvtestEnvironment): { client: EnvtestEnvironment['client']; stop: EnvtestEnvironment['stop'] } {
  return { client: environment.client, stop: () => environment.stop() };
}
