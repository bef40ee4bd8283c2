import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

const job = (podSpec: JsonObject = {}): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j' },
  spec: {
    parallelism: 2,
    completions: 2,
    completionMode: 'Indexed',
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...podSpec } },
  },
});
const group = (policy: JsonObject, owner: JsonObject | null = null): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: {
    name: 'g',
    ...(owner ? { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', controller: true, ...owner }] } : {}),
  },
  spec: { schedulingPolicy: policy },
});
const gang = { gang: { minCount: 2 } };

describe('JobValidation', () => {
  let sample: Sample;
  const scale = (extra: (spec: JsonObject) => void = () => {}): Promise<unknown> =>
    sample.update(job(), (object) => {
      const spec = object['spec'] as JsonObject;
      Object.assign(spec, { parallelism: 3, completions: 3 });
      extra(spec);
    });
  beforeEach(async () => {
    sample = await createSample({ admission: new Set(['JobValidation']), features: { GenericWorkload: true } });
  });

  it('refuses another parallelism for a Job that owns a gang', async () => {
    const { metadata } = await sample.create(job());
    await sample.create(group(gang, { uid: metadata.uid ?? '' }));
    const { code, message } = await refusal(scale());
    expect([code, message]).to.deep.equal([
      403,
      'jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "g"',
    ]);
    await sample.update(job(), ({ metadata }) => {
      metadata.labels = { ...metadata.labels, a: 'b' };
    });
  });

  it('refuses it for a Job whose pods name a gang', async () => {
    await sample.create(job({ schedulingGroup: { podGroupName: 'g' } }));
    await sample.create(group(gang));
    expect((await refusal(scale())).code).to.equal(403);
  });

  it('allows it where the group is no gang, or of another Job, or not there', async () => {
    const { metadata } = await sample.create(job());
    await scale();
    await sample.create(group({ basic: {} }, { uid: metadata.uid ?? '' }));
    await sample.create({
      ...group(gang, { uid: 'other' }),
      metadata: { ...(group(gang, { uid: 'other' })['metadata'] as JsonObject), name: 'h' },
    });
    await scale((spec) => Object.assign(spec, { parallelism: 4, completions: 4 }));
    sample = await createSample({ admission: new Set(['JobValidation']), features: { GenericWorkload: true } });
    await sample.create(job({ schedulingGroup: { podGroupName: 'none' } }));
    await scale();
  });
});

describe('PodGroupWorkloadExists', () => {
  const made = (workloadName: string, podGroupTemplateName: string): JsonObject => ({
    ...group(gang),
    spec: { schedulingPolicy: gang, podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } } },
  });
  const workload: JsonObject = {
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'Workload',
    metadata: { name: 'w', finalizers: ['example.com/stays'] },
    spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: gang }] },
  };

  it('lets groups be made from templates that are there, or from none', async () => {
    const sample = await createSample({ admission: new Set(['PodGroupWorkloadExists']) });
    const whyNot = async (object: JsonObject): Promise<string> => (await refusal(sample.create(object))).message;
    await sample.create({ ...group(gang), metadata: { name: 'alone' } });
    const said = 'podgroups.scheduling.k8s.io "g" is forbidden: PodGroup rejected: ';
    expect(await whyNot(made('w', 't'))).to.equal(`${said}Workload "w" not found`);
    await sample.create(workload);
    expect(await whyNot(made('w', 'u'))).to.equal(`${said}PodGroupTemplate "u" not found in Workload "w"`);
    await sample.create(made('w', 't'));
    await sample.remove('scheduling.k8s.io/v1alpha2/Workload', 'w');
    expect(await whyNot(made('w', 't'))).to.equal(`${said}Workload "w" is being deleted`);
  });
});
