import { once } from 'node:events';
import fs from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';
import { expect } from 'chai';
import { readApiServerOptions } from '../../../server/options/read.js';
import type { ApiServerOptions } from '../../../server/options/flags.js';
import { startServer } from '../../../server/server.js';
import type { RunningServer } from '../../../server/server.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, call2, recordingLogger } from '../../fixtures/frontDoor.js';
import type { Answer, Call } from '../../fixtures/frontDoor.js';
import { createIdentities } from '../../fixtures/identities.js';
import type { Identities, Identity } from '../../fixtures/identities.js';

describe('an API server of one replica', function () {
  let identities: Identities;
  let serving: Identity;
  let admin: Identity;
  let server: RunningServer;
  let directory: string;
  const logged: string[] = [];

  const optionsWith = (...more: string[]): ApiServerOptions => {
    const result = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--authorization-mode=RBAC',
      `--raft-data-dir=${join(directory, 'data')}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${serving.certFile}`,
      `--tls-private-key-file=${serving.keyFile}`,
      ...more,
    ]);
    if (!result.ok) throw new Error(result.errors.join('\n'));
    return result.options;
  };
  const portOf = (running: RunningServer): number => Number(new URL(running.url).port);
  const ask = (call: Call): Promise<Answer> => call1(portOf(server), { identity: admin, ...call });

  before(async () => {
    directory = temporaryDirectory('apiserver');
    identities = await createIdentities();
    serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    server = await startServer(optionsWith(), recordingLogger(logged));
    await server.ready;
  });
  after(() => server.stop());

  it('is ready, and says what it checked', async () => {
    const { status, text } = await ask({ path: '/readyz?verbose', identity: null });
    expect([status, text]).to.deep.equal([
      200,
      '[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n[+]poststarthook/storage-readiness ok\n[+]poststarthook/bootstrap-objects ok\n[+]shutdown ok\n[+]storage-space ok\nreadyz check passed\n',
    ]);
    expect((await ask({ path: '/livez/etcd' })).text).to.equal('ok');
    expect((await ask({ path: '/livez/shutdown' })).status).to.equal(404);
  });
  it('serves documents, bootstrap objects and its place in the cluster', async () => {
    expect((await ask({ path: '/version' })).body).to.deep.include({ major: '1', minor: '36', gitVersion: 'v1.36.0' });
    expect((await ask({ path: '/api/v1/namespaces/default/services/kubernetes' })).status).to.equal(200);
    expect((await ask({ path: '/raft/v1/status' })).body).to.deep.include({ memberId: 'a', leaderId: 'a', role: 'leader' });
    expect((await ask({ path: '/raft/v1/status', identity: null })).status).to.equal(403);
    const metrics = (await ask({ path: '/metrics' })).text;
    for (const figure of [
      'members_active 1',
      'apply_lag_entries 0',
      'elections_total 1',
      'leader_changes_total 0',
      'proposals_waiting 0',
      'proposals_refused_total 0',
      'proposals_given_up_total 0',
      'snapshots_installed_total 0',
    ]) {
      expect(metrics).to.include(`\nraftplane_raft_${figure}\n`);
    }
    expect(metrics)
      .to.match(/^raftplane_raft_log_sync_seconds_count [1-9]/m)
      .and.match(/^raftplane_raft_log_bytes [1-9]/m)
      .and.match(/^raftplane_raft_checkpoint_age_seconds \d/m)
      .and.match(/^apiserver_storage_size_bytes\{storage_cluster_id="[0-9a-f]+"\} [1-9]\d+$/m);
    expect(metrics).to.match(/^raftplane_raft_election_timeout_seconds 0\.\d+$/m);
    expect(metrics)
      .to.match(/^raftplane_raft_is_leader 1$/m)
      .and.match(/^raftplane_raft_members 1$/m)
      .and.match(/^raftplane_raft_leader_silence_seconds_bucket\{le="\+Inf"\} 0$/m);
  });
  it('shows administrators the store as it is, and lets them seal it', async () => {
    const write = (name: string): Promise<Answer> =>
      ask({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name } }),
      });
    const sealing = (more: Partial<Call> = {}): Promise<Answer> =>
      ask({
        method: 'PUT',
        path: '/raft/v1/seal',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'it has moved' }),
        ...more,
      });
    expect((await write('before')).status).to.equal(201);
    const { revision } = (await ask({ path: '/raft/v1/revision' })).body as { readonly revision: number };
    const range = (await ask({ path: '/raft/v1/range?start=/registry/core/configmaps/default/&end=/registry/core/configmaps/default0' }))
      .body;
    const { items } = range as { readonly items: readonly { readonly key: string; readonly value: string }[] };
    expect(items.map(({ key }) => key)).to.include('/registry/core/configmaps/default/before');
    expect(Buffer.from(items[0]!.value, 'base64').length).to.be.greaterThan(10);
    expect((await write('next')).status).to.equal(201);
    const { changes } = (await ask({ path: `/raft/v1/changes?after=${revision}` })).body as typeof range & {
      readonly changes: readonly { readonly key: string }[];
    };
    expect(changes.map(({ key }) => key)).to.include('/registry/core/configmaps/default/next');
    for (const path of ['revision', 'range', 'changes', 'seal'])
      expect((await ask({ path: `/raft/v1/${path}`, identity: null })).status, path).to.equal(403);
    expect((await ask({ path: '/raft/v1/changes?after=soon' })).status).to.equal(400);
    expect((await ask({ path: '/raft/v1/seal' })).status).to.equal(405);
    expect((await sealing({ body: '{}' })).status).to.equal(400);
    expect((await sealing({ identity: null })).status).to.equal(403);
    expect((await sealing()).status).to.equal(200);
    expect((await ask({ path: '/api/v1/namespaces/default/configmaps/next' })).status).to.equal(200);
    expect((await ask({ method: 'DELETE', path: '/raft/v1/seal' })).status).to.equal(200);
    expect((await write('sealed')).status).to.equal(201);
  });
  it('puts objects into the store as they are for administrators, and nothing for others', async () => {
    const put = (objects: unknown, more: Partial<Call> = {}): Promise<Answer> =>
      ask({
        method: 'PUT',
        path: '/raft/v1/objects',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ objects }),
        ...more,
      });
    const metadata = {
      name: 'put',
      namespace: 'default',
      uid: 'one',
      finalizers: ['example.org/kept'],
      creationTimestamp: '2020-01-01T00:00:00Z',
    };
    const map = { group: '', resource: 'configmaps', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'kept' } } };
    expect((await put([map], { identity: null })).status).to.equal(403);
    for (const wrong of [
      null,
      [null],
      [{ ...map, group: 1 }],
      [{ ...map, resource: 'a/b' }],
      [{ ...map, object: { metadata: { name: '' } } }],
      [{ ...map, object: { metadata: { name: 'a', namespace: 'b/c' } } }],
    ])
      expect([wrong, (await put(wrong)).status]).to.deep.equal([wrong, 400]);
    expect((await ask({ path: '/api/v1/namespaces/default/configmaps/put' })).status).to.equal(404);
    expect((await put([map])).status).to.equal(200);
    expect((await ask({ path: '/api/v1/namespaces/default/configmaps/put' })).body)
      .to.deep.include({ data: { text: 'kept' } })
      .and.to.have.nested.include({
        'metadata.uid': 'one',
        'metadata.creationTimestamp': '2020-01-01T00:00:00Z',
        'metadata.finalizers[0]': 'example.org/kept',
      });
    // A service has address claims, which were not in the input.
    const service = {
      group: '',
      resource: 'services',
      object: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's', namespace: 'default', uid: 'two' },
        spec: {
          clusterIP: '10.0.0.77',
          clusterIPs: ['10.0.0.77'],
          ipFamilies: ['IPv4'],
          type: 'ClusterIP',
          ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        },
      },
    };
    expect((await put([service])).status).to.equal(200);
    expect((await ask({ path: '/apis/networking.k8s.io/v1/ipaddresses/10.0.0.77' })).status).to.equal(200);
  });
  it('refuses data that another process uses, and a port in use, and leaves nothing behind', async () => {
    const failure = async (...more: string[]): Promise<string> =>
      startServer(optionsWith(...more), recordingLogger([])).then(
        () => 'started',
        (error: unknown) => String(error) + String((error as Error).cause),
      );
    expect(await failure()).to.include(join(directory, 'data'));
    const other = `--raft-data-dir=${join(directory, 'other')}`;
    expect(await failure(other, `--secure-port=${portOf(server)}`)).to.include('another process listens there already');
    expect(() => optionsWith(other, '--runtime-config=nope/v1=true')).to.throw('--runtime-config names nope/v1');
    // A replica left running would prevent opening the same data.
    const second = await startServer(optionsWith(other), recordingLogger([]));
    await second.ready;
    await second.stop();
  });
  it('does not say that it is ready once it stops, although what it was making has ended', async () => {
    const lines: string[] = [];
    const hasty = await startServer(optionsWith(`--raft-data-dir=${join(directory, 'hasty')}`), recordingLogger(lines));
    const outcome = hasty.ready.then(
      () => 'ready',
      () => 'not ready',
    );
    // The cache is loaded, and default objects are being created.
    while (!(await call1(portOf(hasty), { identity: admin, path: '/readyz?verbose' })).text.includes('[+]informer-sync ok'));
    const before = lines.length;
    await hasty.stop();
    const after = lines.slice(before).filter((line) => line.startsWith('ready '));
    expect(after).to.deep.equal([]);
    expect(lines.some((line) => line.startsWith('ready '))).to.equal((await outcome) === 'ready');
  });
  it('stays up and does not become ready over values that are encrypted, until it is configured how', async () => {
    const data = `--raft-data-dir=${join(directory, 'locked')}`;
    const configuration = join(directory, 'encryption.yaml');
    fs.writeFileSync(
      configuration,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [
          { resources: ['secrets'], providers: [{ aesgcm: { keys: [{ name: 'k', secret: Buffer.alloc(32).toString('base64') }] } }] },
        ],
      }),
    );
    const path = '/api/v1/namespaces/default/secrets';
    const encrypting = async <T>(work: (port: number) => Promise<T>): Promise<T> => {
      const running = await startServer(optionsWith(data, `--encryption-provider-config=${configuration}`), recordingLogger([]));
      await running.ready;
      try {
        return await work(portOf(running));
      } finally {
        await running.stop();
      }
    };
    const body = JSON.stringify({ kind: 'Secret', apiVersion: 'v1', metadata: { name: 'kept' } });
    const headers = { 'content-type': 'application/json' };
    const created = await encrypting((port) => call1(port, { identity: admin, method: 'POST', path, headers, body }));
    expect(created.status).to.equal(201);

    const lines: string[] = [];
    const blind = await startServer(optionsWith(data), recordingLogger(lines));
    const askBlind = (asked: string): Promise<Answer> => call1(portOf(blind), { identity: admin, path: asked });
    let ready = false;
    void blind.ready.then(
      () => (ready = true),
      () => undefined,
    );
    while (!ready && !lines.some((line) => line.includes('is --encryption-provider-config missing?'))) await askBlind('/livez');
    expect((await askBlind('/livez/ping')).status).to.equal(200);
    const readiness = await askBlind('/readyz?verbose');
    expect(readiness.status).to.equal(500);
    expect(readiness.text).to.include('[-]informer-sync failed');
    expect((await askBlind(path)).status).to.equal(500);
    await blind.stop();
    expect(lines.join('\n')).to.include('/secrets/default/kept');

    expect((await encrypting((port) => call1(port, { identity: admin, path: `${path}/kept` }))).status).to.equal(200);
  });
  it('stops: watches end whole, the port is free, and the data is there again', async () => {
    const created = await ask({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'kept' } }),
    });
    expect(created.status).to.equal(201);
    const watch1 = call1(portOf(server), { identity: admin, path: '/api/v1/configmaps?watch=1' });
    const session = http2.connect(server.url, { rejectUnauthorized: false, cert: admin.cert, key: admin.key });
    const watch2 = session.request({ ':path': '/api/v1/configmaps?watch=1' });
    let text = '';
    watch2.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(watch2, 'data');
    const ended = once(watch2, 'end');
    const port = portOf(server);
    await Promise.all([server.stop(), server.stop()]);
    expect((await watch1).text).to.match(/"name":"kept"[\s\S]*\}\n$/);
    await ended;
    expect(text).to.match(/"name":"kept"[\s\S]*\}\n$/);
    expect(logged.filter((line) => /cutting off|failed/.test(line))).to.deep.equal([]);

    server = await startServer(optionsWith(`--secure-port=${port}`), recordingLogger(logged));
    await server.ready;
    expect(portOf(server)).to.equal(port);
    expect((await call2(port, { identity: admin, path: '/api/v1/namespaces/default/configmaps/kept' })).status).to.equal(200);
  });
});
