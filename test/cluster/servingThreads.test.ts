import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { ApiClient, type WatchEvent } from '../fixtures/apiClient.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';
import { until } from './operator.js';

const threads = 3;
const clientsMax = 24;
const eventBurst = 12;

interface AuditLine {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly name?: string };
}

/** Process-wide limits hold whichever threads have the clients' connections. */
describe('serving threads', function () {
  let test: ClusterUnderTest;
  let clients: ApiClient[];
  let auditLog: string;

  before(async () => {
    const folder = temporaryDirectory('threads');
    auditLog = path.join(folder, 'audit.log');
    const policy = path.join(folder, 'policy.json');
    const rules = [
      { level: 'Metadata', namespaces: ['audited'], resources: [{ group: '', resources: ['configmaps'] }] },
      { level: 'None' },
    ];
    fs.writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    const admission = path.join(folder, 'admission.json');
    const limits = {
      apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      limits: [{ type: 'Server', qps: 1, burst: eventBurst }],
    };
    fs.writeFileSync(
      admission,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AdmissionConfiguration',
        plugins: [{ name: 'EventRateLimit', configuration: limits }],
      }),
    );
    test = await ClusterUnderTest.start({
      replicas: 1,
      managers: 1,
      apiserverFlags: [
        `--serving-threads=${threads}`,
        '--audit-policy-file',
        policy,
        '--audit-log-path',
        auditLog,
        '--enable-admission-plugins=EventRateLimit',
        '--admission-control-config-file',
        admission,
      ],
    });
    const { address } = test.members[0]!;
    clients = Array.from({ length: clientsMax }, () => new ApiClient(address, test.cluster));
    await onAll((client) => client.expect(200, 'GET', '/api/v1/namespaces/default'));
  });
  after(async () => {
    for (const client of clients) client.close();
    await test.stop();
  });

  const onAll = <T>(ask: (client: ApiClient, number: number) => Promise<T>): Promise<T[]> => Promise.all(clients.map(ask));
  const metric = async (client: ApiClient, pattern: RegExp, page = '/metrics'): Promise<number[]> => {
    const { body } = await client.request('GET', page);
    return String(body)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  };

  it('take the connections among themselves', async () => {
    const open = await metric(clients[0]!, /^apiserver_serving_thread_connections\{/);
    expect(open).to.have.length(threads);
    expect(open.filter((count) => count > 0).length).to.be.greaterThan(1);
    expect(open.reduce((sum, each) => sum + each, 0)).to.be.at.least(clientsMax);
  });

  it('show on every connection what was written on any, also to readers who take what is there', async () => {
    const path = await test.namespace('seen');
    await clients[0]!.expect(201, 'POST', path, { body: configMap('one', { round: '0' }) });
    for (let round = 1; round <= 40; round++) {
      const writer = clients[round % clientsMax]!;
      const { metadata } = await writer.expect(200, 'PUT', `${path}/one`, { body: configMap('one', { round: String(round) }) });
      const seen = await onAll((client, number) => client.expect(200, 'GET', `${path}/one${number % 2 === 0 ? '' : '?resourceVersion=0'}`));
      expect(new Set(seen.map(({ data }) => data?.['round']))).to.deep.equal(new Set([String(round)]));
      const lists = await onAll((client) => client.expect(200, 'GET', `${path}?resourceVersion=0&fieldSelector=metadata.name%3Done`));
      expect(new Set(lists.map(({ items = [] }) => items[0]?.metadata.resourceVersion))).to.deep.equal(new Set([metadata.resourceVersion]));
    }
  });

  it('give rights and take them at once, wherever they are asked for', async () => {
    const rules = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    const user = clients.map((client) => ({
      may: async (): Promise<boolean> => {
        const review = await client.expect(201, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
          body: {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SubjectAccessReview',
            spec: { user: 'somebody', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
          },
        });
        return (review.status as { readonly allowed: boolean }).allowed;
      },
    }));
    for (let round = 0; round < 5; round++) {
      await clients[round]!.expect(201, 'POST', rules, {
        body: {
          metadata: { name: 'may' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'somebody' }],
        },
      });
      expect(new Set(await Promise.all(user.map((each) => each.may())))).to.deep.equal(new Set([true]));
      await clients[round + 7]!.expect(200, 'DELETE', `${rules}/may`);
      expect(new Set(await Promise.all(user.map((each) => each.may())))).to.deep.equal(new Set([false]));
    }
  });

  it('count health checks as one, and show them on every connection', async () => {
    await onAll((client) => client.expect(200, 'GET', '/readyz'));
    let before = clientsMax;
    for (const client of clients) {
      expect(await metric(client, /^kubernetes_healthcheck\{name="ping",type="readyz"\}/, '/metrics/slis')).to.deep.equal([1]);
      const [looked = 0] = await metric(client, /^kubernetes_healthchecks_total\{name="ping",.*status="success"/, '/metrics/slis');
      expect(looked).to.be.at.least(before);
      before = looked;
    }
  });

  it('count requests as one', async () => {
    const path = await test.namespace('counted');
    await onAll((client, number) => client.expect(201, 'POST', path, { body: configMap(`c${number}`) }));
    const counted = /^apiserver_request_total\{.*verb="PATCH".*resource="configmaps".*code="200"/;
    const type = 'application/merge-patch+json';
    for (let round = 0; round < 5; round++)
      await onAll((client, number) =>
        client.expect(200, 'PATCH', `${path}/c${number}`, { type, body: { data: { round: String(round) } } }),
      );
    // A request is counted at its end, which the client may notice first.
    await until('the count', async () => ((await metric(clients[0]!, counted))[0] ?? 0) >= 5 * clientsMax);
    for (const client of clients.slice(0, 8)) expect(await metric(client, counted)).to.deep.equal([5 * clientsMax]);
    const took = /^apiserver_request_duration_seconds_count\{.*verb="PATCH".*resource="configmaps"/;
    expect(await metric(clients[9]!, took)).to.deep.equal([5 * clientsMax]);
    expect(await metric(clients[9]!, /^process_resident_memory_bytes /)).to.have.length(1);
  });

  it('write each request down once, in the order in which they came', async () => {
    const path = await test.namespace('audited');
    for (const [number, client] of clients.entries()) await client.expect(201, 'POST', path, { body: configMap(`a${number}`) });
    const lines = fs
      .readFileSync(auditLog, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine)
      .filter(({ verb, user }) => verb === 'create' && !user.username.startsWith('system:'));
    // Each is complete before the next one begins.
    expect(lines.map(({ stage }) => stage)).to.deep.equal(clients.flatMap(() => ['RequestReceived', 'ResponseComplete']));
    expect(new Set(lines.map(({ auditID }) => auditID)).size).to.equal(clientsMax);
    expect(lines.filter(({ stage }) => stage === 'ResponseComplete').map(({ objectRef }) => objectRef?.name)).to.deep.equal(
      clients.map((_, number) => `a${number}`),
    );
  });

  it('let through no more events than the limit', async () => {
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, round) =>
        onAll((client, number) =>
          client.request('POST', '/api/v1/namespaces/default/events', {
            body: {
              metadata: { name: `e${round}-${number}` },
              involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
              reason: 'Tried',
              type: 'Normal',
            },
          }),
        ),
      ),
    );
    const passed = answers.flat().filter(({ status }) => status === 201).length;
    const seconds = (performance.now() - begun) / 1_000;
    expect(passed).to.be.greaterThan(0);
    expect(passed).to.be.at.most(eventBurst + seconds + 1);
    expect(new Set(answers.flat().map(({ status }) => status))).to.deep.equal(new Set([201, 429]));
  });

  it('give no address and no port twice', async () => {
    const services = await onAll((client, number) =>
      client.expect(201, 'POST', '/api/v1/namespaces/default/services', {
        body: { metadata: { name: `s${number}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      }),
    );
    const specs = services.map(
      (service) => (service as { readonly spec?: unknown }).spec as { clusterIP: string; ports: { nodePort: number }[] },
    );
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).to.equal(clientsMax);
    expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).to.equal(clientsMax);
  });

  it('keep to a quota', async () => {
    const path = await test.namespace('bounded');
    const quotas = '/api/v1/namespaces/bounded/resourcequotas';
    await clients[0]!.expect(201, 'POST', quotas, { body: { metadata: { name: 'q' }, spec: { hard: { secrets: '7' } } } });
    const secrets = path.replace('configmaps', 'secrets');
    // The controller sets the usage; before that nothing is admitted.
    const watch = clients[1]!.watch(`${quotas}?watch=true`);
    await watch.until((events) => events.some(({ object }) => (object.status as { used?: object } | undefined)?.used !== undefined));
    watch.close();
    const created = await onAll((client, number) => client.request('POST', secrets, { body: { metadata: { name: `s${number}` } } }));
    expect(created.filter(({ status }) => status === 201).length).to.equal(7);
    expect((await clients[2]!.expect(200, 'GET', secrets)).items).to.have.length(7);
  });

  it('tell watchers on all connections of every change, once and in order', async () => {
    const path = await test.namespace('watched');
    const { metadata } = await clients[0]!.expect(200, 'GET', path);
    const watches = clients.map((client) => client.watch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`));
    const changes = 60;
    await Promise.all(watches.map(({ opened }) => opened));
    for (let round = 0; round < changes; round++)
      await clients[round % clientsMax]!.expect(201, 'POST', path, { body: configMap(`w${round}`) });
    const [first, ...others] = await Promise.all(
      watches.map(async (watch) => {
        // The namespace gets another object.
        const own = (events: readonly WatchEvent[]): WatchEvent[] => events.filter(({ object }) => object.metadata.name.startsWith('w'));
        await watch.until((events) => own(events).length >= changes);
        watch.close();
        return own(watch.events).map(({ type, object }) => `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`);
      }),
    );
    expect(first!.map((event) => event.split(' ')[1])).to.deep.equal(Array.from({ length: changes }, (_, round) => `w${round}`));
    for (const other of others) expect(other).to.deep.equal(first);
  });

  it('read each change once for all of them', async () => {
    const path = await test.namespace('shared');
    // No other watch exists: a second reader waits up to a millisecond for an encoding in progress, then encodes for itself.
    const [manager] = test.cluster.managers;
    await manager!.stop(30_000);
    const counted = async (outcome: string): Promise<number> =>
      (await metric(clients[0]!, new RegExp(`^apiserver_serving_thread_forms_${outcome}_total`)))[0] ?? NaN;
    const [first, ...others] = clients as [ApiClient, ...ApiClient[]];
    const { metadata } = await first.expect(200, 'GET', path);
    const revisionOf = async (): Promise<number> => Number((await clients[0]!.expect(200, 'GET', path)).metadata.resourceVersion);
    const before = { made: await counted('made'), found: await counted('found'), revision: await revisionOf() };
    const changes = 100;
    const isNew = ({ type, object }: WatchEvent): boolean => type === 'ADDED' && object.metadata.name.startsWith('new');
    const reads = async (of: readonly ApiClient[]): Promise<void> => {
      const watches = of.map((client) => client.watch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`));
      await Promise.all(watches.map((watch) => watch.until((events) => events.filter(isNew).length === changes)));
      for (const watch of watches) watch.close();
    };
    for (let each = 1; each <= changes; each++) await first.expect(201, 'POST', path, { body: configMap(`new${each}`) });
    // One thread makes them; then the other threads find them.
    await reads([first]);
    expect((await counted('made')) - before.made).to.be.at.least(changes);
    await reads(others);
    // The kernel may have given all these connections to one thread.
    for (let round = 0; round < 20 && (await counted('found')) - before.found < changes; round++) {
      const further = others.map(({ address }) => new ApiClient(address, test.cluster));
      await reads(further);
      for (const client of further) client.close();
    }
    expect((await counted('found')) - before.found).to.be.at.least(changes);
    // The JSON, and possibly the metadata. The servers write too.
    const all = (await revisionOf()) - before.revision;
    expect((await counted('made')) - before.made).to.be.at.most(2.5 * all);
    manager!.start();
  });

  it('stop with the process, in good order', async () => {
    const server = test.members[0]!.process;
    const path = await test.namespace('ending');
    const writes = onAll((client, number) => client.request('POST', path, { body: configMap(`last${number}`) }));
    await clients[0]!.expect(200, 'GET', `${path}?limit=1`);
    const inOrder = server.stop(30_000);
    expect(new Set((await writes).map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(await inOrder).to.equal(true);
    server.start();
  });
});
