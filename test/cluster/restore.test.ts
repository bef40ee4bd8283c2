import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { findFreePorts } from '../../deploy/ports.js';
import type { ApiClient } from '../fixtures/apiClient.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { apiserver, beside, ready, succeed, until, type Beside } from './operator.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const words = 'the-treasure-is-under-the-oak';
const token = 'after';
const writesMin = 30;

/** Three new servers start from a lost cluster's backup: with everything stored (leases, token keys, encryption), at versions that no client has seen. */
describe('cluster/restore', function () {
  let old: ClusterUnderTest;
  let oldVersion: number;
  let accountToken: string;
  const folder = temporaryDirectory('restore');
  const backup = path.join(folder, 'monday.backup');
  const restored: Beside[] = [];
  const acknowledged: string[] = [];
  const keys = path.join(folder, 'keys.json');

  before(async () => {
    const providers = [{ aesgcm: { keys: [{ name: 'one', secret: Buffer.alloc(32, 'one').toString('base64') }] } }];
    fs.writeFileSync(
      keys,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources: ['secrets'], providers }],
      }),
    );
    old = await ClusterUnderTest.start({ replicas: 1, managers: 0, apiserverFlags: ['--encryption-provider-config', keys] });
    const { client } = old;
    await client.expect(201, 'POST', '/api/v1/namespaces/default/secrets', {
      body: { metadata: { name: 'map' }, stringData: { where: words } },
    });
    await client.expect(201, 'POST', leases, {
      body: { metadata: { name: 'held' }, spec: { holderIdentity: 'somebody', leaseDurationSeconds: 15 } },
    });
    await client.expect(201, 'POST', '/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'robot' } } });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    accountToken = (
      (await client.expect(201, 'POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { body: request })).status as {
        token: string;
      }
    ).token;
    await backUpUnderLoad(client);
    oldVersion = Number(
      (await client.expect(201, 'POST', configMaps, { body: { metadata: { name: 'too-late' } } })).metadata.resourceVersion,
    );
    await restoreThree();
  });
  after(async () => {
    for (const { process } of restored) await process.stop(5_000);
    await old.stop();
  });

  /** Writes continue during the backup; those acknowledged before it must be in it. */
  async function backUpUnderLoad(client: ApiClient): Promise<void> {
    let over = false;
    const write = async (writer: number): Promise<void> => {
      for (let number = 0; !over; number++) {
        const name = `kept-${writer}-${number}`;
        await client.expect(201, 'POST', configMaps, { body: { metadata: { name } } });
        written.push(name);
      }
    };
    const written: string[] = [];
    const writers = [0, 1, 2].map(write);
    try {
      await until('enough writes', () => Promise.resolve(written.length >= writesMin));
      acknowledged.push(...written);
      expect(await succeed('backup', backup, '--kubeconfig', old.cluster.kubeconfig)).to.match(/verified/);
    } finally {
      over = true;
      await Promise.all(writers);
    }
  }

  async function restoreThree(): Promise<void> {
    const ports = await findFreePorts(3);
    const members = ['x', 'y', 'z'].map((id, index) => ({ id, address: `127.0.0.1:${ports[index]}` }));
    const cluster = members.map(({ id, address }) => `${id}=${address}`).join(',');
    for (const { id, address } of members) {
      const directory = path.join(folder, id);
      await succeed('restore', backup, '--data-dir', directory, '--member-id', id, '--cluster-token', token, '--initial-cluster', cluster);
      restored.push(
        await beside(old, id, {
          'raft-data-dir': directory,
          'raft-cluster-token': token,
          'raft-initial-cluster': cluster,
          'raft-listen-address': address,
        }),
      );
    }
    for (const { process } of restored) process.start();
    for (const { client } of restored) await ready(client);
  }

  it('begins with everything that was acknowledged before the backup, on every server, and nothing from after it', async () => {
    for (const { client } of restored) {
      const names = ((await client.expect(200, 'GET', configMaps)).items ?? []).map(({ metadata }) => metadata.name);
      expect(names).to.include.members(acknowledged);
      expect(names).to.not.include('too-late');
      expect((await client.expect(200, 'GET', '/api/v1/namespaces/default/secrets/map')).data?.['where']).to.equal(
        Buffer.from(words).toString('base64'),
      );
    }
    expect(
      await succeed('check', ...restored.flatMap(({ client }) => ['--server', client.address]), '--kubeconfig', old.cluster.kubeconfig),
    ).to.match(/^equal$/m);
  });

  it('sends whoever comes with a version of the old cluster back to a list, and goes on above all of them', async () => {
    for (const { client } of restored) {
      for (const version of [oldVersion, oldVersion + 1]) {
        const refused = client.watch(`${configMaps}?watch=1&resourceVersion=${version}`);
        await refused.until((events) => events.length > 0);
        expect(refused.events.map(({ type, object }) => [type, object.code, object.reason])).to.deep.equal([['ERROR', 410, 'Expired']]);
        await client.expect(410, 'GET', `${configMaps}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      }
      const list = Number((await client.expect(200, 'GET', configMaps)).metadata.resourceVersion);
      const watch = client.watch(`${configMaps}?watch=1&resourceVersion=${list}`);
      await watch.opened;
      const made = await client.expect(201, 'POST', configMaps, { body: { metadata: { generateName: 'new-' } } });
      await watch.until((events) => events.some(({ object }) => object.metadata.name === made.metadata.name));
      watch.close();
      expect(Math.min(list, Number(made.metadata.resourceVersion))).to.be.greaterThan(oldVersion + 1_000_000);
    }
  });

  it('keeps leases and their holders, believes tokens of before, and lets objects of before be changed', async () => {
    const [{ client }] = restored as [Beside];
    const lease = (await client.expect(200, 'GET', `${leases}/held`)) as unknown as { metadata: object; spec: { holderIdentity: string } };
    expect(lease.spec.holderIdentity).to.equal('somebody');
    await client.expect(200, 'PUT', `${leases}/held`, { body: { ...lease, spec: { ...lease.spec, holderIdentity: 'another' } } });
    const review = await client.expect(201, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { spec: { token: accountToken } },
    });
    expect(review.status).to.deep.include({ authenticated: true });
  });

  it('keeps secrets as they are encrypted, in the backup and on every server', () => {
    for (const file of [backup, ...['x', 'y', 'z'].flatMap((id) => ['store.db', 'log.db'].map((name) => path.join(folder, id, name)))]) {
      const bytes = fs.readFileSync(file);
      for (const form of [words, Buffer.from(words).toString('base64')])
        expect(bytes.includes(form), `${file} shows the secret`).to.equal(false);
    }
  });

  it('does not replace a backup by another one, and leaves nothing of one that failed', async () => {
    const bytes = fs.readFileSync(backup);
    expect((await apiserver('backup', backup, '--kubeconfig', old.cluster.kubeconfig)).err).to.match(/exists already/);
    expect(fs.readFileSync(backup).equals(bytes)).to.equal(true);
    const taken = path.join(folder, 'nowhere', 'x.backup');
    expect((await apiserver('backup', taken, '--kubeconfig', old.cluster.kubeconfig)).err).to.match(/cannot be written/);
    expect(fs.readdirSync(folder).filter((name) => /part|verifying|restoring/.test(name))).to.deep.equal([]);
  });
});
