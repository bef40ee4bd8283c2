import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../fixtures/apiClient.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { programFile } from '../../deploy/programs.js';

/** An object for each controller, and its final state. */
interface Case {
  readonly path: string;
  readonly object: object;
  /** The path to read; default its own. */
  readonly look?: string;
  readonly done: (found: Looked) => boolean;
}
type Looked = Omit<ApiObject, 'data'> & {
  readonly status?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[] | null;
  readonly data?: Readonly<Record<string, string>>;
  readonly subsets?: readonly unknown[];
  readonly items?: readonly ApiObject[];
};

const core = '/api/v1/namespaces/work';
const group = (name: string): string => `/apis/${name}/namespaces/work`;
const labels = (app: string) => ({ metadata: { labels: { app } } });
const template = (app: string, more: object = {}) => ({ ...labels(app), spec: { containers: [{ name: 'c', image: 'x' }], ...more } });
const selector = (app: string) => ({ matchLabels: { app } });
const once1 = { restartPolicy: 'Never' };

const cases: Readonly<Record<string, Case>> = {
  deployment: {
    path: `${group('apps/v1')}/deployments`,
    object: { metadata: { name: 'web' }, spec: { replicas: 2, selector: selector('web'), template: template('web') } },
    done: ({ status }) => status?.['availableReplicas'] === 2,
  },
  statefulset: {
    path: `${group('apps/v1')}/statefulsets`,
    object: { metadata: { name: 'db' }, spec: { serviceName: 'web', replicas: 2, selector: selector('db'), template: template('db') } },
    done: ({ status }) => status?.['readyReplicas'] === 2,
  },
  daemonset: {
    path: `${group('apps/v1')}/daemonsets`,
    object: { metadata: { name: 'agent' }, spec: { selector: selector('agent'), template: template('agent') } },
    done: ({ status }) => status?.['numberReady'] === 2,
  },
  replicationcontroller: {
    path: `${core}/replicationcontrollers`,
    object: { metadata: { name: 'rc' }, spec: { replicas: 2, selector: { app: 'rc' }, template: template('rc') } },
    done: ({ status }) => status?.['readyReplicas'] === 2,
  },
  job: {
    path: `${group('batch/v1')}/jobs`,
    object: { metadata: { name: 'job' }, spec: { completions: 2, completionMode: 'Indexed', template: template('job', once1) } },
    done: ({ status }) => status?.['succeeded'] === 2,
  },
  'job and its time to live': {
    path: `${group('batch/v1')}/jobs`,
    object: { metadata: { name: 'brief' }, spec: { ttlSecondsAfterFinished: 1, template: template('brief', once1) } },
    look: `${group('batch/v1')}/jobs`,
    done: ({ items }) => !items?.some(({ metadata }) => metadata.name === 'brief'),
  },
  disruption: {
    path: `${group('policy/v1')}/poddisruptionbudgets`,
    object: { metadata: { name: 'budget' }, spec: { minAvailable: 1, selector: selector('web') } },
    done: ({ status }) => status?.['disruptionsAllowed'] === 1,
  },
  quota: {
    path: `${core}/resourcequotas`,
    object: { metadata: { name: 'quota' }, spec: { hard: { pods: '100' } } },
    done: ({ status }) => (status?.['used'] as { pods?: string } | undefined)?.pods !== undefined,
  },
  endpoints: {
    path: `${core}/services`,
    object: { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
    look: `${core}/endpoints/web`,
    done: ({ subsets }) => (subsets ?? []).length === 1,
  },
  'endpoint slices': {
    path: `${core}/services`,
    object: { metadata: { name: 'sliced' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
    look: `${group('discovery.k8s.io/v1')}/endpointslices`,
    done: ({ items }) => items?.some(({ metadata }) => metadata.name.startsWith('sliced-')) ?? false,
  },
  'cluster role': {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    object: { metadata: { name: 'sum' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] }, rules: [] },
    done: ({ rules }) => rules?.length === 1,
  },
  'token secret': {
    path: `${core}/secrets`,
    object: {
      metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } },
      type: 'kubernetes.io/service-account-token',
    },
    done: ({ data }) => data?.['token'] !== undefined,
  },
};
const part = { metadata: { name: 'part', labels: { part: 'yes' } }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
const pollMs = 50;

describe('cluster/controllerAccounts', function () {
  let test: ClusterUnderTest;
  afterEach(() => test?.stop());
  const get = async (url: string): Promise<{ status: number; body: Looked }> =>
    (await test.client.request('GET', url)) as { status: number; body: Looked };

  it('lets every controller do its work as a service account of its own', async () => {
    test = await ClusterUnderTest.start({ replicas: 1, managers: 1, fakeNodes: 2 });
    await test.client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'work' } } });
    while ((await get(`${core}/serviceaccounts/default`)).status !== 200) await delay(pollMs);
    await test.client.expect(201, 'POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { body: part });
    for (const { path: collection, object } of Object.values(cases)) await test.client.expect(201, 'POST', collection, { body: object });
    await Promise.all(
      Object.entries(cases).map(async ([, { path: collection, object, look, done }]) => {
        const {
          metadata: { name },
        } = object as { metadata: { name: string } };
        for (;;) {
          const { status, body } = await get(look ?? `${collection}/${name}`);
          if (status === 200 && done(body)) return;
          await delay(pollMs);
        }
      }),
    );
    expect((await get(`${core}/configmaps/kube-root-ca.crt`)).status).to.equal(200);
    await test.client.expect(200, 'DELETE', '/api/v1/namespaces/work');
    while ((await get('/api/v1/namespaces/work')).status === 200) await delay(pollMs);
    const logs = [...test.cluster.managers, ...(test.cluster.fakeNodes ? [test.cluster.fakeNodes] : [])]
      .map(({ spec }) => fs.readFileSync(spec.log, 'utf8'))
      .join('');
    expect(logs.split('\n').filter((line) => /forbidden|unauthorized/i.test(line))).to.deep.equal([]);
  });

  it('runs the controllers that are asked for, without election and without a port, at the address that is given', async () => {
    test = await ClusterUnderTest.start({ replicas: 1 });
    const program = programFile('controller-manager');
    const kubeconfig = path.join(test.cluster.dataDirectory, 'elsewhere.kubeconfig');
    fs.writeFileSync(kubeconfig, fs.readFileSync(test.cluster.kubeconfig, 'utf8').replace(/server: .*/, 'server: https://127.0.0.1:1'));
    const address = test.members[0]?.address ?? '';
    const child = spawn(
      process.execPath,
      [
        program,
        '--kubeconfig',
        kubeconfig,
        '--master',
        address,
        '--secure-port=0',
        '--leader-elect=false',
        '--controllers=*,-root-ca-cert-publisher',
      ],
      { stdio: ['ignore', 'inherit', 'pipe'] },
    );
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    while ((await get('/api/v1/namespaces/default/serviceaccounts/default')).status !== 200) await delay(pollMs);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code, log).to.equal(0);
    expect(log).to.contain('serviceaccount-controller').and.not.to.contain('root-ca');
    expect((await get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager')).status).to.equal(404);
    expect((await get('/api/v1/namespaces/default/configmaps/kube-root-ca.crt')).status).to.equal(404);
  });
});
