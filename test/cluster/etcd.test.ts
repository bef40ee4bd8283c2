import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../api/object.js';
import { EtcdClient } from '../../server/storage/etcd/client.js';
import { range, txn } from '../../server/storage/etcd/messages.js';
import { createAuthority } from '../fixtures/certificates.js';
import { hasEtcd, startEtcd, type EtcdServers } from '../fixtures/etcdServers.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const maps = '/api/v1/namespaces/default/configmaps';
const events = '/api/v1/namespaces/default/events';
const noTls = { ca: null, cert: null, key: null };

/** Data of another program: keys and values in the store, and its answers. */
interface Left {
  readonly keys: readonly { readonly key: string; readonly value: string; readonly mod_revision: number }[];
  readonly objects: readonly { readonly path: string; readonly object: JsonObject }[];
}

/** Resource and name, which are equal in most paths and keys. */
const keyEnd = (path: string): string => path.split('/').slice(-3).join('/');
/** A new store counts from one. */
const withoutVersion = (object: JsonObject): JsonObject => {
  const { resourceVersion: _, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata };
};

async function keysIn(client: EtcdClient, start: string): Promise<readonly string[]> {
  const { kvs } = await client.call(
    range,
    { key: start, rangeEnd: `${start}\xff`, keysOnly: true },
    { timeoutMs: 5_000, repeatable: true },
  );
  return kvs.map(({ key }) => key);
}

describe('cluster/etcd', function () {
  const running: EtcdServers[] = [];
  let cluster: ClusterUnderTest | null = null;

  before(function () {
    if (!hasEtcd()) this.skip();
  });

  afterEach(async () => {
    await cluster?.stop();
    cluster = null;
    await Promise.all(running.splice(0).map((etcd) => etcd.stop()));
  });

  it('serves three API servers over three members, of which one falls', async () => {
    const etcd = await startEtcd({ members: 3 });
    running.push(etcd);
    cluster = await ClusterUnderTest.start({
      replicas: 3,
      managers: 0,
      etcdServers: etcd.urls,
      apiserverFlags: ['--etcd-compaction-interval=1s', '--etcd-count-metric-poll-period=1s', '--etcd-db-metric-poll-interval=1s'],
    });
    const [first, second, third] = cluster.members.map((member) => cluster!.at(member));
    // From a version, so that the watch sees all changes.
    const { metadata: before } = await third!.expect(200, 'GET', maps);
    const seen = third!.watch(`${maps}?watch=1&resourceVersion=${before.resourceVersion}`);
    await second!.expect(201, 'POST', maps, { body: { metadata: { name: 'a' }, data: { n: '0' } } });
    for (let n = 1; n <= 30; n++) {
      if (n === 10) await etcd.members[0]!.kill();
      if (n === 20) etcd.members[0]!.restart();
      const writer = [first, second, third][n % 3]!;
      const { metadata } = await writer.expect(200, 'GET', `${maps}/a`);
      const { resourceVersion } = metadata;
      for (;;) {
        // A write to a failed member may have been done; the next one shows it.
        const { status } = await writer.request('PUT', `${maps}/a`, {
          body: { metadata: { name: 'a', resourceVersion }, data: { n: String(n) } },
        });
        if (status === 200 || status === 409) break;
      }
      const read = await [second, third, first][n % 3]!.expect(200, 'GET', `${maps}/a`);
      expect(read.data).to.deep.equal({ n: String(n) });
    }
    await seen.until((all) => all.some(({ object }) => object.data?.['n'] === '30'));
    expect(seen.events.filter(({ object }) => object.metadata.name === 'a').map(({ object }) => object.data?.['n'])).to.deep.equal(
      Array.from({ length: 31 }, (_, n) => String(n)),
    );
    seen.close();
    const sizes = String((await first!.request('GET', '/metrics')).body);
    expect(sizes).to.match(/apiserver_storage_size_bytes\{storage_cluster_id="etcd-\d"\} \d+/);
    const addresses = await first!.expect(200, 'GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
    expect(addresses.items?.filter(({ metadata }) => metadata.name.startsWith('apiserver-'))).to.have.length(3);
    // Each server shows the others to the console: figures without a replica.
    const { servers } = (await first!.expect(200, 'GET', '/console/v1/servers')) as unknown as {
      readonly servers: readonly { name: string }[];
    };
    expect(servers).to.have.length(3);
    for (const { name } of servers) {
      expect((await first!.request('GET', `/console/v1/status?server=${name}`)).status).to.equal(501);
      await first!.expect(200, 'GET', `/console/v1/samples?server=${name}`);
    }
    const services = '/api/v1/namespaces/default/services';
    const made = await Promise.all(
      [first!, second!, third!, first!, second!, third!].map((server, n) =>
        server.expect(201, 'POST', services, { body: { metadata: { name: `s${n}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } } }),
      ),
    );
    const ports = made.map(
      (service) =>
        (service as unknown as { readonly spec: { readonly ports: readonly { readonly nodePort: number }[] } }).spec.ports[0]!.nodePort,
    );
    expect(new Set(ports).size).to.equal(6);
    const kept = new EtcdClient({ servers: etcd.urls, tls: noTls });
    expect(await keysIn(kept, '/registry/ranges/')).to.deep.equal(['/registry/ranges/servicenodeports']);
    expect(await keysIn(kept, '/registry/masterleases/')).to.have.length(1);
    kept.close();
  });

  it('goes with a certificate, under a prefix, and keeps single resources elsewhere', async () => {
    const directory = temporaryDirectory('etcd-tls');
    const authority = await createAuthority(directory);
    const { certFile, keyFile, caFile } = await authority.issuePeer('etcd', { dnsName: 'localhost' });
    const own = await authority.issueClient('apiserver');
    const [main, other] = await Promise.all([startEtcd({ tls: { ca: caFile, cert: certFile, key: keyFile } }), startEtcd()]);
    running.push(main, other);
    cluster = await ClusterUnderTest.start({
      replicas: 1,
      managers: 0,
      etcdServers: main.urls,
      apiserverFlags: [
        `--etcd-cafile=${caFile}`,
        `--etcd-certfile=${own.certFile}`,
        `--etcd-keyfile=${own.keyFile}`,
        '--etcd-prefix=/elsewhere',
        `--etcd-servers-overrides=/events#${other.urls.join(';')}`,
        '--event-ttl=1s',
        '--etcd-healthcheck-timeout=300ms',
        '--etcd-readycheck-timeout=300ms',
      ],
    });
    await cluster.client.expect(201, 'POST', maps, { body: { metadata: { name: 'a' } } });
    const seen = cluster.client.watch(`${events}?watch=1`);
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    await cluster.client.expect(201, 'POST', events, {
      body: { metadata: { name: 'e' }, involvedObject, reason: 'R', message: 'm', type: 'Normal' },
    });
    const beside = new EtcdClient({ servers: other.urls, tls: noTls });
    const kept = await keysIn(beside, '/elsewhere/');
    expect(kept.filter((key) => !key.includes('/raftplane/'))).to.deep.equal(['/elsewhere/events/default/e']);
    await seen.until((all) => all.some(({ type, object }) => type === 'DELETED' && object.metadata.name === 'e'));
    seen.close();
    beside.close();
    // Losing one of the two stores makes the server unready.
    const exited = once(other.members[0]!.process, 'exit');
    await other.members[0]!.kill();
    await exited;
    const { status, body } = await cluster.at(cluster.members[0]!).request('GET', '/readyz?verbose');
    expect(status).to.equal(500);
    expect(String(body))
      .to.contain('[+]etcd ok')
      .and.to.contain('[-]etcd-override-0 failed')
      .and.to.contain('[-]etcd-override-readiness-0 failed');
  });

  for (const { what, file, flags } of [
    { what: 'as it is', file: 'plain.json', flags: [] },
    {
      what: 'encrypted at rest',
      file: 'encrypted.json',
      flags: [`--encryption-provider-config=${path.join(packageRoot, 'test/fixtures/etcd/encryption.yaml')}`],
    },
  ])
    it(`serves what a kube-apiserver has left, ${what}, and leaves it as it is`, async () => {
      const left = JSON.parse(readFileSync(path.join(packageRoot, 'test/fixtures/etcd', file), 'utf8')) as Left;
      const etcd = await startEtcd();
      running.push(etcd);
      const client = new EtcdClient({ servers: etcd.urls, tls: noTls });
      try {
        for (const { key, value } of left.keys.toSorted((a, b) => a.mod_revision - b.mod_revision))
          await client.call(
            txn,
            { compare: [], success: [{ put: { key, value: Buffer.from(value, 'base64') } }], failure: [] },
            { timeoutMs: 5_000, repeatable: true },
          );
        cluster = await ClusterUnderTest.start({ replicas: 1, managers: 0, etcdServers: etcd.urls, apiserverFlags: flags });
        const server = cluster.at(cluster.members[0]!);
        // The kubernetes objects contain the server's own addresses.
        const objects = left.objects.filter(({ path: where }) => !where.endsWith('/kubernetes'));
        for (const { path: where, object } of objects) {
          const served = await server.expect(200, 'GET', where);
          expect(withoutVersion(served as unknown as JsonObject), where).to.deep.equal(withoutVersion(object));
          // A write without change keeps the other program's bytes.
          await server.expect(200, 'PATCH', where, { body: {}, type: 'application/merge-patch+json' });
        }
        const made = new Set(objects.map(({ path: where }) => keyEnd(where)));
        for (const { key, value } of left.keys.filter(({ key: each }) => made.has(keyEnd(each)))) {
          const { kvs } = await client.call(range, { key }, { timeoutMs: 5_000, repeatable: true });
          expect(Buffer.from(kvs[0]?.value ?? '').equals(Buffer.from(value, 'base64')), key).to.equal(true);
        }
      } finally {
        client.close();
      }
    });
});
