import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

interface Case {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: (value: JsonValue) => JsonObject;
  readonly field: string;
}

const metrics: Case = {
  path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  spec: (averageValue) => ({
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    maxReplicas: 5,
    metrics: [{ type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue } } }],
  }),
  field: 'f:metrics',
};
const limits: Case = {
  path: '/api/v1/namespaces/default/limitranges',
  apiVersion: 'v1',
  kind: 'LimitRange',
  spec: (memory) => ({ limits: [{ type: 'Container', max: { memory } }] }),
  field: 'f:limits',
};
const hard: Case = {
  path: '/api/v1/namespaces/default/resourcequotas',
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  spec: (memory) => ({ hard: { 'requests.memory': memory } }),
  field: 'f:hard',
};
const from: Case = {
  path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  spec: (rule) => ({ podSelector: {}, ingress: [rule] }),
  field: 'f:ingress',
};
/** Containers are owned member by member. */
const requests: Case = {
  path: '/apis/apps/v1/namespaces/default/deployments',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: (memory) => ({
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { memory } } }] },
    },
  }),
  field: 'f:requests',
};

/** Answers of kube-apiserver 1.36 to the same requests. */
const takes: readonly (readonly [Case, JsonValue])[] = [
  [metrics, '1024Mi'],
  [metrics, '1000m'],
  [metrics, '0.5'],
  [metrics, 2000],
  [limits, '1.5Gi'],
  [from, { ports: [] }],
  [from, { from: [{ podSelector: { matchLabels: {} } }] }],
  [from, { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: [] } }] }],
];
const leaves: readonly (readonly [Case, JsonValue])[] = [
  [metrics, '1Gi'],
  [metrics, '1e3'],
  [metrics, '500m'],
  [limits, '1536Mi'],
  [hard, '1024Mi'],
  [from, { from: [{ podSelector: {} }] }],
  [requests, '1024Mi'],
];

describe('owners of values that are stored in another spelling', () => {
  let server: TestServer;
  let number = 0;
  const send = (method: string, { path }: Case, object: JsonObject, manager: string, type: string): Promise<Answer> =>
    call(server.url, method, `${path}/${String((object['metadata'] as JsonObject)['name'])}?fieldManager=${manager}`, {
      type,
      body: object,
    });
  const ownersIn = ({ field }: Case, { body }: Answer): readonly unknown[] =>
    ((body['metadata'] as JsonObject)['managedFields'] as JsonObject[])
      .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(JSON.stringify(field)))
      .map(({ manager }) => manager);

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  for (const [owner, cases] of [
    ['two', takes],
    ['one', leaves],
  ] as const)
    for (const [of, value] of cases) {
      const { apiVersion, kind, spec } = of;
      const shown = `${JSON.stringify(value)} in ${of.field.slice(2)} of a ${kind}`;
      it(`${owner === 'two' ? 'pass to' : 'do not pass to'} the manager that puts ${shown}`, async () => {
        const object: JsonObject = { apiVersion, kind, metadata: { name: `o${number++}` }, spec: spec(value) };
        const applied = await send('PATCH', of, object, 'one', 'application/apply-patch+yaml');
        expect(applied.status, applied.text).to.equal(201);
        const put = await send('PUT', of, object, 'two', 'application/json');
        expect(put.status, put.text).to.equal(200);
        expect(ownersIn(of, put)).to.deep.equal([owner]);
      });
    }

  it('pass to the manager that patches them', async () => {
    const object: JsonObject = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'patched' }, spec: limits.spec('1Gi') };
    await send('PATCH', limits, object, 'one', 'application/apply-patch+yaml');
    const patched = await send('PATCH', limits, { ...object, spec: limits.spec('1024Mi') }, 'two', 'application/merge-patch+json');
    expect(ownersIn(limits, patched)).to.deep.equal(['two']);
    const again = await send('PATCH', limits, { ...object, spec: limits.spec('1Gi') }, 'three', 'application/merge-patch+json');
    expect(ownersIn(limits, again)).to.deep.equal(['two']);
  });
});
