import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import type { User } from '../../../../../api/user.js';
import { claimGuards } from '../../../../../server/authorization/claimStatus.js';
import type { Attributes } from '../../../../../server/authorization/authorizer.js';
import { causes, createSample, refusal, type Sample } from '../../registry/sample.js';

/** Devices and claims: rules from `pkg/apis/resource/validation` of the reference, mostly without recordings. */

const slice = (device: JsonObject): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 's' },
  spec: {
    driver: 'd.example.com',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    allNodes: true,
    devices: [{ name: 'gpu0', ...device }],
  },
});
const shared = (value: string, requestPolicy: JsonObject): JsonObject =>
  slice({ allowMultipleAllocations: true, capacity: { memory: { value, requestPolicy } } });
const range = (amount: string, validRange: JsonObject): JsonObject => shared('10Gi', { default: amount, validRange });
const options = (amount: string, ...validValues: string[]): JsonObject => shared('10Gi', { default: amount, validValues });
const selecting = (expression: string): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name: 'c' },
  spec: { selectors: [{ cel: { expression } }] },
});
const policy = 'spec.devices[0].capacity[memory].requestPolicy';
const expression = 'spec.selectors[0].cel.expression';
const each = (inner: string): string => `device.attributes["a"].all(k, ${inner})`;
const long = (count: number): string => '\u00e9'.repeat(count);

const refused: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  [
    'a range around which nothing fits',
    range('2Gi', { min: '20Gi', max: '1Gi' }),
    [
      `${policy}.validRange.min: Invalid value: "20Gi": min is larger than capacity value: 10Gi`,
      `${policy}.validRange.min: Invalid value: "2Gi": default is less than min: 20Gi`,
      `${policy}.validRange.max: Invalid value: "20Gi": min is larger than max: 1Gi`,
      `${policy}.validRange.max: Invalid value: "2Gi": default is more than max: 1Gi`,
    ],
  ],
  [
    'a step beyond the capacity, in its unit',
    range('1Gi', { min: '1Gi', step: '10Gi' }),
    [`${policy}.validRange.step: Invalid value: "10Gi": one step 11Gi is larger than capacity value: 10Gi`],
  ],
  [
    'what is no multiple of a step',
    range('2Gi', { min: '1Gi', max: '4Gi', step: '2Gi' }),
    ['2Gi', '4Gi'].map(
      (amount) => `${policy}.validRange.step: Invalid value: "${amount}": value is not a multiple of a given step (2Gi) from (1Gi)`,
    ),
  ],
  ['an amount twice, by what it comes to', options('1Gi', '1Gi', '1Gi'), [`${policy}.validValues[1]: Duplicate value: "1073741824"`]],
  ['parts of the same whole', options('100m', '100m', '200m'), [`${policy}.validValues[1]: Duplicate value: "1"`]],
  [
    'a name that is too long',
    slice({ attributes: { [`d.example.com/${'a'.repeat(33)}`]: { int: 1 } } }),
    [`spec.devices[0].attributes: Too long: may not be more than 32 bytes`],
  ],
  [
    'an expression that looks at everything for everything of everything',
    selecting(each(each(each('device.attributes["b"].c.contains(k)')))),
    [`${expression}: Forbidden: too complex, exceeds cost limit`],
  ],
];

const claim: JsonObject = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'c' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'x' } }] } },
};
const result = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'gpu0' };

describe('registry/devices', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`refuses ${what}`, async () => {
      const { details } = await refusal(sample.create(wrong));
      expect((details?.causes ?? []).map(({ field = '', message = '' }) => `${field}: ${message}`)).to.deep.equal(expected);
    });

  it('takes what looks at everything for everything', async () => {
    await sample.create(selecting(each(each('device.attributes["b"].c == k'))));
  });

  it('counts bytes of what drivers report of a network', async () => {
    await sample.create(claim);
    const change = sample.update(
      claim,
      (object) => {
        object['status'] = {
          allocation: { devices: { results: [result] } },
          devices: [{ ...result, networkData: { interfaceName: long(129), hardwareAddress: long(64) } }].map(
            ({ request: _request, ...device }) => device,
          ),
        };
      },
      'status',
    );
    expect(await causes(change)).to.deep.equal(['long status.devices[0].networkData.interfaceName']);
  });

  const allocate = (...results: JsonObject[]): Promise<unknown> =>
    sample.update(
      claim,
      (object) => {
        object['status'] = { allocation: { devices: { results } } };
      },
      'status',
    );
  const asAdmin = { ...result, adminAccess: true };

  it('does not measure the configuration of a class again that stays as it is', async () => {
    const parameters = { text: 'x'.repeat(11_000) };
    const configuration = (text: JsonObject): JsonObject => ({ opaque: { driver: 'd.example.com', parameters: text } });
    const small = { ...selecting('true'), spec: { config: [configuration({})] } };
    const stored = await sample.create(small);
    stored['spec'] = { config: [configuration(parameters)] };
    const key = {
      resource: { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses', kind: 'DeviceClass' },
      namespace: '',
      name: 'c',
    };
    await sample.storage.update(key, stored, Number(stored.metadata.resourceVersion), { timeoutMs: 1000 });
    const change = (rewrite: (spec: JsonObject) => void): Promise<string[]> =>
      causes(
        sample.update(small, (object) => {
          rewrite(object['spec'] as JsonObject);
        }),
      );
    expect(await change((spec) => (spec['selectors'] = [{ cel: { expression: 'true' } }]))).to.deep.equal([]);
    expect(
      await change((spec) => {
        spec['config'] = [configuration(parameters), configuration({})];
      }),
    ).to.deep.equal(['long spec.config[0].opaque.parameters']);
  });

  it('allocates devices that others use only in namespaces whose label allows it', async () => {
    await sample.create(claim);
    expect(await causes(allocate(result, asAdmin))).to.deep.equal(['forbidden status.allocation.devices.results[1].adminAccess']);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    const label = (text: string): Promise<unknown> =>
      sample.update(namespace, ({ metadata }) => {
        metadata.labels = { ...metadata.labels, 'resource.kubernetes.io/admin-access': text };
      });
    await label('true');
    await allocate(result, asAdmin);
    // An existing allocation may be written again without the label.
    await label('false');
    await allocate(result, asAdmin);
  });
});

describe('registry/devices, who may write what of the status of a claim', () => {
  const printed = (attributes: Attributes): string =>
    attributes.isResource ? `${attributes.verb} ${attributes.subresource} ${attributes.namespace} ${attributes.name}` : '';
  const allocation = (node: string): JsonObject => ({
    devices: { results: [result] },
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] },
  });
  const bind = 'update binding  ';
  const anywhere = 'arbitrary-node:update driver default d.example.com';
  const here = 'associated-node:update driver default d.example.com';
  const device = { driver: 'd.example.com', pool: 'p', device: 'gpu0' };
  const cases: readonly (readonly [
    what: string,
    status: JsonObject,
    node: string,
    allowed: readonly string[],
    expected: readonly string[],
    verb?: string,
  ])[] = [
    ['nobody who may not bind allocates', { allocation: allocation('n') }, '', [], ['forbidden status']],
    ['who may bind allocates', { allocation: allocation('n') }, '', [bind], []],
    ['who may bind reports nothing', { allocation: allocation('n'), devices: [device] }, '', [bind], ['forbidden status.devices']],
    ['who may report from anywhere does', { allocation: allocation('n'), devices: [device] }, '', [bind, anywhere], []],
    ['who may report from the node does so there', { allocation: allocation('n'), devices: [device] }, 'n', [bind, here], []],
    ['who may report from anywhere may from the node', { allocation: allocation('n'), devices: [device] }, 'n', [bind, anywhere], []],
    [
      'who may report from the node does not elsewhere',
      { allocation: allocation('n'), devices: [device] },
      'm',
      [bind, here],
      ['forbidden status.devices'],
    ],
    ['who may only update does not patch', { allocation: allocation('n') }, '', [bind], ['forbidden status'], 'patch'],
    [
      'who may patch does',
      { allocation: allocation('n'), devices: [device] },
      'n',
      ['patch binding  ', 'associated-node:patch driver default d.example.com'],
      [],
      'patch',
    ],
  ];
  for (const [what, status, node, allowed, expected, verb = 'update'] of cases)
    it(what, async () => {
      const user: User = {
        name: 'system:serviceaccount:default:driver',
        uid: '',
        groups: [],
        extra: node === '' ? {} : { 'authentication.kubernetes.io/node-name': [node] },
      };
      const sample = await createSample({
        admission: new Set(['ResourceClaimStatus']),
        guards: () =>
          claimGuards((attributes) => ({ decision: allowed.includes(printed(attributes)) ? 'allow' : 'noOpinion', reason: '' })).map(
            ({ admit, validate, ...plugin }) => ({
              ...plugin,
              admit: (request, pass) => admit?.({ ...request, user, verb }, pass),
              validate: (request) => validate?.({ ...request, user, verb }),
            }),
          ),
      });
      await sample.create(claim);
      const written = sample.update(
        claim,
        (object) => {
          object['status'] = status;
        },
        'status',
      );
      expect(await causes(written)).to.deep.equal(expected);
    });

  it('who may not bind is told so before what else is wrong', async () => {
    const allowed = new Set([bind, anywhere]);
    const sample = await createSample({
      admission: new Set(['ResourceClaimStatus']),
      guards: () => claimGuards((attributes) => ({ decision: allowed.has(printed(attributes)) ? 'allow' : 'noOpinion', reason: '' })),
    });
    const withStatus = (status: JsonObject): Promise<unknown> =>
      sample.update(
        claim,
        (object) => {
          object['status'] = status;
        },
        'status',
      );
    await sample.create(claim);
    await withStatus({ allocation: allocation('n') });
    const elsewhere = { allocation: allocation('m'), devices: [{ ...device, device: 'gpu9' }] };
    expect(await causes(withStatus(elsewhere))).to.contain('invalid status.allocation');
    allowed.delete(bind);
    expect(await causes(withStatus(elsewhere))).to.deep.equal(['forbidden status']);
  });

  it('tells of metadata, and again of changed metadata, before the specification of a claim, of which only that it may not change', async () => {
    const sample = await createSample();
    await sample.create(claim);
    const refusedUpdate = sample.update(claim, (object) => {
      object.metadata.labels = { 'a b': 'c' };
      object['spec'] = { devices: { requests: [{ name: 'Bad Name' }] } };
    });
    expect(await causes(refusedUpdate)).to.deep.equal([...Array<string>(4).fill('invalid metadata.labels'), 'invalid spec']);
  });

  it('who takes an allocation away needs no right for what was reported of its devices', async () => {
    const allowed = new Set([bind, anywhere]);
    const sample = await createSample({
      admission: new Set(['ResourceClaimStatus']),
      guards: () => claimGuards((attributes) => ({ decision: allowed.has(printed(attributes)) ? 'allow' : 'noOpinion', reason: '' })),
    });
    const withStatus = (status: JsonObject): Promise<unknown> =>
      sample.update(
        claim,
        (object) => {
          object['status'] = status;
        },
        'status',
      );
    await sample.create(claim);
    await withStatus({ allocation: allocation('n'), devices: [device] });
    allowed.delete(anywhere);
    expect(await causes(withStatus({ allocation: allocation('n') }))).to.deep.equal(['forbidden status.devices']);
    expect(await causes(withStatus({}))).to.deep.equal([]);
  });
});
