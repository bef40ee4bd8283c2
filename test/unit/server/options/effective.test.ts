import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { ApiServerOptions } from '../../../../server/options/flags.js';
import { startServer, type RunningServer } from '../../../../server/server.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { absent, otherLabels } from '../../../fixtures/absentMetrics.js';
import { call1, recordingLogger, type Answer, type Call } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

/** Effects of options on running servers, seen from outside; two servers differ in all of them. */
describe('options, on running servers', function () {
  let identities: Identities;
  let serving: Identity;
  let admin: Identity;
  let usual: RunningServer;
  let other: RunningServer;
  const folder = temporaryDirectory('effective');
  const socket = path.join(folder, 'debug.sock');
  const manifest = path.join(folder, 'labels.yaml');

  const optionsWith = (name: string, ...more: string[]): ApiServerOptions => {
    const read = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--authorization-mode=RBAC',
      `--raft-data-dir=${path.join(folder, name)}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${serving.certFile}`,
      `--tls-private-key-file=${serving.keyFile}`,
      ...more,
    ]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    return read.options;
  };
  const ask = (server: RunningServer, call: Call | string): Promise<Answer> =>
    call1(Number(new URL(server.url).port), { identity: admin, ...(typeof call === 'string' ? { path: call } : call) });
  const both = async (call: string, of: (answer: Answer) => unknown): Promise<unknown[]> => [
    of(await ask(usual, call)),
    of(await ask(other, call)),
  ];
  const create = (server: RunningServer, at: string, object: object): Promise<Answer> =>
    ask(server, { method: 'POST', path: at, headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) } as Call);

  before(async () => {
    identities = await createIdentities();
    serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    fs.writeFileSync(manifest, '"apiserver_request_total,verb": "LIST"\n');
    usual = await startServer(optionsWith('usual'), recordingLogger([]));
    other = await startServer(
      optionsWith(
        'other',
        '--profiling=false',
        `--debug-socket-path=${socket}`,
        '--contention-profiling',
        '--disabled-metrics=apiserver_current_inflight_requests',
        `--allow-metric-labels-manifest=${manifest}`,
        '--show-hidden-metrics-for-version=1.35',
        '--etcd-count-metric-poll-period=0',
        '--etcd-db-metric-poll-interval=0',
        '--enable-priority-and-fairness=false',
        '--enable-garbage-collector=false',
        '--allow-privileged',
        '--enable-admission-plugins=NamespaceAutoProvision',
        '--disable-admission-plugins=ServiceAccount',
        '--default-not-ready-toleration-seconds=7',
        '--default-unreachable-toleration-seconds=8',
        '--kubernetes-service-node-port=31005',
        '--external-hostname=ext.example',
        '--emulated-version=1.34',
        '--runtime-config-emulation-forward-compatible',
        '--runtime-config=storagemigration.k8s.io/v1beta1=true,coordination.k8s.io/v1beta1=true',
        '--feature-gates=ComponentStatusz=false,ComponentFlagz=true,StorageVersionHash=false,AllAlpha=false,StorageVersionMigrator=true,OpenAPIEnums=false,CoordinatedLeaderElection=true',
        '--storage-initialization-timeout=1s',
      ),
      recordingLogger([]),
    );
    await Promise.all([usual.ready, other.ready]);
    await ask(usual, '/api/v1/pods');
    await ask(other, '/api/v1/pods');
  });
  after(() => Promise.all([usual?.stop(), other?.stop()]));

  it('profiling and its socket', async () => {
    expect(await both('/debug/pprof/cmdline', ({ status }) => status)).to.deep.equal([200, 404]);
    expect(fs.statSync(socket).isSocket()).to.equal(true);
  });
  it('pages about the process, by feature gates', async () => {
    expect(await both('/statusz', ({ status }) => status)).to.deep.equal([200, 404]);
    expect(await both('/flagz', ({ text }) => /^emulated-version=(.*)$/m.exec(text)?.[1])).to.deep.equal(['[]', '[1.34]']);
    const zpage = (kind: string, type: string, version: string): ReturnType<typeof ask> =>
      ask(usual, {
        method: 'GET',
        path: `/${kind.toLowerCase()}`,
        headers: { accept: `${type};as=${kind};g=config.k8s.io;v=${version}` },
      } as Call);
    const status = await zpage('Statusz', 'application/json', 'v1beta1');
    expect(JSON.parse(status.text)).to.deep.include({ kind: 'Statusz', metadata: { name: 'apiserver' } });
    expect((JSON.parse(status.text) as { readonly paths: string[] }).paths)
      .to.include('/flagz')
      .and.include('/statusz');
    expect(status.headers['warning']).to.equal(undefined);
    const old = await zpage('Flagz', 'application/yaml', 'v1alpha1');
    expect(old.text).to.match(/^apiVersion: config\.k8s\.io\/v1alpha1$/m);
    expect(old.headers['warning']).to.match(/^299 - "This version of the flagz endpoint is deprecated/);
    expect(await zpage('Statusz', 'application/cbor', 'v1beta1')).to.have.property('status', 406);
    await ask(usual, '/readyz');
    expect((await ask(usual, '/metrics/slis')).text).to.match(/^kubernetes_healthcheck\{name="ping",type="readyz"\} 1$/m);
  });
  it('metrics', async () => {
    const names = [...(await ask(usual, '/metrics')).text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names).to.deep.equal([...names].sort());
    const has = (name: string): Promise<unknown[]> => both('/metrics', ({ text }) => text.includes(`\n${name}`));
    expect(await has('apiserver_current_inflight_requests')).to.deep.equal([true, false]);
    expect(await has('apiserver_resource_objects{')).to.deep.equal([true, false]);
    expect(await has('apiserver_storage_size_bytes{')).to.deep.equal([true, false]);
    expect(await has('apiserver_flowcontrol_nominal_limit_seats{priority_level="catch-all"} 13')).to.deep.equal([true, false]);
    expect(await has('kubernetes_feature_enabled{name="AtomicFIFO",stage="BETA"} 1')).to.deep.equal([true, false]);
    const verbs = await both('/metrics', ({ text }) =>
      [...text.matchAll(/^apiserver_request_total\{[^}]*verb="(\w+)"/gm)].map(([, verb]) => verb),
    );
    expect(new Set(verbs[1] as string[])).to.deep.equal(new Set(['LIST', 'unexpected']));
    expect(verbs[0]).to.include('GET').and.not.include('unexpected');
  });
  it('priority and fairness', async () => {
    expect(await both('/api/v1/pods', ({ headers }) => typeof headers['x-kubernetes-pf-flowschema-uid'])).to.deep.equal([
      'string',
      'undefined',
    ]);
    expect(await both('/debug/api_priority_and_fairness/dump_queues', ({ status }) => status)).to.deep.equal([200, 404]);
  });
  it('garbage: nobody collects what nobody is there to collect', async () => {
    const at = '/api/v1/namespaces/default/configmaps';
    const left: unknown[] = [];
    for (const server of [usual, other]) {
      await create(server, at, { metadata: { name: 'owner' } });
      await ask(server, { method: 'DELETE', path: `${at}/owner?propagationPolicy=Foreground` } as Call);
      left.push((await ask(server, `${at}/owner`)).status);
    }
    expect(left).to.deep.equal([200, 404]);
  });
  it('pods: privileged ones, namespaces that are not there, tolerations', async () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] } };
    await create(usual, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    const refused = await create(usual, '/api/v1/namespaces/default/pods', pod);
    expect(refused.status).to.equal(422);
    expect(refused.body['message']).to.equal(
      'Pod "p" is invalid: spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    );
    const template = {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod.spec } },
    };
    expect((await create(usual, '/apis/apps/v1/namespaces/default/deployments', template)).body['message']).to.contain(
      'spec.template.spec.containers[0].securityContext.privileged: Forbidden',
    );
    expect((await create(usual, '/api/v1/namespaces/new/pods', pod)).status).to.equal(404);
    const made = await create(other, '/api/v1/namespaces/new/pods', pod);
    expect(made.status).to.equal(201);
    expect((await ask(other, '/api/v1/namespaces/new')).status).to.equal(200);
    expect(
      (
        await ask(other, {
          method: 'POST',
          path: '/api/v1/namespaces/dry/pods?dryRun=All',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(pod),
        } as Call)
      ).status,
    ).to.equal(404);
    const { tolerations } = made.body['spec'] as { tolerations: { key: string; tolerationSeconds: number }[] };
    expect(tolerations.map(({ tolerationSeconds }) => tolerationSeconds).sort()).to.deep.equal([7, 8]);
  });
  it('the service of the API, and its address', async () => {
    const service = '/api/v1/namespaces/default/services/kubernetes';
    expect(await both(service, ({ body }) => (body['spec'] as { ports: { nodePort?: number }[] }).ports[0]?.nodePort)).to.deep.equal([
      undefined,
      31005,
    ]);
    expect(await both('/api', ({ text }) => text.includes('ext.example'))).to.deep.equal([false, true]);
  });
  it('an earlier version', async () => {
    expect(await both('/version', ({ body }) => [body['minor'], body['emulationMinor']])).to.deep.equal([
      ['36', '36'],
      ['36', '34'],
    ]);
    expect(await both('/metrics', ({ text }) => /^version_info\{.*emulation="([^"]*)"/m.exec(text)?.[1])).to.deep.equal(['1.36', '1.34']);
    expect(await both('/apis/admissionregistration.k8s.io/v1', ({ text }) => text.includes('"mutatingadmissionpolicies"'))).to.deep.equal([
      true,
      false,
    ]);
    expect(await both('/apis/storagemigration.k8s.io/v1beta1', ({ status }) => status)).to.deep.equal([404, 200]);
    expect(await both('/api/v1', ({ text }) => text.includes('storageVersionHash'))).to.deep.equal([true, false]);
  });
  it('values that are meant, in OpenAPI', async () => {
    expect(await both('/openapi/v3/api/v1', ({ text }) => text.includes('"enum":["Always","IfNotPresent","Never"]'))).to.deep.equal([
      true,
      false,
    ]);
    expect(await both('/openapi/v2', ({ text }) => text.includes('"enum":["Always","IfNotPresent","Never"]'))).to.deep.equal([true, false]);
  });
  it('holders of leases, whom the server elects', async () => {
    const group = '/apis/coordination.k8s.io';
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const spec = {
      leaseName: 'sought',
      binaryVersion: '1.36.0',
      emulationVersion: '1.36.0',
      strategy: 'OldestEmulationVersion',
      renewTime,
    };
    const path = `${group}/v1beta1/namespaces/default/leasecandidates`;
    expect((await create(other, path, { metadata: { name: 'me' }, spec })).status).to.equal(201);
    const elected = async (): Promise<unknown> => (await ask(other, `${group}/v1/namespaces/default/leases/sought`)).body['spec'];
    let lease = await elected();
    while (lease === undefined) lease = await elected();
    expect(lease).to.include({ holderIdentity: 'me', strategy: 'OldestEmulationVersion' });
    const plain = await create(usual, `${group}/v1/namespaces/default/leases`, {
      metadata: { name: 'a' },
      spec: { strategy: 'OldestEmulationVersion' },
    });
    expect(plain.body['spec']).to.not.have.property('strategy');
  });
  it('the verbosity of the log', async () => {
    expect((await ask(usual, { method: 'PUT', path: '/debug/flags/v', body: '1' } as Call)).text).to.equal(
      'successfully set klog.logging.verbosity to 1',
    );
  });

  it('metrics are those of the reference, or it is said why not', async () => {
    const reference = JSON.parse(fs.readFileSync(path.join(packageRoot, 'test/unit/server/options/reference.json'), 'utf8')) as Record<
      string,
      { readonly labels: readonly string[]; readonly type: string }
    >;
    const { text } = await ask(usual, '/metrics');
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
    const labelsOf = (name: string): string[] => {
      const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm');
      const all = [...text.matchAll(series)].flatMap(([, labels]) => [...labels!.matchAll(/(\w+)="/g)].map(([, label]) => label!));
      return [...new Set(all)].filter((label) => label !== 'le' && label !== 'quantile').sort();
    };
    const reasonOf = (name: string): string | undefined => absent.find(([names]) => names.test(name))?.[1];
    const problems = Object.entries(reference).flatMap(([name, { labels, type }]) => {
      const ours = types.get(name);
      if (ours === undefined) return reasonOf(name) === undefined ? [`${name} is absent, and nobody says why`] : [];
      if (ours !== type) return [`${name} is a ${ours}, not a ${type}`];
      const own = labelsOf(name);
      return own.length === 0 || otherLabels[name] !== undefined || own.join() === [...labels].sort().join()
        ? []
        : [`${name} has ${own.join()}, not ${[...labels].sort().join()}`];
    });
    expect(problems).to.deep.equal([]);
    const idle = absent.filter(([names]) => !Object.keys(reference).some((name) => names.test(name) && !types.has(name)));
    expect(idle.map(([names]) => String(names))).to.deep.equal([]);
  });
});
