import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { cellOf } from '../../../../server/kinds/cells.js';
import { resourceClaims } from '../../../../server/kinds/resource.k8s.io/claims.js';
import { createSample, refusal, type Sample, type SampleOptions } from '../registry/sample.js';
import { object } from './kindSample.js';

/** What a refusal says of each of its causes, in full. */
async function said(promise: Promise<unknown>): Promise<string[]> {
  const { details } = await refusal(promise);
  return (details?.causes ?? []).map(({ field = '', message = '' }) => `${field}: ${message}`);
}

const ofOne = async (made: JsonObject, options?: SampleOptions): Promise<string[]> => said((await createSample(options)).create(made));
const replaced = async (sample: Sample, before: JsonObject, after: JsonObject, subresource = ''): Promise<string[]> => {
  await sample.create(before);
  return said(sample.put(after, subresource));
};

const container = { name: 'c', image: 'i:1' };
const template = (labels: JsonObject | undefined, spec: JsonObject = {}): JsonObject => ({
  metadata: labels === undefined ? {} : { labels },
  spec: { containers: [container], ...spec },
});
const runtime = (operator: string): JsonObject =>
  object('node.k8s.io/v1/RuntimeClass', { handler: 'h', scheduling: { tolerations: [{ key: 'k', operator, value: '1' }] } });
const tolerating = (operator: string, value: string): JsonObject =>
  object('Pod', { spec: { containers: [container], tolerations: [{ key: 'k', operator, value }] } });
const scaler = object('autoscaling/v2/HorizontalPodAutoscaler', {
  spec: {
    maxReplicas: 2,
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    behavior: { scaleDown: { tolerance: '-1' } },
  },
});
const unselected = (labels: JsonObject | undefined): JsonObject =>
  object('apps/v1/ReplicaSet', { spec: { selector: { matchLabels: { a: 'b' } }, template: template(labels) } });
const ofLabels = (shown: string): string =>
  `spec.template.metadata.labels: Invalid value: ${shown}: \`selector\` does not match template \`labels\``;

const supported = 'supported values: "Equal", "Exists", "Lt", "Gt"';
const atOperator = 'spec.tolerations[0].operator';
const atValue = 'spec.tolerations[0].value';

describe('kinds, words of refusals', () => {
  const cases: readonly (readonly [what: string, made: JsonObject, expected: readonly string[], options?: SampleOptions])[] = [
    [
      'name all operators of tolerations to one that compares',
      tolerating('Lt', '1'),
      [`${atOperator}: Unsupported value: "Lt": ${supported}`],
    ],
    [
      'and only those of everybody to any other',
      tolerating('Like', '1'),
      [`${atOperator}: Unsupported value: "Like": supported values: "Equal", "Exists"`],
    ],
    [
      'tell twice what is no number',
      tolerating('Gt', ''),
      [`${atValue}: Invalid value: "": must be non-empty`, `${atValue}: Invalid value: "": strconv.ParseInt: parsing "": invalid syntax`],
      { features: { TaintTolerationComparisonOperators: true } },
    ],
    [
      'tell the form of a number that can be read',
      tolerating('Gt', '007'),
      [`${atValue}: Invalid value: "007": must be a valid decimal integer in canonical form`],
      { features: { TaintTolerationComparisonOperators: true } },
    ],
    [
      'tell of a number with more than 64 bits',
      tolerating('Gt', '9223372036854775808'),
      [`${atValue}: Invalid value: "9223372036854775808": strconv.ParseInt: parsing "9223372036854775808": value out of range`],
      { features: { TaintTolerationComparisonOperators: true } },
    ],
    [
      'never let runtime classes compare',
      runtime('Gt'),
      [`scheduling.tolerations[0].operator: Unsupported value: "Gt": ${supported}`],
      { features: { TaintTolerationComparisonOperators: true } },
    ],
    [
      'speak of a negative tolerance as of any amount',
      scaler,
      ['spec.behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    ['quote maps in the order of texts', unselected({ '10': 'x', '9': 'y', c: 'z' }), [ofLabels('{"10":"x","9":"y","c":"z"}')]],
    ['quote an absent map as null', unselected(undefined), [ofLabels('null')]],
    [
      'count the revision before its data',
      object('apps/v1/ControllerRevision', { revision: -1 }),
      ['revision: Invalid value: -1: must be greater than or equal to 0', 'data: Required value: data is mandatory'],
    ],
    [
      'leave out the claim of a volume that has another source first',
      object('Pod', { spec: { containers: [container], volumes: [{ name: '::1', csi: { driver: 'd' }, ephemeral: {} }] } }),
      [
        'spec.volumes[0].ephemeral: Forbidden: may not specify more than 1 volume type',
        "spec.volumes[0].name: Invalid value: \"::1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [
      'quote terms of nodes with all members',
      object('resource.k8s.io/v1/ResourceSlice', {
        spec: {
          driver: 'd.example.com',
          pool: { name: 'p', resourceSliceCount: 1 },
          nodeSelector: { nodeSelectorTerms: [{}, {}] },
        },
      }),
      [
        'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":null,"MatchFields":null},{"MatchExpressions":null,"MatchFields":null}]: must have exactly one node selector term',
      ],
    ],
  ];
  for (const [what, made, expected, options] of cases) {
    it(what, async () => {
      expect(await ofOne(made, options)).to.deep.equal(expected);
    });
  }

  it('tell an empty map of parameters from an absent one, though both mean the same', async () => {
    const storage = (parameters?: JsonObject): JsonObject =>
      object('storage.k8s.io/v1/StorageClass', { provisioner: 'p', ...(parameters === undefined ? {} : { parameters }) });
    const refused = 'field is immutable';
    const sample = await createSample();
    expect(await replaced(sample, storage({ a: 'b' }), storage({}))).to.deep.equal([`parameters: Invalid value: {}: ${refused}`]);
    expect(await said(sample.put(storage()))).to.deep.equal([`parameters: Invalid value: null: ${refused}`]);
    const other = await createSample();
    await other.create(storage());
    expect((await other.put(storage({})))['parameters']).to.equal(undefined);
  });

  it('quote devices of claims by what tells them apart, and allocations whole', async () => {
    const claim = (status: JsonObject): JsonObject =>
      object('resource.k8s.io/v1/ResourceClaim', {
        spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
        status,
      });
    const device = { driver: 'd.example.com', pool: 'p', device: 'x' };
    const allocation = (name: string): JsonObject => ({
      allocation: { devices: { results: [{ request: 'r', ...device, device: name }] } },
    });
    const sample = await createSample();
    await sample.create(claim({}));
    await sample.put(claim(allocation('x')), 'status');
    expect(await said(sample.put(claim({ ...allocation('x'), devices: [device, device] }), 'status'))).to.deep.equal([
      'status.devices[1]: Duplicate value: {"Driver":"d.example.com","Pool":"p","Device":"x","ShareID":""}',
    ]);
    expect(await said(sample.put(claim(allocation('y')), 'status'))).to.deep.equal([
      'status.allocation: Invalid value: {"Devices":{"Results":[{"Request":"r","Driver":"d.example.com","Pool":"p","Device":"y","AdminAccess":null,"Tolerations":null,"BindingConditions":null,"BindingFailureConditions":null,"ShareID":null,"ConsumedCapacity":null}],"Config":null},"NodeSelector":null,"AllocationTimestamp":null}: field is immutable',
    ]);
  });

  it('mind an address of the host that is empty', async () => {
    const pod = (status: JsonObject): JsonObject => object('Pod', { spec: { containers: [container] }, status });
    expect(await replaced(await createSample(), pod({}), pod({ hostIPs: [{}] }), 'status')).to.deep.equal([
      'status.hostIPs[0]: Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
  });
});

describe('kinds, amounts of resource lists', () => {
  const fine = '1100u';
  const capacity = { a: fine };
  it('are rounded up to thousandths wherever they stand', async () => {
    const sample = await createSample();
    const volume = object('PersistentVolume', {
      spec: { capacity: { storage: fine }, accessModes: ['ReadWriteOnce'], nfs: { server: 's', path: '/' } },
    });
    expect((await sample.create(volume))['spec']).to.deep.include({ capacity: { storage: '2m' } });
    const claim = (status: JsonObject): JsonObject =>
      object('PersistentVolumeClaim', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } }, status });
    await sample.create(claim({}));
    const allocated = { 'example.com/a': fine };
    expect((await sample.put(claim({ capacity, allocatedResources: allocated }), 'status'))['status']).to.deep.include({
      capacity: { a: '2m' },
      allocatedResources: { 'example.com/a': '2m' },
    });
    const pod = (status: JsonObject): JsonObject => object('Pod', { spec: { containers: [container] }, status });
    await sample.create(pod({}));
    const reported = { name: 'c', image: 'i:1', imageID: '', ready: false, restartCount: 0 };
    const amounts = { allocatedResources: { cpu: fine }, resources: { requests: { cpu: fine }, limits: { cpu: fine } } };
    const status = (await sample.put(pod({ ...amounts, containerStatuses: [{ ...reported, ...amounts }] }), 'status'))['status'];
    const rounded = { allocatedResources: { cpu: '2m' }, resources: { requests: { cpu: '2m' }, limits: { cpu: '2m' } } };
    expect(status).to.deep.include(rounded);
    expect(status).to.have.deep.nested.property('containerStatuses[0].resources', rounded.resources);
    expect(status).to.have.deep.nested.property('containerStatuses[0].allocatedResources', rounded.allocatedResources);
  });
});

describe('kinds, the state of a claim for devices', () => {
  it('tells that it is being deleted', () => {
    const state = (status: JsonObject, deletionTimestamp?: string): unknown =>
      cellOf('State', resourceClaims.cells)(
        {
          ...object('resource.k8s.io/v1/ResourceClaim', { status }),
          metadata: { name: 'a', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
        },
        0,
      );
    const reserved = { allocation: {}, reservedFor: [{ uid: 'u' }] };
    const time = '2026-01-01T00:00:00Z';
    expect([
      state({}),
      state({}, time),
      state({ allocation: {} }),
      state({ allocation: {} }, time),
      state(reserved),
      state(reserved, time),
    ]).to.deep.equal(['pending', 'deleted', 'allocated', 'deleted,allocated', 'allocated,reserved', 'deleted,allocated,reserved']);
  });
});
