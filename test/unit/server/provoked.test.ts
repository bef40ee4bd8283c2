import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readApiServerOptions } from '../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../server/server.js';
import { signingRequest } from '../../fixtures/signingRequest.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger, type Answer, type Call } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../fixtures/identities.js';

/** Metrics of events, read from a running server. */
describe('metrics that are provoked', function () {
  let server: RunningServer;
  let admin: Identity;
  let identities: Identities;

  before(async () => {
    identities = await createIdentities();
    const data = temporaryDirectory('provoked');
    const pair = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const policy = path.join(data, 'policy.yaml');
    fs.writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    const read = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--authorization-mode=Node,RBAC',
      '--service-cluster-ip-range=10.96.0.0/24',
      '--service-node-port-range=30000-30099',
      `--raft-data-dir=${path.join(data, 'raft')}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${pair.certFile}`,
      `--tls-private-key-file=${pair.keyFile}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${path.join(data, 'audit.log')}`,
    ]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    server = await startServer(read.options, recordingLogger([]));
    await server.ready;
  });
  after(() => server?.stop());

  const ask = (call: Call | string): Promise<Answer> =>
    call1(Number(new URL(server.url).port), { identity: admin, ...(typeof call === 'string' ? { path: call } : call) });
  /** Values by labels; for histograms, the counts. */
  const shown = async (name: string): Promise<Readonly<Record<string, number>>> => {
    const { text } = await ask('/metrics');
    const lines = text.matchAll(new RegExp(`^${name}(?:_count)?(?:\\{([^}]*)\\})? (\\S+)$`, 'gm'));
    return Object.fromEntries([...lines].map(([, labels = '', value]) => [labels, Number(value)]));
  };
  /** The increase of each series during an action; gauges may fall. */
  const growth = async (name: string, done: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> => {
    const before = await shown(name);
    await done();
    const changes = Object.entries(await shown(name)).map(([labels, value]) => [labels, value - (before[labels] ?? 0)] as const);
    return Object.fromEntries(changes.filter(([, change]) => change !== 0));
  };

  const post = (path: string, object: object): Promise<Answer> =>
    ask({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) } as Call);
  const services = '/api/v1/namespaces/default/services';
  const service = (name: string, spec: object): object => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

  it('addresses and node ports of services', async () => {
    const prefix = 'kube_apiserver_clusterip_allocator';
    const [cidr, other] = ['cidr="10.96.0.0/24"', 'scope="dynamic"'];
    const made = async (): Promise<void> => {
      expect((await post(services, service('chosen', {}))).status).to.equal(201);
      expect((await post(services, service('named', { clusterIP: '10.96.0.77' }))).status).to.equal(201);
      expect((await post(services, service('again', { clusterIP: '10.96.0.77' }))).status).to.equal(422);
      expect((await post(`${services}?dryRun=All`, service('dry', {}))).status).to.equal(201);
    };
    const before = await shown(`${prefix}_allocated_ips`);
    expect(await growth(`${prefix}_allocation_total`, made)).to.deep.equal({ [`${cidr},${other}`]: 1, [`${cidr},scope="static"`]: 1 });
    expect(await shown(`${prefix}_allocation_errors_total`)).to.deep.equal({ [`${cidr},scope="static"`]: 1 });
    const allocated = (await shown(`${prefix}_allocated_ips`))[cidr];
    expect(allocated).to.equal((before[cidr] ?? 0) + 2);
    expect(await shown(`${prefix}_available_ips`)).to.deep.equal({ [cidr]: 254 - Number(allocated) });
    expect((await shown(`${prefix}_allocation_duration_seconds`))[cidr]).to.be.greaterThanOrEqual(2);

    const ports = 'kube_apiserver_nodeport_allocator';
    const opened = async (): Promise<void> => {
      expect((await post(services, service('open', { type: 'NodePort' }))).status).to.equal(201);
      expect((await post(services, service('wanted', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_007 }] }))).status).to.equal(201);
      expect((await post(services, service('taken', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_007 }] }))).status).to.equal(422);
    };
    expect(await growth(`${ports}_allocation_total`, opened)).to.deep.equal({ [other]: 1, 'scope="static"': 1 });
    expect(await shown(`${ports}_allocation_errors_total`)).to.deep.equal({ 'scope="static"': 1 });
    expect(await shown(`${ports}_allocated_ports`)).to.deep.equal({ '': 2 });
    expect(await shown(`${ports}_available_ports`)).to.deep.equal({ '': 98 });
  });

  it('admission, all of it and by plug-in', async () => {
    const [controller, step] = ['controller', 'step'].map((what) => `apiserver_admission_${what}_admission_duration_seconds`) as [
      string,
      string,
    ];
    const create = (type: string, rejected = false): string => `operation="CREATE",type="${type}",rejected="${String(rejected)}"`;
    const map = (name: string): Promise<unknown> => post('/api/v1/namespaces/default/configmaps', { metadata: { name } });
    expect(await growth(controller, () => map('looked-at'))).to.deep.equal({
      [`name="MutatingAdmissionPolicy",${create('admit')}`]: 1,
      [`name="MutatingAdmissionWebhook",${create('admit')}`]: 1,
      [`name="ValidatingAdmissionPolicy",${create('validate')}`]: 1,
      [`name="ValidatingAdmissionWebhook",${create('validate')}`]: 1,
      [`name="ResourceQuota",${create('validate')}`]: 1,
    });
    expect(await growth(step, () => map('again'))).to.deep.equal({ [create('admit')]: 1, [create('validate')]: 1 });
    const pods = '/api/v1/namespaces/default/pods';
    const refused = async (): Promise<void> => {
      const pod = { metadata: { name: 'p' }, spec: { serviceAccountName: 'nobody', containers: [{ name: 'c', image: 'i' }] } };
      expect((await post(pods, pod)).status).to.equal(403);
    };
    expect(await growth(step, refused)).to.deep.equal({ [create('admit', true)]: 1 });
    expect(await growth(controller, refused)).to.include({ [`name="ServiceAccount",${create('admit', true)}`]: 1 });
  });

  it('writes by how unknown members are met, and the steps before the work', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const writes = async (): Promise<void> => {
      for (const how of ['', '?fieldValidation=Strict', '?fieldValidation=Warn', '?fieldValidation=what'])
        await post(`${maps}${how}`, { metadata: { generateName: 'v-' } });
    };
    expect(await growth('field_validation_request_duration_seconds', writes)).to.deep.equal({
      'field_validation=""': 1,
      'field_validation="Strict"': 1,
      'field_validation="Warn"': 1,
      'field_validation="invalid"': 1,
    });
    const steps = await growth('apiserver_request_filter_duration_seconds', () => ask(maps));
    expect(steps['filter="authentication"']).to.be.greaterThanOrEqual(1);
    expect(steps['filter="authorization"']).to.be.greaterThanOrEqual(1);
  });

  it('what the node authorizer learns', async () => {
    const volume = {
      metadata: { name: 'v' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } },
    };
    const made = async (): Promise<void> => {
      expect((await post('/api/v1/persistentvolumes', volume)).status).to.equal(201);
    };
    expect(await growth('node_authorizer_graph_actions_duration_seconds', made)).to.deep.equal({ 'operation="AddPV"': 1 });
  });

  it('watches that begin with all that there is, and how much that is', async () => {
    const wanted = 'watch=true&timeoutSeconds=1';
    const initial = `${wanted}&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const watches = async (): Promise<void> => {
      const asked = [`/api/v1/namespaces?${initial}`, `/api/v1/namespaces/default/secrets?${initial}`, `/api/v1/namespaces?${wanted}`];
      for (const { status, text } of await Promise.all(asked.map((path) => ask(path)))) expect(status, text).to.equal(200);
    };
    const of = (resource: string, scope: string): string => `group="",version="v1",resource="${resource}",scope="${scope}"`;
    expect(await growth('apiserver_watch_list_duration_seconds', watches)).to.deep.equal({
      [of('namespaces', 'cluster')]: 1,
      [of('secrets', 'namespace')]: 1,
    });
    const sizes = await shown('apiserver_resource_size_estimate_bytes');
    expect(sizes['group="",resource="namespaces"']).to.be.greaterThan(100);
    expect(sizes['group="",resource="replicationcontrollers"']).to.equal(0);
  });

  it('lists out of memory, and what comes into it', async () => {
    const [maps, labels] = ['/api/v1/namespaces/kube-public/configmaps', 'group="",resource="configmaps"'];
    const map = (name: string, a: string): Promise<Answer> => post(maps, { metadata: { name, labels: { a } } });
    const made = async (): Promise<void> => {
      await map('one', '1');
      await map('two', '2');
    };
    const [received, dispatched] = ['received', 'dispatched'].map((what) => `apiserver_watch_cache_events_${what}_total`);
    expect((await growth(received!, made))[labels]).to.equal(2);
    expect((await shown(dispatched!))[labels]).to.equal((await shown(received!))[labels]);
    const everything = ((await ask(maps)).body as { items: unknown[] }).items.length;
    const lists = async (): Promise<void> => {
      await ask(maps);
      await ask(`${maps}?labelSelector=a%3D2`);
    };
    const indexed = `${labels},index=""`;
    expect(await growth('apiserver_cache_list_total', lists)).to.include({ [indexed]: 2 });
    expect(await growth('apiserver_cache_list_fetched_objects_total', lists)).to.include({ [indexed]: 2 * everything });
    expect(await growth('apiserver_cache_list_returned_objects_total', lists)).to.include({ [labels]: everything + 1 });
    expect(await growth('apiserver_watch_cache_consistent_read_total', lists)).to.include({
      [`${labels},success="true",fallback="false"`]: 2,
    });
    expect((await shown('apiserver_watch_cache_initializations_total'))[labels]).to.equal(1);
    const version = Number(((await ask(maps)).body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    expect((await shown('apiserver_watch_cache_resource_version'))[labels]).to.be.greaterThanOrEqual(version);
  });

  it('rules of custom resources', async () => {
    const [group, definitions] = ['example.com', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'];
    const limited = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 9' }] };
    const definition = {
      metadata: { name: `limits.${group}` },
      spec: {
        group,
        names: { plural: 'limits', kind: 'Limit' },
        scope: 'Namespaced',
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { n: limited } } } },
        ],
      },
    };
    expect((await post(definitions, definition)).status).to.equal(201);
    const limits = `/apis/${group}/v1/namespaces/default/limits`;
    const made = (name: string, n: number): Promise<Answer> =>
      post(limits, { apiVersion: `${group}/v1`, kind: 'Limit', metadata: { name }, n });
    while ((await ask(limits)).status === 404) continue;
    const objects = async (): Promise<void> => {
      expect((await made('low', 1)).status).to.equal(201);
      expect((await made('high', 9)).status).to.equal(422);
    };
    expect(await growth('apiserver_cel_evaluation_duration_seconds', objects)).to.deep.equal({ '': 2 });
    expect(await shown('apiserver_cel_compilation_duration_seconds')).to.deep.equal({ '': 1 });
  });

  it('certificates that are issued for as long as somebody has asked for, or not', async () => {
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const request = await signingRequest('somebody');
    const certificate = Buffer.from((await identities.issue({ name: 'somebody' })).cert).toString('base64');
    const issue = async (name: string, spec: object, query = ''): Promise<void> => {
      const made = await post(requests, { metadata: { name }, spec: { request, usages: ['client auth'], ...spec } });
      expect(made.status, made.text).to.equal(201);
      const object = JSON.parse(made.text) as object;
      const issued = await ask({
        method: 'PUT',
        path: `${requests}/${name}/status${query}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...object, status: { certificate } }),
      } as Call);
      expect(issued.status, issued.text).to.equal(200);
    };
    const days = 86_400;
    const signerName = 'kubernetes.io/kube-apiserver-client';
    await issue('as-long', { signerName, expirationSeconds: 3 * days });
    await issue('longer', { signerName, expirationSeconds: days });
    await issue('nobody-said', { signerName });
    await issue('dry', { signerName, expirationSeconds: days }, '?dryRun=All');
    await issue('invented', { signerName: 'example.com/signer', expirationSeconds: 3 * days - 600 });
    const [requested, honored] = ['requested', 'honored'].map((what) => `apiserver_certificates_registry_csr_${what}_duration_total`);
    expect(await shown(requested!)).to.deep.equal({ [`signerName="${signerName}"`]: 2, 'signerName="other"': 1 });
    expect(await shown(honored!)).to.deep.equal({ [`signerName="${signerName}"`]: 1, 'signerName="other"': 1 });
  });

  it('audit events', async () => {
    expect((await growth('apiserver_audit_event_total', () => ask('/api/v1/namespaces')))['']).to.be.greaterThanOrEqual(2);
    expect(await shown('apiserver_audit_requests_rejected_total')).to.deep.equal({ '': 0 });
  });
});
