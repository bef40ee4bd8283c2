import { expect } from 'chai';
import fc from 'fast-check';
import { noBackoff, remainingMs, withOutcomes } from '../../../../controllers/job/backoff.js';
import { count, settle } from '../../../../controllers/job/counting.js';
import { factsOf } from '../../../../controllers/job/facts.js';
import { indexesText, parseIndexes } from '../../../../controllers/job/indexes.js';
import { jobPod } from '../../../../controllers/job/jobPod.js';
import { policyMatch } from '../../../../controllers/job/podOutcome.js';
import { sizing } from '../../../../controllers/job/sizing.js';
import { completion, deadlineMs, verdictOf } from '../../../../controllers/job/verdict.js';
import type { Job, JobSpec, JobStatus } from '../../../../api/types/batch/v1.js';
import type { ContainerStatus, Pod } from '../../../../api/types/core/v1.js';

const now = Date.parse('2026-01-01T01:00:00Z');
const job = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job => ({
  metadata: { name: 'j', namespace: 'n', uid: 'u' },
  spec: { parallelism: 2, completions: 4, backoffLimit: 3, completionMode: 'NonIndexed', ...spec } as JobSpec,
  status,
});
interface Facts {
  readonly phase?: string;
  readonly index?: number;
  readonly exit?: number;
  readonly failures?: number;
  readonly tracked?: boolean;
  readonly deleted?: boolean;
  readonly ended?: string;
  readonly restarts?: number;
  readonly conditions?: readonly { type: string; status: string }[];
}
const pod = (
  name: string,
  { phase = 'Running', index, exit, failures, tracked = true, deleted, ended = '2026-01-01T00:59:55Z', restarts, conditions }: Facts = {},
): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    uid: name,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(tracked ? { finalizers: ['batch.kubernetes.io/job-tracking'] } : {}),
    ...(deleted ? { deletionTimestamp: '2026-01-01T00:59:59Z' } : {}),
    annotations: {
      ...(index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': String(index) }),
      ...(failures === undefined ? {} : { 'batch.kubernetes.io/job-index-failure-count': String(failures) }),
    },
  },
  status: {
    phase,
    ...(conditions ? { conditions } : {}),
    containerStatuses: [
      {
        name: 'c',
        ...(restarts === undefined ? {} : { restartCount: restarts }),
        state:
          phase === 'Failed' || phase === 'Succeeded'
            ? { terminated: { exitCode: exit ?? (phase === 'Failed' ? 1 : 0), finishedAt: ended } }
            : {},
      } as ContainerStatus,
    ],
  },
});
const done = (name: string, more: Facts = {}): Pod => pod(name, { phase: 'Succeeded', ...more });
const failed = (name: string, more: Facts = {}): Pod => pod(name, { phase: 'Failed', ...more });
const indexed: Partial<JobSpec> = { completionMode: 'Indexed' };

describe('controllers/job/indexes', () => {
  const cases: readonly (readonly [readonly number[], string])[] = [
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[1, 2, 3], '1-3'],
    [[0, 2, 3, 4, 7, 9, 10], '0,2-4,7,9,10'],
  ];
  for (const [indexes, text] of cases)
    it(`writes ${JSON.stringify(indexes)} as '${text}'`, () => expect(indexesText(new Set(indexes))).to.equal(text));
  it('reads what it writes', () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(99)), (given) => {
        expect([...parseIndexes(indexesText(new Set(given)), 100)].sort((a, b) => a - b)).to.deep.equal([...given].sort((a, b) => a - b));
      }),
    ));
  it('reads no index beyond the limit', () => expect([...parseIndexes('0-9,12', 3)]).to.deep.equal([0, 1, 2]));
});

describe('controllers/job/backoff', () => {
  const waits: readonly (readonly [number, number])[] = [
    [0, 0],
    [1, 10_000],
    [2, 20_000],
    [4, 80_000],
    [7, 600_000],
    [99, 600_000],
  ];
  for (const [failures, ms] of waits)
    it(`${failures} failures wait ${ms} ms`, () => expect(remainingMs({ failures, lastFailureAt: now }, now)).to.equal(ms));
  it('counts from the last failure, and a success begins anew', () => {
    const twice = withOutcomes(noBackoff, [], [failed('a', { ended: '2026-01-01T00:59:50Z' }), failed('b')]);
    expect([twice, remainingMs(twice, now)]).to.deep.equal([{ failures: 2, lastFailureAt: now - 5_000 }, 15_000]);
    expect(withOutcomes(twice, [done('c', { ended: '2026-01-01T00:59:56Z' })], [])).to.deep.equal(noBackoff);
    expect(
      withOutcomes(noBackoff, [done('c', { ended: '2026-01-01T00:59:52Z' })], [failed('a', { ended: '2026-01-01T00:59:50Z' }), failed('b')])
        .failures,
    ).to.equal(1);
  });
});

describe('controllers/job/verdict', () => {
  const verdict = (given: Job, pods: readonly Pod[] = []) => verdictOf(factsOf(given, pods, new Set()), now);
  const perIndex: Partial<JobSpec> = { ...indexed, backoffLimitPerIndex: 0 };
  const policy = (action: string): Partial<JobSpec> => ({
    podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }] },
  });
  const cases: readonly (readonly [string, Job, readonly Pod[], string | null])[] = [
    ['goes on', job(), [failed('a')], null],
    ['up to the limit', job(), ['a', 'b', 'c'].map((name) => failed(name)), null],
    ['beyond the limit', job(), ['a', 'b', 'c', 'd'].map((name) => failed(name)), 'BackoffLimitExceeded'],
    ['failures that were counted before', job({}, { failed: 3 }), [failed('a')], 'BackoffLimitExceeded'],
    ['pods that someone deletes', job({ backoffLimit: 0 }), [pod('a', { deleted: true })], 'BackoffLimitExceeded'],
    [
      'such pods do not count where only failed ones are replaced',
      job({ backoffLimit: 0, podReplacementPolicy: 'Failed' }),
      [pod('a', { deleted: true })],
      null,
    ],
    [
      'restarts within a pod',
      job({ backoffLimit: 2, template: { spec: { restartPolicy: 'OnFailure' } } }),
      [pod('a', { restarts: 2 })],
      'BackoffLimitExceeded',
    ],
    ['fewer restarts', job({ backoffLimit: 3, template: { spec: { restartPolicy: 'OnFailure' } } }), [pod('a', { restarts: 2 })], null],
    ['the deadline', job({ activeDeadlineSeconds: 60 }, { startTime: '2026-01-01T00:58:59Z' }), [], 'DeadlineExceeded'],
    ['no deadline while suspended', job({ activeDeadlineSeconds: 60, suspend: true }, { startTime: '2026-01-01T00:58:59Z' }), [], null],
    ['a policy that fails the Job', job(policy('FailJob')), [failed('a', { exit: 42 })], 'PodFailurePolicy'],
    ['another exit code', job(policy('FailJob')), [failed('a', { exit: 41 })], null],
    ['a policy that ignores', job({ backoffLimit: 0, ...policy('Ignore') }), [failed('a', { exit: 42 })], null],
    [
      'more failed indexes than allowed',
      job({ ...perIndex, maxFailedIndexes: 1, backoffLimit: 2_147_483_647 }),
      [failed('a', { index: 0 }), failed('b', { index: 1 })],
      'MaxFailedIndexesExceeded',
    ],
    [
      'all indexes have ended, and some failed',
      job({ ...perIndex, completions: 2, backoffLimit: 2_147_483_647 }),
      [failed('a', { index: 0 }), done('b', { index: 1 })],
      'FailedIndexes',
    ],
    [
      'a success policy by indexes',
      job({ ...indexed, successPolicy: { rules: [{ succeededIndexes: '2,3' }, { succeededIndexes: '0,1', succeededCount: 1 }] } }),
      [done('a', { index: 1 })],
      'SuccessPolicy',
    ],
    ['not yet enough of them', job({ ...indexed, successPolicy: { rules: [{ succeededCount: 2 }] } }), [done('a', { index: 1 })], null],
    [
      'what was said once holds',
      job({}, { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: 'm' }] }),
      [],
      'DeadlineExceeded',
    ],
  ];
  for (const [about, given, pods, wanted] of cases) it(about, () => expect(verdict(given, pods)?.reason ?? null).to.equal(wanted));

  it('names the container and the rule', () =>
    expect(policyMatch(failed('a', { exit: 42 }), job(policy('FailJob')))).to.deep.equal({
      action: 'FailJob',
      message: 'Container c for pod n/a failed with exit code 42 matching FailJob rule at index 0',
    }));
  it('matches conditions of pods', () => {
    const given = job({ podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } });
    expect(policyMatch(failed('a', { conditions: [{ type: 'DisruptionTarget', status: 'True' }] }), given)?.message).to.equal(
      'Pod n/a has condition DisruptionTarget matching Ignore rule at index 0',
    );
    expect(policyMatch(failed('a', { conditions: [{ type: 'DisruptionTarget', status: 'False' }] }), given)).to.equal(null);
  });
  it('knows how much of the deadline is left', () =>
    expect(deadlineMs(job({ activeDeadlineSeconds: 100 }, { startTime: '2026-01-01T00:59:00Z' }), now)).to.equal(40_000));

  const ends: readonly (readonly [number | undefined, number, number, boolean])[] = [
    [4, 4, 0, true],
    [4, 3, 0, false],
    [4, 4, 1, false],
    [undefined, 1, 0, true],
    [undefined, 1, 1, false],
    [undefined, 0, 0, false],
    [0, 0, 0, true],
  ];
  for (const [completions, succeeded, active, wanted] of ends) {
    it(`${succeeded} of ${completions ?? 'any'} with ${active} active ${wanted ? 'is' : 'is not'} complete`, () =>
      expect(
        completion({ metadata: {}, spec: (completions === undefined ? {} : { completions }) as JobSpec }, succeeded, active) !== null,
      ).to.equal(wanted));
  }
});

describe('controllers/job/sizing', () => {
  const size = (given: Job, pods: readonly Pod[] = [], backoff = noBackoff): string => {
    const found = sizing(factsOf(given, pods, new Set()), backoff, now);
    switch (found.do) {
      case 'create':
        return `create ${found.orders.map(({ index, failures }) => `${index ?? '-'}${failures === null ? '' : `:${failures}`}`).join(' ')}${found.againAfterMs === null ? '' : ` again ${found.againAfterMs}`}`;
      case 'delete':
        return `delete ${found.pods.map(({ metadata }) => metadata.name).join(' ')}`;
      case 'wait':
        return `wait ${found.ms}`;
      case 'nothing':
        return 'nothing';
    }
  };
  const perIndex: Partial<JobSpec> = { ...indexed, backoffLimitPerIndex: 2 };
  const cases: readonly (readonly [string, string, string])[] = [
    ['as many as may run', size(job()), 'create - -'],
    ['no more than are left to do', size(job({}, { succeeded: 3 })), 'create -'],
    ['one is there', size(job(), [pod('a')]), 'create -'],
    ['enough are there', size(job(), [pod('a'), pod('b')]), 'nothing'],
    ['too many are there', size(job({ parallelism: 1 }), [pod('a'), pod('b', { phase: 'Pending' })]), 'delete b'],
    ['suspended', size(job({ suspend: true }), [pod('a')]), 'delete a'],
    [
      'at most 500 at once',
      size(job({ parallelism: 1000, completions: 1000 })),
      `create ${Array.from({ length: 500 }, () => '-').join(' ')}`,
    ],
    ['a failure waits', size(job(), [], { failures: 1, lastFailureAt: now - 4_000 }), 'wait 6000'],
    ['any success is enough', size({ ...job(), spec: { parallelism: 3 } as JobSpec }, [done('a'), pod('b')]), 'nothing'],
    ['a work queue', size({ ...job(), spec: { parallelism: 3 } as JobSpec }, [pod('b')]), 'create - -'],
    [
      'ending pods are not replaced before they have ended',
      size(job({ podReplacementPolicy: 'Failed' }), [pod('a', { deleted: true })]),
      'create -',
    ],
    [
      'the lowest free indexes',
      size(job({ ...indexed, completions: 6, parallelism: 3 }, { completedIndexes: '0,2' }), [pod('a', { index: 1 })]),
      'create 3 4',
    ],
    ['two pods of one index', size(job(indexed), [pod('a', { index: 0 }), pod('b', { index: 0, phase: 'Pending' })]), 'delete b'],
    ['a pod without an index', size(job(indexed), [pod('a'), pod('b', { index: 9 })]), 'delete a b'],
    ['each index waits for its own failures', size(job(perIndex), [failed('a', { index: 0 })]), 'create 1:0 2:0 again 5000'],
    [
      'and carries them on',
      size(job({ ...perIndex, completions: 1 }), [failed('a', { index: 0, failures: 1, ended: '2026-01-01T00:59:00Z' })]),
      'create 0:2',
    ],
    [
      'an index that has failed for good stays',
      size(job({ ...perIndex, completions: 1 }), [failed('a', { index: 0, failures: 2 })]),
      'nothing',
    ],
  ];
  for (const [about, found, wanted] of cases) it(about, () => expect(found).to.equal(wanted));
});

describe('controllers/job/counting', () => {
  const counted = (given: Job, pods: readonly Pod[], ends: 'success' | 'failure' | null = null) => {
    const { status, free } = count(factsOf(given, pods, new Set()), ends);
    return {
      uncounted: status.uncountedTerminatedPods,
      free: free.map(({ metadata }) => metadata.name),
      succeeded: status.succeeded,
      completedIndexes: status.completedIndexes,
    };
  };
  it('notes uids before it frees pods', () =>
    expect(counted(job(), [done('a'), failed('b'), pod('c')])).to.deep.include({
      uncounted: { succeeded: ['a'], failed: ['b'] },
      free: ['a', 'b'],
    }));
  it('counts what is free, each once', () => {
    const before = { succeeded: 1, uncountedTerminatedPods: { succeeded: ['a', 'b'], failed: ['c'] } };
    expect(settle(before, new Set(['b']))).to.deep.equal({ succeeded: 2, failed: 1, uncountedTerminatedPods: { succeeded: ['b'] } });
    expect(counted(job({}, before), [done('b')])).to.deep.include({ uncounted: { succeeded: ['b'] }, free: ['b'], succeeded: 2 });
  });
  it('counts indexes, which need no uids', () =>
    expect(counted(job(indexed, { completedIndexes: '0' }), [done('a', { index: 2 }), done('b', { index: 1 })])).to.deep.include({
      uncounted: {},
      free: ['b', 'a'],
      succeeded: 3,
      completedIndexes: '0-2',
    }));
  it('at a failed end what runs counts as failed, at a good one as nothing', () => {
    expect(counted(job(), [pod('a')], 'failure')).to.deep.include({ uncounted: { failed: ['a'] }, free: ['a'] });
    expect(counted(job(), [pod('a')], 'success')).to.deep.include({ uncounted: {}, free: ['a'] });
  });
  it('keeps the last failure of an index until its successor is there', () => {
    const given = job({ ...indexed, backoffLimitPerIndex: 2 });
    expect(counted(given, [failed('a', { index: 0 })]).free).to.deep.equal([]);
    expect(counted(given, [failed('a', { index: 0 }), pod('b', { index: 0 })]).free).to.deep.equal(['a']);
  });
  it('leaves pods alone that it does not track', () => expect(counted(job(), [done('a', { tracked: false })]).free).to.deep.equal([]));
});

describe('controllers/job/jobPod', () => {
  const given = job({ ...indexed, template: { metadata: { labels: { l: 'x' } }, spec: { containers: [{ name: 'c' }] } } });
  it('has the finalizer, and of an index its label, host name and variable', () => {
    expect(jobPod(given, { index: null, failures: null, ignoredFailures: 0 }).metadata).to.deep.include({
      generateName: 'j-',
      finalizers: ['batch.kubernetes.io/job-tracking'],
    });
    const { metadata, spec } = jobPod(given, { index: 3, failures: 1, ignoredFailures: 2 });
    expect(metadata).to.deep.include({
      generateName: 'j-3-',
      labels: { l: 'x', 'batch.kubernetes.io/job-completion-index': '3' },
      annotations: {
        'batch.kubernetes.io/job-completion-index': '3',
        'batch.kubernetes.io/job-index-failure-count': '1',
        'batch.kubernetes.io/job-index-ignored-failure-count': '2',
      },
    });
    expect([spec?.hostname, spec?.containers?.[0]?.env?.[0]?.name]).to.deep.equal(['j-3', 'JOB_COMPLETION_INDEX']);
  });
});
