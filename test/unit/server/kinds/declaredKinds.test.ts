import { expect } from 'chai';
import type { ApiObject, JsonObject, JsonValue } from '../../../../api/object.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

/** Kinds with checks only by field tags, and the reference's findings: `staging/src/k8s.io/apimachinery/pkg/api/validate`. */

const request = (spec: JsonObject): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1alpha3',
  kind: 'ResourcePoolStatusRequest',
  metadata: { name: 'r' },
  spec,
});
const driver = 'Gpu.example.com';
const scheduling = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind,
  metadata: { name: 'g' },
  spec,
});
const group = (spec: JsonObject = {}): JsonObject => scheduling('PodGroup', { schedulingPolicy: { basic: {} }, ...spec });
const template = (content: JsonObject): JsonObject => ({ name: 't', schedulingPolicy: { basic: {} }, ...content });
const workload = (podGroupTemplates: JsonValue, spec: JsonObject = {}): JsonObject =>
  scheduling('Workload', { podGroupTemplates, ...spec });
const claims = (...resourceClaims: JsonObject[]): JsonObject => group({ resourceClaims });

const long = 'a'.repeat(254);
const subdomain =
  "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const lowercase = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ${subdomain}`;
const caseless = `an RFC 1123 subdomain must consist of alphanumeric characters, ${subdomain.replace('example', 'Example')}`;
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const path = 'spec.podGroupTemplates';

type Refused = readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[];
const refused: Refused = [
  ['a request for pools of nobody', request({}), ['spec.driver: Required value']],
  [
    'a driver with a name that is none, and long',
    request({ driver: `${long}!` }),
    [`spec.driver: Invalid value: "${long}!": must be no more than 253 bytes`, `spec.driver: Invalid value: "${long}!": ${caseless}`],
  ],
  ['an empty name of a pool', request({ driver, poolName: '' }), ['spec.poolName: Invalid value: "": segment 0: must not be empty']],
  [
    'a pool with a part that is wrong, and an empty one',
    request({ driver, poolName: 'p/Q/' }),
    [`spec.poolName: Invalid value: "Q": segment 1: ${lowercase}`, 'spec.poolName: Invalid value: "p/Q/": segment 2: must not be empty'],
  ],
  ['no pools', request({ driver, limit: 0 }), ['spec.limit: Invalid value: 0: must be greater than or equal to 1']],
  ['too many pools', request({ driver, limit: 1001 }), ['spec.limit: Invalid value: 1001: must be less than or equal to 1000']],

  ['a workload of nothing', workload([]), [`${path}: Required value`]],
  ['a workload of too much', workload(Array.from({ length: 9 }, () => ({}))), [`${path}: Too many: 9: must have at most 8 items`]],
  [
    'a template twice, which is shown as a whole',
    workload([template({}), template({ schedulingPolicy: { gang: { minCount: 1 } } })]),
    [`${path}[1]: Duplicate value: {"name":"t","schedulingPolicy":{"gang":{"minCount":1}}}`],
  ],
  [
    'a controller without a name',
    workload([template({})], { controllerRef: { apiGroup: 'A', kind: '..', name: '' } }),
    [
      `spec.controllerRef.apiGroup: Invalid value: "A": ${lowercase}`,
      `spec.controllerRef.kind: Invalid value: "..": may not be '..'`,
      'spec.controllerRef.name: Required value',
    ],
  ],
  [
    'a gang of minus one',
    group({ schedulingPolicy: { gang: { minCount: -1 } } }),
    ['spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1'],
  ],
  [
    'two policies, before what is wrong with one',
    group({ schedulingPolicy: { basic: {}, gang: {} } }),
    [
      'spec.schedulingPolicy: Invalid value: "{`basic`, `gang`}": must specify exactly one of: `basic`, `gang`',
      'spec.schedulingPolicy.gang.minCount: Required value',
    ],
  ],
  [
    'a group from nowhere',
    group({ podGroupTemplateRef: {} }),
    ['spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`'],
  ],
  [
    'names in references, of which that of a workload may have dots',
    group({ podGroupTemplateRef: { workload: { workloadName: 'a.b', podGroupTemplateName: 'a.b' } } }),
    ['spec.podGroupTemplateRef.workload.podGroupTemplateName: Invalid value: "a.b": must not contain dots'],
  ],
  [
    'claims',
    claims({ name: 'A', resourceClaimName: '' }, { name: 'b', resourceClaimName: 'n', resourceClaimTemplateName: 'n' }),
    [
      `spec.resourceClaims[0].name: Invalid value: "A": ${labelText}`,
      `spec.resourceClaims[0].resourceClaimName: Invalid value: "": ${lowercase}`,
      'spec.resourceClaims[1]: Invalid value: "{`resourceClaimName`, `resourceClaimTemplateName`}": must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`',
    ],
  ],
];

const messages = async (promise: Promise<unknown>): Promise<string[]> =>
  ((await refusal(promise)).details?.causes ?? []).map(({ field = '', message = '' }) => `${field}: ${message}`);

describe('registry/declared kinds', () => {
  const features = { DRAWorkloadResourceClaims: true, TopologyAwareWorkloadScheduling: true, WorkloadAwarePreemption: true };
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample({ features });
  });

  for (const [what, wrong, expected] of refused)
    it(`refuses ${what}`, async () => {
      expect(await messages(sample.create(wrong))).to.deep.equal(expected);
    });

  it('says of a specification that changed nothing else', async () => {
    await sample.create(request({ driver }));
    const change = sample.update(request({ driver }), (object) => {
      object['spec'] = { driver: '!', limit: 0 };
    });
    expect(await messages(change)).to.deep.equal(['spec: Invalid value: null: field is immutable']);
  });

  it('says of each part of a group that changed that it may not, and of nothing in it', async () => {
    await sample.create(group());
    const change = sample.update(group(), (object) => {
      object['spec'] = { schedulingPolicy: {}, priority: 2_000_000_000 };
    });
    expect(await messages(change)).to.deep.equal(
      ['schedulingPolicy', 'priority'].map((member) => `spec.${member}: Invalid value: null: field is immutable`),
    );
  });

  describe('requests for the status of pools', () => {
    const answer = (status: JsonObject): Promise<ApiObject> =>
      sample.update(
        request({ driver }),
        (object) => {
          object['status'] = status;
        },
        'status',
      );
    const pool = { driver, poolName: 'p', generation: 1 };

    it('ask for a hundred pools unless told otherwise, and have no answer at first', async () => {
      const made = await sample.create({ ...request({ driver }), status: { poolCount: 5 } });
      expect(made['spec']).to.deep.equal({ driver, limit: 100 });
      expect(made['status']).to.equal(undefined);
    });

    it('are answered once, as the types say', async () => {
      await sample.create(request({ driver }));
      const wrong = { driver: '', poolName: 'P', generation: 0, resourceSliceCount: 0, totalDevices: -1, nodeName: '' };
      expect(await messages(answer({ pools: [wrong, { ...pool, validationError: 'x'.repeat(257) }] }))).to.deep.equal([
        'status.poolCount: Required value',
        'status.pools[0].driver: Required value',
        `status.pools[0].poolName: Invalid value: "P": segment 0: ${lowercase}`,
        'status.pools[0].generation: Required value',
        'status.pools[0].resourceSliceCount: Invalid value: 0: must be greater than or equal to 1',
        'status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0',
        `status.pools[0].nodeName: Invalid value: "": ${lowercase}`,
        'status.pools[1].validationError: Too long: may not be more than 256 bytes',
      ]);
      expect((await answer({ poolCount: 0, pools: [pool] }))['status']).to.deep.equal({ poolCount: 0, pools: [pool] });
      expect((await messages(answer({ poolCount: 1 })))[0]).to.match(/^status: Invalid value: .*: field is immutable$/);
    });

    it('count conditions after they have looked at each', async () => {
      await sample.create(request({ driver }));
      const conditions = Array.from({ length: 11 }, (_, position) => ({
        type: `T${position}`,
        status: 'True',
        reason: position === 0 ? '' : 'R',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        message: '',
      }));
      expect(await messages(answer({ poolCount: 0, conditions }))).to.deep.equal([
        'status.conditions[0].reason: Required value',
        'status.conditions: Too many: 11: must have at most 10 items',
      ]);
    });
  });
});
