import { expect } from 'chai';
import type { ApiObject, JsonObject, JsonValue } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { causes, createSample, refusal, type Sample } from './sample.js';

const catalogue = createCatalogue({ serves: () => true });

const object = (apiVersion: string, kind: string, content: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'kept' },
  ...content,
});
const container = { name: 'c', image: 'i' };
const pod = object('v1', 'Pod', { spec: { containers: [container] } });
const deployment = object('apps/v1', 'Deployment', {
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } } },
});
const badValue = { matchExpressions: [{ key: 'k', operator: 'In', values: ['no value'] }] };
const policy = (spec: JsonObject): JsonObject => object('networking.k8s.io/v1', 'NetworkPolicy', { spec });
const ingress = object('networking.k8s.io/v1', 'Ingress', { spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } } });
const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://a.example/' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const autoscaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', {
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    metrics: [
      { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } },
      {
        type: 'Object',
        object: {
          metric: { name: 'm' },
          describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
          target: { type: 'Value', value: '1' },
        },
      },
    ],
  },
});
const claim = object('v1', 'PersistentVolumeClaim', {
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1' } },
    dataSource: { apiGroup: 'a.b', kind: 'K', name: 'n' },
  },
});
const volume = object('v1', 'PersistentVolume', {
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1' },
    hostPath: { path: '/a' },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: ['v'] }] }] } },
  },
});
const service = object('v1', 'Service', { spec: { type: 'LoadBalancer', ports: [{ port: 1 }] } });
const slice = object('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }] });

const text = { type: 'string' };
/** The reference's name for the schema of all versions. */
const schema = 'spec.validation.openAPIV3Schema';
const definition = (properties: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'kept.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'kept', kind: 'Kept' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
  },
});
/** An error in a stored object: the member to set, and the findings for it. */
type Fault = readonly [what: string, object: JsonObject, at: string, value: JsonValue, findings: readonly string[], subresource?: string];

const template = 'spec.template.spec';
const affinity = `${template}.affinity`;
const selector = 'matchExpressions[0].values[0]';

const kept: readonly Fault[] = [
  [
    'a selector',
    object('policy/v1', 'PodDisruptionBudget', { spec: {} }),
    'spec.selector',
    badValue,
    [`invalid spec.selector.${selector}`],
  ],
  ['a selector', policy({ podSelector: {} }), 'spec.podSelector', badValue, [`invalid spec.podSelector.${selector}`]],
  [
    'ranges',
    policy({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] }),
    'spec.ingress.0.from.0.ipBlock',
    { cidr: '10.0.0.1/8', except: ['010.1.0.0/16'] },
    ['cidr', 'except[0]'].map((member) => `invalid spec.ingress[0].from[0].ipBlock.${member}`),
  ],
  [
    'a selector',
    object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', { webhooks: [webhook] }),
    'webhooks.0.objectSelector',
    badValue,
    [`invalid webhooks[0].objectSelector.${selector}`],
  ],
  [
    'a topology',
    object('storage.k8s.io/v1', 'CSIStorageCapacity', { storageClassName: 's', nodeTopology: {} }),
    'nodeTopology',
    badValue,
    [`invalid nodeTopology.${selector}`, 'invalid nodeTopology'],
  ],
  [
    'affinity to pods',
    deployment,
    affinity,
    { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k', labelSelector: badValue }] } },
    [`invalid ${affinity}.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.${selector}`],
  ],
  [
    'affinity to nodes',
    deployment,
    affinity,
    { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [badValue] } } },
    [`invalid ${affinity}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].${selector}`],
  ],
  [
    'a spread',
    deployment,
    `${template}.topologySpreadConstraints`,
    [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', labelSelector: badValue }],
    [`invalid ${template}.topologySpreadConstraints[0].labelSelector.${selector}`],
  ],
  [
    'keys of a spread',
    deployment,
    `${template}.topologySpreadConstraints`,
    [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['a'] }],
    [`forbidden ${template}.topologySpreadConstraints[0].matchLabelKeys`],
  ],
  [
    'parts of huge pages',
    deployment,
    `${template}.containers.0.resources`,
    { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' }, requests: { cpu: '1', 'hugepages-2Mi': '3Mi' } },
    ['limits', 'requests'].map((member) => `invalid ${template}.containers[0].resources.${member}[hugepages-2Mi]`),
  ],
  [
    'tokens of a path elsewhere',
    deployment,
    `${template}.volumes`,
    [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: '../x' } }] } }],
    [`invalid ${template}.volumes[0].projected.path`],
  ],
  [
    'comparisons',
    deployment,
    `${template}.tolerations`,
    [{ key: 'k', operator: 'Gt', value: '1' }],
    [`unsupported ${template}.tolerations[0].operator`],
  ],
  [
    'its cost',
    pod,
    'metadata.annotations',
    { 'controller.kubernetes.io/pod-deletion-cost': 'x' },
    // The reference validates it twice.
    Array<string>(2).fill('invalid metadata.annotations[controller.kubernetes.io/pod-deletion-cost]'),
  ],
  ['a selector', claim, 'spec.selector', badValue, [`invalid spec.selector.${selector}`, 'forbidden spec']],
  [
    'the group of a source',
    claim,
    'spec.dataSourceRef',
    { apiGroup: 'A_b', kind: 'K', name: 'n' },
    ['invalid spec.dataSource.apiGroup', 'invalid spec.dataSourceRef.apiGroup', 'forbidden spec'],
  ],
  [
    'values of labels',
    volume,
    'spec.nodeAffinity.required.nodeSelectorTerms.0.matchExpressions.0.values.0',
    'no value',
    [...Array<string>(2).fill(`invalid spec.nodeAffinity.required.nodeSelectorTerms[0].${selector}`), 'invalid nodeAffinity'],
  ],
  ['the name of a secret', ingress, 'spec.tls', [{ secretName: 'A_b' }], ['invalid spec.tls[0].secretName']],
  [
    'paths below a wildcard',
    ingress,
    'spec.rules',
    [
      {
        host: '*.a.example',
        http: { paths: [{ path: 'x', pathType: 'Exact', backend: { service: { name: 's', port: { number: 1 } } } }] },
      },
    ],
    ['invalid spec.rules[0].http.paths[0].path'],
  ],
  [
    'zeros',
    ingress,
    'status',
    { loadBalancer: { ingress: [{ ip: '010.1.2.3' }] } },
    ['invalid status.loadBalancer.ingress[0].ip'],
    'status',
  ],
  ['zeros', service, 'spec.externalIPs', ['010.1.2.3'], ['invalid spec.externalIPs[0]']],
  ['more than a prefix', service, 'spec.loadBalancerSourceRanges', ['10.0.0.1/8'], ['invalid spec.LoadBalancerSourceRanges[0]']],
  [
    'zeros',
    object('v1', 'Endpoints', { subsets: [{ addresses: [{ ip: '10.1.2.3' }] }] }),
    'subsets.0.addresses.0.ip',
    '010.1.2.3',
    ['invalid subsets[0].addresses[0].ip'],
  ],
  ['zeros', slice, 'endpoints.0.addresses.0', '010.1.2.3', ['invalid endpoints[0].addresses[0]']],
  [
    'reviews of no version',
    definition({ a: text }),
    'spec.conversion',
    { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a.example/' }, conversionReviewVersions: ['v9'] } },
    ['invalid spec.conversion.conversionReviewVersions'],
  ],
  ['no replicas', autoscaler, 'spec.minReplicas', 0, ['invalid spec.minReplicas']],
  ['a version of its target', autoscaler, 'spec.scaleTargetRef.apiVersion', 'a/b/c', ['invalid spec.scaleTargetRef.apiVersion']],
  [
    'a version of what it measures',
    autoscaler,
    'spec.metrics.1.object.describedObject.apiVersion',
    'a/b/c',
    ['invalid spec.metrics[1].object.describedObject.apiVersion'],
  ],
];

const costly: JsonObject = {
  type: 'array',
  maxItems: 1000,
  items: { ...text, maxLength: 10 },
  'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a.contains(b)))' }],
};
/** The property `a` of a schema. */
const ofDefinitions: readonly (readonly [what: string, wrong: JsonObject, findings: readonly string[]])[] = [
  [
    'members of sets',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', properties: { k: text } } },
    [`invalid ${schema}.properties[a].items.x-kubernetes-map-type`],
  ],
  [
    'keys of lists',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: text } },
    },
    [`required ${schema}.properties[a].items.properties[k].default`],
  ],
  ['types that are none', { type: 'text' }, [`unsupported ${schema}.properties[a].type`]],
  [
    'defaults that nobody knows',
    { type: 'object', properties: { k: text }, default: { l: 'x' } },
    [`invalid ${schema}.properties[a].default`],
  ],
  ['costs', costly, [`forbidden ${schema}.properties[a].x-kubernetes-validations[0].rule`]],
];

const refused: readonly Fault[] = [
  [
    'a selector of peers alone',
    policy({ podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] }),
    'spec.ingress.0.from.0.podSelector',
    badValue,
    [`invalid spec.ingress[0].from[0].podSelector.${selector}`],
  ],
  ['zeros', deployment, `${template}.hostAliases`, [{ ip: '010.1.2.3' }], [`invalid ${template}.hostAliases[0].ip`]],
  [
    'parts of huge pages',
    object('node.k8s.io/v1', 'RuntimeClass', { handler: 'h' }),
    'overhead',
    { podFixed: { cpu: '1', 'hugepages-2Mi': '3Mi' } },
    ['invalid overhead.limits[hugepages-2Mi]'],
  ],
];

/** Sets the member at a path such as `spec.tls.0.hosts`. */
function put(holder: ApiObject | JsonObject, path: string, value: JsonValue): void {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = holder as unknown as Record<string, unknown>;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  at[last] = structuredClone(value);
}

const nameOf = (wanted: JsonObject): string => String((wanted['metadata'] as JsonObject)['name']);

/** Stores the object without validation. */
async function storeAs(sample: Sample, wanted: JsonObject, change: (object: ApiObject) => void): Promise<void> {
  const [group = '', version = ''] = String(wanted['apiVersion']).includes('/')
    ? String(wanted['apiVersion']).split('/')
    : ['', String(wanted['apiVersion'])];
  const resource = catalogue.kind(group, version, String(wanted['kind']));
  if (resource === null) throw new Error('no such kind');
  const created = await sample.create(wanted);
  change(created);
  const key = { resource: resource.storage, namespace: resource.namespaced ? 'default' : '', name: nameOf(wanted) };
  const written = await sample.storage.update(key, created, Number(created.metadata.resourceVersion), { timeoutMs: 1000 });
  expect(written.outcome).to.equal('applied');
}

const label = ({ metadata }: ApiObject): void => {
  metadata.labels = { ...metadata.labels, seen: 'yes' };
};

describe('registry, faults of objects that are older than the rule', () => {
  for (const [what, wanted, at, value, findings, subresource] of kept)
    it(`lets a ${String(wanted['kind'])} keep ${what}, but not get it`, async () => {
      const sample = await createSample();
      const break_ = (each: ApiObject): void => {
        put(each, at, value);
      };
      await sample.create(wanted);
      expect(await causes(sample.update(wanted, break_, subresource))).to.deep.equal(findings);
      const older = await createSample();
      await storeAs(older, wanted, break_);
      expect(await causes(older.update(wanted, label, subresource))).to.deep.equal([]);
    });

  for (const [what, wanted, at, value, findings] of refused)
    it(`does not let a ${String(wanted['kind'])} keep ${what}`, async () => {
      const sample = await createSample();
      await storeAs(sample, wanted, (each) => {
        put(each, at, value);
      });
      expect(await causes(sample.update(wanted, label))).to.deep.equal(findings);
    });

  for (const [what, wrong, findings] of ofDefinitions)
    it(`lets a definition keep its ${what}, but not get them`, async () => {
      const right = definition({ a: text });
      const breakSchema = (each: ApiObject): void => {
        put(each, 'spec.versions.0.schema.openAPIV3Schema.properties.a', wrong);
      };
      const sample = await createSample();
      await sample.create(right);
      const found = await causes(sample.update(right, breakSchema));
      expect(found.slice(0, findings.length)).to.deep.equal(findings);
      const older = await createSample();
      await storeAs(older, right, breakSchema);
      expect(await causes(older.update(right, label))).to.deep.equal([]);
    });

  it('does not let a definition keep its costs when the schema changes', async () => {
    const right = definition({ a: text });
    const sample = await createSample();
    await storeAs(sample, right, (each) => {
      put(each, 'spec.versions.0.schema.openAPIV3Schema.properties.a', costly);
    });
    const change = sample.update(right, (each) => {
      put(each, 'spec.versions.0.schema.openAPIV3Schema.properties.b', text);
    });
    expect((await causes(change))[0]).to.equal(`forbidden ${schema}.properties[a].x-kubernetes-validations[0].rule`);
  });

  describe('definitions with schemas that are not structural', () => {
    const at = 'spec.versions.0.schema.openAPIV3Schema';
    const right = definition({ a: text });
    const loose: JsonObject = { type: 'object', properties: { a: { minimum: 1 } } };
    const untyped = [`required ${schema}.properties[a].type`];
    const older = async (change: (each: ApiObject) => void = () => undefined): Promise<Sample> => {
      const sample = await createSample();
      await storeAs(sample, right, (each) => {
        put(each, 'spec.preserveUnknownFields', true);
        put(each, at, loose);
        change(each);
      });
      return sample;
    };
    const changing =
      (path: string, value: JsonValue) =>
      (each: ApiObject): void => {
        put(each, path, value);
      };

    it('stay changeable, and so do their schemas', async () => {
      const sample = await older();
      expect(await causes(sample.update(right, label))).to.deep.equal([]);
      expect(await causes(sample.update(right, changing(`${at}.properties.b`, { maximum: 2 })))).to.deep.equal([]);
      expect(await causes(sample.update(right, changing(`${at}.properties.b`, { uniqueItems: true })))).to.deep.equal([
        `forbidden ${schema}.properties[b].uniqueItems`,
      ]);
    });

    it('are mended when what they do not know is no longer kept', async () => {
      const sample = await older();
      expect(await causes(sample.update(right, changing('spec.preserveUnknownFields', false)))).to.deep.equal(untyped);
    });

    it('are mended when they ask for a structure', async () => {
      const sample = await older();
      const asking: JsonObject[] = [
        { ...text, 'x-kubernetes-int-or-string': true },
        { 'x-kubernetes-preserve-unknown-fields': true },
        { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        { ...text, 'x-kubernetes-validations': [{ rule: 'true' }] },
      ];
      for (const wanted of asking) {
        const found = await causes(sample.update(right, changing(`${at}.properties.b`, wanted)));
        expect(found, JSON.stringify(wanted)).to.include.members(untyped);
      }
      expect(await causes(sample.update(right, changing(`${at}.properties.b`, { ...text, default: 'x' })))).to.deep.equal([
        'invalid spec.preserveUnknownFields',
        ...untyped,
      ]);
    });

    it('do not become what they have not been', async () => {
      const sample = await older(changing(at, { type: 'object', properties: { a: text } }));
      expect(await causes(sample.update(right, changing(`${at}.properties.a`, { minimum: 1 })))).to.deep.equal(untyped);
    });

    it('may go on without any schema as long as unknown fields are kept, or nobody is served', async () => {
      const without = changing('spec.versions.0.schema', null);
      const missing = 'spec.versions[0].schema.openAPIV3Schema';
      const sample = await older(without);
      expect(await causes(sample.update(right, label))).to.deep.equal([]);
      const pruned = changing('spec.preserveUnknownFields', false);
      const change = sample.update(right, pruned);
      expect((await refusal(change)).details?.causes).to.deep.equal([
        { field: missing, reason: 'FieldValueRequired', message: 'Required value: because otherwise all fields are pruned' },
      ]);
      const unserved = (each: ApiObject): void => {
        pruned(each);
        put(each, 'spec.versions.0.served', false);
      };
      expect(await causes(sample.update(right, unserved))).to.deep.equal([]);
      const fresh = await createSample();
      await fresh.create(right);
      expect((await refusal(fresh.update(right, without))).details?.causes).to.deep.equal([
        { field: missing, reason: 'FieldValueRequired', message: 'Required value' },
      ]);
    });
  });

  it('lets values be kept one by one where there may be several', async () => {
    const sample = await createSample();
    await storeAs(sample, service, (each) => {
      put(each, 'spec.externalIPs', ['010.1.2.3']);
    });
    const change = (ips: readonly string[]): Promise<string[]> =>
      causes(
        sample.update(service, (each) => {
          put(each, 'spec.externalIPs', [...ips]);
        }),
      );
    expect(await change(['10.9.9.9', '010.1.2.3'])).to.deep.equal([]);
    expect(await change(['010.1.2.3', '010.1.2.4'])).to.deep.equal(['invalid spec.externalIPs[1]']);
    expect(await change([])).to.deep.equal([]);
    expect(await change(['010.1.2.3'])).to.deep.equal(['invalid spec.externalIPs[0]']);
  });
});
