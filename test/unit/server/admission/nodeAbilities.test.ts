import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

/** The node determines whether a pod may be resized. */

const linux = { 'kubernetes.io/os': 'linux' };
const node = (status: JsonObject, labels: Record<string, string> = linux): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels },
  status: { allocatable: { cpu: '2', memory: '1Gi' }, capacity: { cpu: '2', memory: '1Gi' }, ...status },
});
const amounts = (cpu: string, memory: string): JsonObject => ({ requests: { cpu, memory }, limits: { cpu: '8', memory: '8Gi' } });
const pod = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i', resources: amounts('1', '512Mi') }], ...spec },
});
const firstOf = (object: ApiObject): JsonObject => ((object['spec'] as JsonObject)['containers'] as JsonObject[])[0]!;

describe('PodResizeValidator', () => {
  let sample: Sample;
  const resize = (cpu: string, memory: string): Promise<ApiObject> =>
    sample.update(
      pod(),
      (current) => {
        firstOf(current)['resources'] = amounts(cpu, memory);
      },
      'resize',
    );
  const why = async (write: Promise<unknown>): Promise<string> => {
    const { code, message } = await refusal(write);
    return `${code} ${message}`;
  };
  beforeEach(async () => {
    sample = await createSample({ admission: new Set(['PodResizeValidator']) });
  });

  it('lets a pod grow within its node', async () => {
    await sample.create(node({}));
    await sample.create(pod());
    expect(firstOf(await resize('2', '1Gi'))['resources']).to.deep.equal(amounts('2', '1Gi'));
  });

  it('refuses what the node cannot give, and counts what running the pod costs', async () => {
    await sample.create(node({}));
    await sample.create(pod());
    expect(await why(resize('2001m', '2Gi'))).to.equal(
      `403 pods "p" is forbidden: node didn't have enough allocatable resources: cpu, requested: 2001, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824`,
    );
    sample = await createSample({ admission: new Set(['PodResizeValidator']) });
    await sample.create(node({}));
    await sample.create(pod({ overhead: { cpu: '100m' } }));
    expect(await why(resize('2', '1Gi'))).to.contain('cpu, requested: 2100, allocatable: 2000');
  });

  it('refuses nodes that are none of Linux, and those that are not there', async () => {
    await sample.create(pod());
    expect(await why(resize('2', '1Gi'))).to.equal('403 pods "p" is forbidden: node "n" not found');
    await sample.create(node({}, { 'kubernetes.io/os': 'windows' }));
    const refused = await refusal(resize('3', '1Gi'));
    expect(refused.message).to.contain('pod resize is only supported on linux nodes, node "n" is "windows"');
    expect(refused.details?.causes).to.deep.equal([{ reason: 'UnsupportedPlatform' }]);
  });

  it('takes nodes without a label for Linux nodes, and says by a cause why it refuses', async () => {
    await sample.create(node({}, {}));
    await sample.create(pod());
    await resize('2', '1Gi');
    expect((await refusal(resize('3', '1Gi'))).details?.causes).to.deep.equal([{ reason: 'NodeCapacity' }]);
  });

  it('looks at nothing but changes of pods on nodes, through the subresource', async () => {
    await sample.create(pod());
    await resize('1', '512Mi');
    await sample.update(pod(), ({ metadata }) => {
      metadata.labels = { a: 'b' };
    });
    sample = await createSample({ admission: new Set(['PodResizeValidator']) });
    await sample.create(pod({ nodeName: '' }));
    await resize('4', '4Gi');
  });
});

describe('NodeDeclaredFeatureValidator', () => {
  let sample: Sample;
  const own = (cpu: string): JsonObject => pod({ resources: { requests: { cpu } } });
  const resize = (cpu: string): Promise<ApiObject> =>
    sample.update(
      pod(),
      (current) => {
        (current['spec'] as JsonObject)['resources'] = { requests: { cpu } };
      },
      'resize',
    );
  beforeEach(async () => {
    sample = await createSample({ admission: new Set(['NodeDeclaredFeatureValidator']) });
    await sample.create(own('2'));
  });

  it('refuses a change of what the pod has as a whole on a node that does not know it', async () => {
    const status = { declaredFeatures: [] as string[] };
    await sample.create(node(status));
    const { code, message } = await refusal(resize('3'));
    expect([code, message]).to.deep.equal([
      403,
      'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "n"',
    ]);
    await sample.update(
      node(status),
      (current) => {
        (current['status'] as JsonObject)['declaredFeatures'] = ['InPlacePodLevelResourcesVerticalScaling'];
      },
      'status',
    );
    await resize('3');
  });

  it('needs the node, and nothing of it for other changes', async () => {
    expect((await refusal(resize('3'))).message).to.contain('node "n" not found');
    await sample.update(
      pod(),
      (current) => {
        firstOf(current)['resources'] = amounts('1500m', '512Mi');
      },
      'resize',
    );
  });
});
