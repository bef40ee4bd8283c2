import { expect } from 'chai';
import { groupName, groupStep, inGroup, isGang, isNew, jobKeyOf, workloadKeyOf, workloadStep } from '../../../../controllers/job/gang.js';
import { jobController } from '../../../../controllers/job/jobController.js';
import { type Job, jobs, type JobSpec, type JobStatus } from '../../../../api/types/batch/v1.js';
import { type Pod, pods, type PodTemplateSpec } from '../../../../api/types/core/v1.js';
import { type PodGroup, podGroups, type Workload, workloads } from '../../../../api/types/scheduling/v1alpha2.js';
import { podGroupProtectionController } from '../../../../controllers/podgroupprotection/podGroupProtection.js';
import type { KubeObject } from '../../../../api/meta/object.js';
import { entryOf } from '../../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal } from '../../../fixtures/memoryApi.js';

const template: PodTemplateSpec = { metadata: { labels: { job: 'j' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } };
const job = (spec: Partial<JobSpec> = {}, status?: JobStatus): Job => ({
  metadata: { name: 'j', namespace: 'n', uid: 'u' },
  spec: {
    parallelism: 2,
    completions: 2,
    backoffLimit: 3,
    completionMode: 'Indexed',
    selector: { matchLabels: { job: 'j' } },
    template,
    ...spec,
  },
  ...(status ? { status } : {}),
});
const ownedByJob = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true, blockOwnerDeletion: true };
/** The reference's results for the uid `u` and these names. */
const workloadName = 'j-548bf4f8b6';
const made = `${workloadName}-j-pgt-0-6b894c6868`;
const gang = { gang: { minCount: 2 } };
const workload = (metadata: Workload['metadata'] = {}, spec: Partial<Workload['spec']> = {}): Workload => ({
  metadata: { name: workloadName, namespace: 'n', uid: 'w', ownerReferences: [ownedByJob], ...metadata },
  spec: {
    controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'j' },
    podGroupTemplates: [{ name: 'j-pgt-0', schedulingPolicy: gang }],
    ...spec,
  },
});
const group = (metadata: PodGroup['metadata'] = {}): PodGroup => ({
  metadata: { name: 'g', namespace: 'n', uid: 'g', ownerReferences: [ownedByJob], ...metadata },
  spec: { podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName: 'j-pgt-0' } }, schedulingPolicy: gang },
});
const pod: Pod = { metadata: { name: 'p', namespace: 'n', uid: 'p', ownerReferences: [ownedByJob] }, spec: { containers: [] } };

describe('controllers/job/gang', () => {
  const eligible: readonly (readonly [what: string, spec: { [M in keyof JobSpec]?: JobSpec[M] | undefined }, expected: boolean])[] = [
    ['all of several indexes run at once', {}, true],
    ['there is one index', { parallelism: 1, completions: 1 }, false],
    ['none may run', { parallelism: 0, completions: 0 }, false],
    ['it is not said how many may run', { parallelism: undefined }, false],
    ['there are no indexes', { completionMode: 'NonIndexed' }, false],
    ['the mode is not said', { completionMode: undefined }, false],
    ['it is not said how many have to complete', { completions: undefined }, false],
    ['some indexes wait for others', { completions: 3 }, false],
    [
      'the pods have a group already',
      { template: { ...template, spec: { ...template.spec!, schedulingGroup: { podGroupName: 'x' } } } },
      false,
    ],
  ];
  for (const [what, spec, expected] of eligible)
    it(`takes a Job for ${expected ? 'a' : 'no'} gang where ${what}`, () => {
      expect(isGang(job(spec as Partial<JobSpec>))).to.equal(expected);
    });

  it('takes a Job of a CronJob for a gang like any other', () => {
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'c', controller: true };
    expect(isGang({ ...job(), metadata: { ...job().metadata, ownerReferences: [owner] } })).to.equal(true);
  });

  const histories: readonly (readonly [what: string, status: JobStatus | undefined, pods: readonly Pod[], expected: boolean])[] = [
    ['nothing happened yet', undefined, [], true],
    ['it has pods', undefined, [pod], false],
    ['it has started', { startTime: '2026-01-01T00:00:00Z' }, [], false],
    ['pods of it have succeeded', { succeeded: 1 }, [], false],
    ['pods of it have failed', { failed: 1 }, [], false],
    ['it was suspended', { conditions: [{ type: 'Suspended', status: 'True' }] }, [], false],
    ['it was resumed', { conditions: [{ type: 'Suspended', status: 'False' }] }, [], false],
  ];
  for (const [what, status, owned, expected] of histories)
    it(`takes a Job for ${expected ? 'a' : 'no'} new one where ${what}`, () => {
      expect(isNew(job({}, status), owned)).to.equal(expected);
      const step = workloadStep(job({}, status), { pods: owned, found: [] });
      expect(step.do).to.equal(expected ? 'make' : 'without');
    });

  it('makes a workload that the Job owns, and of its template a group that both own', () => {
    const step = workloadStep(job(), { pods: [], found: [] });
    const { uid: _, ...metadata } = workload().metadata;
    expect(step).to.deep.equal({ do: 'make', object: { ...workload(), metadata } });
    expect(groupStep(job(), workload(), [])).to.deep.equal({
      do: 'make',
      object: {
        metadata: {
          name: made,
          namespace: 'n',
          ownerReferences: [ownedByJob, { apiVersion: 'scheduling.k8s.io/v1alpha2', kind: 'Workload', name: workloadName, uid: 'w' }],
        },
        spec: group().spec,
      },
    });
  });

  it('uses what is there, of Jobs that have run as well', () => {
    const running = job({}, { startTime: '2026-01-01T00:00:00Z' });
    expect(workloadStep(running, { pods: [pod], found: [workload()] })).to.deep.equal({ do: 'use', object: workload() });
    expect(groupStep(running, workload(), [group()])).to.deep.equal({ do: 'use', object: group() });
  });

  it('goes without where what is there is not clear, or somebody else`s', () => {
    const whyNot = (found: readonly Workload[]): unknown => {
      const step = workloadStep(job(), { pods: [], found });
      return step.do === 'without' ? step.why : step;
    };
    expect(whyNot([workload({ name: 'a', ownerReferences: [] })])).to.equal('a is not its own');
    expect(whyNot([workload({ name: 'a', ownerReferences: [{ ...ownedByJob, uid: 'former' }] })])).to.equal('a is not its own');
    expect(whyNot([workload({ name: 'a' }), workload({ name: 'b' })])).to.equal('a, b all claim to be for it');
    expect(whyNot([workload({ name: 'a' }, { podGroupTemplates: [] })])).to.equal('Workload a has 0 templates of groups, not one');
    expect(groupStep(job(), workload(), [group({ ownerReferences: [] })])).to.deep.equal({ do: 'without', why: 'g is not its own' });
    expect(groupStep(job(), workload(), [group(), group({ name: 'h' })]).do).to.equal('without');
  });

  it('knows what objects refer to', () => {
    expect([jobKeyOf(workload()), workloadKeyOf(group())]).to.deep.equal(['n/j', `n/${workloadName}`]);
    const other = { apiGroup: 'apps', kind: 'Job', name: 'j' };
    expect(jobKeyOf(workload({}, { controllerRef: other }))).to.equal(null);
    expect(jobKeyOf({ ...workload(), spec: { podGroupTemplates: [] } })).to.equal(null);
    expect(workloadKeyOf({ ...group(), spec: { schedulingPolicy: gang } })).to.equal(null);
  });

  it('gives names that are not too long, and the same for the same', () => {
    const long = { ...job(), metadata: { name: 'x'.repeat(63), namespace: 'n', uid: 'u' } };
    const step = workloadStep(long, { pods: [], found: [] });
    const name = step.do === 'make' ? (step.object.spec.podGroupTemplates?.[0]?.name ?? '') : '';
    expect(name).to.equal(`${'x'.repeat(57)}-pgt-0`);
    const [w, t] = ['w'.repeat(250), 't'.repeat(250)];
    for (const [first, template] of [
      [w, 't'],
      ['w', t],
      [w, t],
    ] as const) {
      const result = groupName(first, template);
      expect(result).to.have.length(253);
      expect(result).to.equal(groupName(first, template));
    }
    expect(groupName(w, 't')).to.match(/^w{239,}-t-\w+$/);
    expect(groupName('w', t)).to.match(/^w-t{239,}-\w+$/);
    expect(groupName(w, t)).to.match(/^w{120,121}-t{120,121}-\w+$/);
    expect(groupName('w', 'a')).to.not.equal(groupName('w', 'b'));
  });

  it('puts pods into their group, and leaves them to the Job alone', () => {
    expect(inGroup(pod, group())).to.deep.equal({ ...pod, spec: { ...pod.spec, schedulingGroup: { podGroupName: 'g' } } });
  });
});

describe('controllers/job/gangs', () => {
  let world: ControllerWorld;
  const served = (): unknown => ({ resources: [{ name: 'workloads' }, { name: 'podgroups' }] });
  const begin = async (flags: readonly string[], serves: () => unknown = served): Promise<void> => {
    world = controllerWorld({ flags });
    world.api.answers.set('/apis/scheduling.k8s.io/v1alpha2', serves);
  };
  const on = ['--feature-gates=GenericWorkload=true,WorkloadWithJob=true'];
  const groups = (): readonly (string | undefined)[] => world.api.all(pods).map(({ spec }) => spec?.schedulingGroup?.podGroupName);
  const written = async (): Promise<readonly string[]> =>
    (await world.writes()).flatMap(({ verb, type, key }) => (verb === 'create' ? [`${type} ${key}`] : []));
  afterEach(() => world.stop());

  it('makes workload, group and pods in this order, once', async () => {
    await begin(on);
    world.api.seed(jobs, job());
    await world.start(jobController);
    await world.advance(2_000);
    expect(await written()).to.deep.equal([
      `workloads.scheduling.k8s.io n/${workloadName}`,
      `podgroups.scheduling.k8s.io n/${made}`,
      'pods n/j-0-',
      'pods n/j-1-',
    ]);
    expect(groups()).to.deep.equal([made, made]);
    expect(world.events[0]).to.equal(`Normal WorkloadCreated n/j: Created Workload ${workloadName} for Job j`);
    const first = world.api.all(pods)[0]?.metadata.name ?? '';
    world.api.change(pods, `n/${first}`, (each) => ({ ...each, status: { phase: 'Failed' } }));
    await world.advance(30_000);
    expect(await written()).to.deep.equal(['pods n/j-0-']);
    expect(groups()).to.include(made).and.to.have.length(3);
    expect(new Set(groups()).size).to.equal(1);
    expect(world.errors).to.deep.equal([]);
  });

  it('makes them for a Job that begins suspended, and keeps them while it sleeps', async () => {
    await begin(on);
    world.api.seed(jobs, job({ suspend: true }));
    await world.start(jobController);
    const suspend = async (value: boolean): Promise<void> => {
      world.api.change(jobs, 'n/j', (each) => ({ ...each, spec: { ...(each.spec as JobSpec), suspend: value } }));
      await world.advance(2_000);
    };
    expect(await written()).to.have.length(2);
    await suspend(false);
    expect(groups()).to.deep.equal([made, made]);
    await suspend(true);
    expect([groups(), world.api.all(podGroups).length]).to.deep.equal([[], 1]);
    await suspend(false);
    expect(groups()).to.deep.equal([made, made]);
  });

  it('leaves nothing behind when the Job is deleted while its pods run', async () => {
    await begin(on);
    world.api.seed(jobs, job());
    await world.start(jobController);
    await world.start(podGroupProtectionController);
    await world.advance(2_000);
    const left = (): readonly number[] => [jobs, workloads, podGroups, pods].map((type) => world.api.all<KubeObject>(type).length);
    expect([left(), world.api.all(podGroups)[0]?.metadata.finalizers?.length]).to.deep.equal([[1, 1, 1, 2], 1]);
    await world.start(entryOf('garbage-collector-controller').make);
    await world.api.delete(jobs, { namespace: 'n', name: 'j' }, { propagationPolicy: 'Background' });
    await world.advance(60_000);
    expect(left()).to.deep.equal([0, 0, 0, 0]);
  });

  it('leaves Jobs alone that have run before, or are no gang', async () => {
    await begin(on);
    world.api.seed(jobs, job({}, { startTime: '2026-01-01T00:00:00Z' }));
    world.api.seed(jobs, { ...job({ completions: 3 }), metadata: { name: 'k', namespace: 'n', uid: 'k' } });
    await world.start(jobController);
    await world.advance(2_000);
    expect([world.api.all(workloads).length, world.api.all(pods).length]).to.deep.equal([0, 4]);
    expect(new Set(groups())).to.deep.equal(new Set([undefined]));
  });

  it('makes no pod before it could make the group', async () => {
    await begin(on);
    world.api.seed(jobs, job());
    let refusals = 2;
    world.api.before = ({ verb, type }) => {
      if (verb === 'create' && type === 'podgroups.scheduling.k8s.io' && refusals-- > 0) throw refusal(500, 'InternalError');
    };
    await world.start(jobController);
    expect(world.api.all(pods)).to.deep.equal([]);
    await world.advance(10_000);
    expect(groups()).to.deep.equal([made, made]);
    expect(world.api.all(workloads)).to.have.length(1);
  });

  for (const [what, flags, serves] of [
    ['the feature is off', ['--feature-gates=GenericWorkload=true'], served],
    ['the server has no groups', on, () => ({ resources: [{ name: 'workloads' }] })],
  ] as const)
    it(`runs Jobs as ever where ${what}`, async () => {
      await begin(flags, serves);
      world.api.seed(jobs, job());
      await world.start(jobController);
      await world.advance(2_000);
      expect(await written()).to.deep.equal(['pods n/j-0-', 'pods n/j-1-']);
      expect(groups()).to.deep.equal([undefined, undefined]);
    });
});
