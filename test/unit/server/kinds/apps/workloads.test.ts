import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { causes, createSample, refusal, type Sample } from '../../registry/sample.js';

/** Kinds that make pods, scale them or limit their disruption. */

const labels = { a: 'b' };
const template = (spec: JsonObject = {}, own: JsonObject = labels): JsonObject => ({
  metadata: { labels: own },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const object = (kind: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => {
  const slash = kind.lastIndexOf('/');
  return { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1), metadata: { name: 'w', ...metadata }, spec };
};
const selecting = (spec: JsonObject = {}): JsonObject => ({ selector: { matchLabels: labels }, template: template(), ...spec });
const job = (spec: JsonObject = {}): JsonObject => object('batch/v1/Job', { template: template({ restartPolicy: 'Never' }, {}), ...spec });
const cronJob = (spec: JsonObject = {}, name = 'w'): JsonObject =>
  object(
    'batch/v1/CronJob',
    { schedule: '0 0 * * *', jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }, {}) } }, ...spec },
    { name },
  );
const autoscaler = (spec: JsonObject = {}): JsonObject =>
  object('autoscaling/v2/HorizontalPodAutoscaler', {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    ...spec,
  });
const budget = (spec: JsonObject): JsonObject => object('policy/v1/PodDisruptionBudget', spec);

const refused: readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[] = [
  [
    'deployments of nothing',
    object('apps/v1/Deployment', {}),
    ['required spec.selector', 'invalid spec.template.metadata.labels', 'required spec.template.spec.containers'],
  ],
  [
    'deployments of other pods',
    object('apps/v1/Deployment', selecting({ template: template({}, { a: 'c' }) })),
    ['invalid spec.template.metadata.labels'],
  ],
  ['selectors of everything', object('apps/v1/Deployment', selecting({ selector: {} })), ['invalid spec.selector']],
  [
    'rolling updates',
    object(
      'apps/v1/Deployment',
      selecting({ replicas: -1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } }),
    ),
    ['invalid spec.replicas', 'invalid spec.strategy.rollingUpdate.maxUnavailable'],
  ],
  [
    'percentages',
    object('apps/v1/Deployment', selecting({ strategy: { rollingUpdate: { maxUnavailable: '101%', maxSurge: 'x' } } })),
    ['invalid spec.strategy.rollingUpdate.maxSurge', 'invalid spec.strategy.rollingUpdate.maxUnavailable'],
  ],
  [
    'strategies',
    object('apps/v1/Deployment', selecting({ strategy: { type: 'Recreate', rollingUpdate: {} } })),
    ['forbidden spec.strategy.rollingUpdate'],
  ],
  [
    'times of deployments',
    object('apps/v1/Deployment', selecting({ minReadySeconds: 10, progressDeadlineSeconds: 10, revisionHistoryLimit: -1 })),
    ['invalid spec.revisionHistoryLimit', 'invalid spec.progressDeadlineSeconds'],
  ],
  [
    'pods that end',
    object('apps/v1/ReplicaSet', selecting({ template: template({ restartPolicy: 'Never' }) })),
    ['unsupported spec.template.spec.restartPolicy'],
  ],
  [
    'pods with an end',
    object('apps/v1/DaemonSet', selecting({ template: template({ activeDeadlineSeconds: 5 }) })),
    ['forbidden spec.template.spec.activeDeadlineSeconds'],
  ],
  ['updates of daemons', object('apps/v1/DaemonSet', selecting({ updateStrategy: { type: 'X' } })), ['unsupported spec.updateStrategy']],
  [
    'stateful sets',
    object(
      'apps/v1/StatefulSet',
      selecting({
        podManagementPolicy: 'X',
        updateStrategy: { type: 'OnDelete', rollingUpdate: {} },
        ordinals: { start: -1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'X', whenScaled: 'Retain' },
      }),
    ),
    [
      'invalid spec.podManagementPolicy',
      'invalid spec.updateStrategy.rollingUpdate',
      'unsupported spec.persistentVolumeClaimRetentionPolicy.whenDeleted',
      'invalid spec.ordinals.start',
    ],
  ],

  ['jobs that never end', job({ template: template({}, {}) }), ['required spec.template.spec.restartPolicy']],
  [
    'numbers of jobs',
    job({ parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 }),
    [
      'invalid spec.parallelism',
      'invalid spec.completions',
      'invalid spec.activeDeadlineSeconds',
      'invalid spec.backoffLimit',
      'invalid spec.ttlSecondsAfterFinished',
    ],
  ],
  ['indexed jobs', job({ completionMode: 'Indexed', parallelism: 2 }), ['required spec.completions']],
  [
    'limits for each index',
    job({ backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
    ['invalid spec.backoffLimitPerIndex', 'invalid spec.maxFailedIndexes'],
  ],
  [
    'policies for failures',
    job({ podFailurePolicy: { rules: [{ action: 'X' }, { action: 'Ignore', onExitCodes: { operator: 'In', values: [0, 1, 1] } }] } }),
    [
      'unsupported spec.podFailurePolicy.rules[0].action',
      'invalid spec.podFailurePolicy.rules[0]',
      'invalid spec.podFailurePolicy.rules[1].onExitCodes.values[0]',
      'duplicate spec.podFailurePolicy.rules[1].onExitCodes.values[2]',
    ],
  ],
  ['selectors of jobs', job({ selector: { matchLabels: labels } }), ['invalid spec.selector', 'invalid spec.template.metadata.labels']],
  [
    'schedules',
    cronJob({ schedule: 'often', concurrencyPolicy: 'X', startingDeadlineSeconds: -1, timeZone: 'Nowhere/Else' }),
    ['invalid spec.schedule', 'invalid spec.startingDeadlineSeconds', 'invalid spec.timeZone', 'unsupported spec.concurrencyPolicy'],
  ],
  ['names of scheduled jobs', cronJob({}, 'n'.repeat(53)), ['invalid metadata.name']],
  ['zones in schedules', cronJob({ schedule: 'TZ=UTC 0 0 * * *' }), ['invalid spec.schedule']],

  ['bounds of autoscalers', autoscaler({ minReplicas: 5, maxReplicas: 0 }), ['required spec.maxReplicas', 'invalid spec.maxReplicas']],
  [
    'metrics',
    autoscaler({
      metrics: [{ type: 'Resource' }, { type: 'X' }, { type: 'Resource', resource: { name: '', target: { type: 'Utilization' } } }],
    }),
    [
      'required spec.metrics[0].resource',
      'unsupported spec.metrics[1].type',
      'unsupported spec.metrics[1].type',
      'required spec.metrics[2].resource.name',
      'required spec.metrics[2].resource.target.averageUtilization',
    ],
  ],
  [
    'behaviour',
    autoscaler({
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 4000, selectPolicy: 'X', policies: [] },
        scaleUp: { policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }] },
      },
    }),
    [
      'invalid spec.behavior.scaleUp.policies[0].value',
      'invalid spec.behavior.scaleUp.policies[0].periodSeconds',
      'invalid spec.behavior.scaleDown.stabilizationWindowSeconds',
      'unsupported spec.behavior.scaleDown.selectPolicy',
      'required spec.behavior.scaleDown.policies',
    ],
  ],
  [
    'budgets',
    budget({ minAvailable: 1, maxUnavailable: '150%', unhealthyPodEvictionPolicy: 'X' }),
    ['invalid spec', 'invalid spec.maxUnavailable', 'unsupported spec.unhealthyPodEvictionPolicy'],
  ],
  [
    'indexed jobs of unknown length',
    job({ completionMode: 'Indexed', completions: null, parallelism: 100_001, maxFailedIndexes: 100_001, backoffLimitPerIndex: 1 }),
    ['required spec.completions', 'invalid spec.parallelism', 'invalid spec.maxFailedIndexes'],
  ],
  ['time zones of this machine', cronJob({ timeZone: 'Local' }), ['invalid spec.timeZone']],
  ['time zones of this machine, misspelt', cronJob({ timeZone: 'local' }), ['invalid spec.timeZone', 'invalid spec.timeZone']],
  [
    'targets of autoscalers without a group',
    autoscaler({ scaleTargetRef: { apiVersion: '/v1', kind: 'Deployment', name: 'd' } }),
    ['invalid spec.scaleTargetRef.apiVersion'],
  ],
  [
    'objects that autoscalers measure',
    autoscaler({
      metrics: [
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'a/b/c', kind: 'K', name: 'n' },
            metric: { name: 'm' },
            target: { type: 'Value', value: '1' },
          },
        },
      ],
    }),
    ['invalid spec.metrics[0].object.describedObject.apiVersion'],
  ],
];

const startTime = '2026-01-01T00:00:00Z';
const completionTime = '2026-01-01T01:00:00Z';
const conditions = (...types: readonly string[]): JsonObject[] => types.map((type) => ({ type, status: 'True' }));
const indexed = { completionMode: 'Indexed', completions: 5, parallelism: 5 };
const onConditions = 'invalid status.conditions';
/** Jobs with successive status writes. */
const statuses: readonly (readonly [
  what: string,
  spec: JsonObject,
  steps: readonly (readonly [status: JsonObject, expected: readonly string[]])[],
])[] = [
  [
    'only what goes together',
    {},
    [
      [{ startTime, completionTime, conditions: conditions('Complete', 'Failed') }, [onConditions, onConditions, onConditions]],
      [{ startTime, conditions: conditions('Complete', 'SuccessCriteriaMet') }, ['required status.completionTime']],
      [{ startTime, completionTime }, ['invalid status.completionTime']],
      [{ startTime, conditions: conditions('SuccessCriteriaMet', 'FailureTarget') }, [onConditions]],
      [{ startTime, conditions: conditions('SuccessCriteriaMet', 'FailureTarget', 'Failed') }, [onConditions, onConditions]],
      [
        { startTime: completionTime, completionTime: startTime, conditions: conditions('Complete', 'SuccessCriteriaMet') },
        ['invalid status.completionTime'],
      ],
    ],
  ],
  [
    'nothing but the end once it has ended',
    {},
    [
      [
        { completionTime, conditions: conditions('Complete', 'SuccessCriteriaMet'), active: 1 },
        ['invalid status.active', 'required status.startTime'],
      ],
      [{ startTime, completionTime, conditions: conditions('Complete', 'SuccessCriteriaMet') }, []],
      [
        { startTime, completionTime: '2026-01-02T00:00:00Z', conditions: conditions('Complete', 'SuccessCriteriaMet') },
        ['invalid status.completionTime'],
      ],
      [{ startTime, completionTime, conditions: conditions('Complete') }, [onConditions, onConditions]],
      [{ startTime, conditions: conditions('SuccessCriteriaMet') }, [onConditions]],
      [
        { startTime, completionTime, conditions: conditions('Complete', 'SuccessCriteriaMet'), terminating: 1 },
        ['invalid status.terminating'],
      ],
      [
        { completionTime, conditions: conditions('Complete', 'SuccessCriteriaMet') },
        ['required status.startTime', 'invalid status.startTime'],
      ],
    ],
  ],
  [
    'that it is done before it starts, when nothing is to be done',
    { suspend: true, completions: 0 },
    [[{ completionTime, conditions: conditions('Complete', 'SuccessCriteriaMet') }, []]],
  ],
  [
    'that it has succeeded less after it was made smaller',
    indexed,
    [
      [{ startTime, succeeded: 3, failed: 2 }, []],
      [{ startTime, succeeded: 2, failed: 2 }, []],
      [{ startTime, succeeded: 2, failed: 1 }, ['invalid status.failed']],
    ],
  ],
  [
    'that it has succeeded more, and never less',
    { completions: 5, parallelism: 2 },
    [
      [{ startTime, succeeded: 3 }, []],
      [{ startTime, succeeded: 2 }, ['invalid status.succeeded']],
      [{ succeeded: 3 }, ['invalid status.startTime']],
      [{ startTime: completionTime, succeeded: 3 }, ['invalid status.startTime']],
      [{ startTime, succeeded: 3, completedIndexes: '0' }, ['invalid status.completedIndexes']],
      [{ startTime, succeeded: 3, failedIndexes: '0' }, ['invalid status.failedIndexes']],
    ],
  ],
  [
    'which of its indexes are done and which have failed',
    { ...indexed, backoffLimitPerIndex: 1 },
    [
      [{ startTime, completedIndexes: '1,3-4', failedIndexes: '0,2' }, []],
      [{ startTime, completedIndexes: '1,3-5', failedIndexes: '0,2' }, ['invalid status.completedIndexes']],
      [
        { startTime, completedIndexes: '1,x,4', failedIndexes: '0,3-4' },
        ['invalid status.completedIndexes', 'invalid status.failedIndexes'],
      ],
      [{ startTime, completedIndexes: '3,1', failedIndexes: '0' }, ['invalid status.completedIndexes']],
      [{ startTime, completedIndexes: '1', failedIndexes: '1' }, ['invalid status.failedIndexes']],
    ],
  ],
  [
    'that it is complete by its policy only',
    { ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } },
    [
      [{ startTime, completionTime, conditions: conditions('Complete') }, [onConditions, onConditions]],
      [{ startTime, ready: 1 }, ['invalid status.ready']],
      [
        { startTime, uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a'] } },
        ['invalid status.uncountedTerminatedPods.succeeded[1]', 'duplicate status.uncountedTerminatedPods.failed[0]'],
      ],
    ],
  ],
];

describe('registry, workloads', () => {
  let sample: Sample;
  beforeEach(async () => {
    sample = await createSample();
  });

  for (const [what, wrong, expected] of refused)
    it(`checks ${what}`, async () => {
      expect(await causes(sample.create(wrong))).to.deep.equal(expected);
    });

  it('fills in what is left open', async () => {
    const rows: readonly (readonly [object: JsonObject, expected: JsonObject])[] = [
      [
        object('apps/v1/Deployment', selecting()),
        {
          replicas: 1,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        },
      ],
      [object('apps/v1/ReplicaSet', selecting()), { replicas: 1 }],
      [
        object('apps/v1/DaemonSet', selecting()),
        { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, revisionHistoryLimit: 10 },
      ],
      [
        object('apps/v1/DaemonSet', selecting({ updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }), { name: 'w2' }),
        { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      ],
      [
        object('apps/v1/DaemonSet', selecting({ updateStrategy: { type: 'OnDelete' } }), { name: 'w3' }),
        { updateStrategy: { type: 'OnDelete' } },
      ],
      [
        object('apps/v1/StatefulSet', selecting()),
        {
          replicas: 1,
          podManagementPolicy: 'OrderedReady',
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
          persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
          revisionHistoryLimit: 10,
        },
      ],
      [
        job(),
        {
          parallelism: 1,
          completions: 1,
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          suspend: false,
          podReplacementPolicy: 'TerminatingOrFailed',
          manualSelector: false,
        },
      ],
      [cronJob(), { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }],
      [
        autoscaler(),
        {
          minReplicas: 1,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
        },
      ],
    ];
    for (const [made, expected] of rows) {
      const spec = (await sample.create(made))['spec'] as JsonObject;
      for (const [member, value] of Object.entries(expected))
        if (member !== 'manualSelector') expect(spec[member], `${String(made['kind'])} ${member}`).to.deep.equal(value);
    }
  });

  it('gives jobs labels of their own, and a selector for them', async () => {
    const made = await sample.create(job());
    const uid = made.metadata.uid ?? '';
    const spec = made['spec'] as { selector: JsonObject; template: { metadata: { labels: Record<string, string> } } };
    expect(spec.selector).to.deep.equal({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    expect(spec.template.metadata.labels).to.deep.equal({
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'w',
      'controller-uid': uid,
      'job-name': 'w',
    });
  });

  it('keeps what pods have been made by', async () => {
    const rows: readonly (readonly [object: JsonObject, change: (spec: JsonObject) => void, expected: readonly string[]])[] = [
      [
        object('apps/v1/Deployment', selecting()),
        (spec) => {
          spec['selector'] = { matchLabels: { ...labels, c: 'd' } };
          spec['template'] = template({}, { ...labels, c: 'd' });
        },
        ['invalid spec.selector'],
      ],
      [
        object('apps/v1/DaemonSet', selecting()),
        (spec) => {
          spec['selector'] = { matchLabels: { ...labels, c: 'd' } };
          spec['template'] = template({}, { ...labels, c: 'd' });
        },
        ['invalid spec.selector'],
      ],
      [
        object('apps/v1/StatefulSet', selecting()),
        (spec) => {
          spec['serviceName'] = 'other';
        },
        ['forbidden spec'],
      ],
      [
        job(),
        (spec) => {
          spec['completions'] = 2;
          (spec['template'] as { spec: JsonObject }).spec['hostname'] = 'h';
        },
        ['invalid spec.completions', 'invalid spec.template'],
      ],
      [
        budget({ minAvailable: 1 }),
        (spec) => {
          spec['minAvailable'] = 2;
        },
        [],
      ],
    ];
    for (const [made, change, expected] of rows) {
      await sample.create(made);
      expect(
        await causes(
          sample.update(made, (current) => {
            change(current['spec'] as JsonObject);
          }),
        ),
        String(made['kind']),
      ).to.deep.equal(expected);
    }
  });

  it('counts changes of the specification, and of annotations where these are copied', async () => {
    const deployment = object('apps/v1/Deployment', selecting());
    await sample.create(deployment);
    const generation = async (change: (current: ApiObject) => void, subresource = ''): Promise<number> =>
      (await sample.update(deployment, change, subresource)).metadata.generation ?? 0;
    expect([
      await generation((current) => {
        current.metadata.labels = { x: 'y' };
      }),
      await generation((current) => {
        current.metadata.annotations = { x: 'y' };
      }),
      await generation((current) => {
        (current['spec'] as JsonObject)['replicas'] = 2;
      }),
      await generation((current) => {
        current['status'] = { observedGeneration: 1 };
      }, 'status'),
    ]).to.deep.equal([1, 2, 3, 3]);
  });

  for (const [what, spec, steps] of statuses)
    it(`lets the status of a job say ${what}`, async () => {
      await sample.create(job(spec));
      for (const [status, expected] of steps)
        expect(await causes(sample.update(job(), (object) => (object['status'] = status), 'status')), JSON.stringify(status)).to.deep.equal(
          expected,
        );
    });

  it('tells of job statuses what the reference tells', async () => {
    await sample.create(job());
    const stating = (status: JsonObject): Promise<ApiObject> => sample.update(job(), (object) => (object['status'] = status), 'status');
    const [startTime, later] = ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'];
    const messages = async (status: JsonObject): Promise<(string | undefined)[]> =>
      ((await refusal(stating(status))).details?.causes ?? []).map(({ message }) => message);
    const done = {
      startTime,
      conditions: [
        { type: 'Complete', status: 'True' },
        { type: 'SuccessCriteriaMet', status: 'True' },
      ],
    };
    expect(await messages({ ...done, completionTime: '2026-01-01T00:00:00Z', uncountedTerminatedPods: { failed: ['a'] } })).to.deep.equal([
      'Invalid value: "2026-01-01T00:00:00Z": must be equal to or after `startTime`',
      'Invalid value: {"Succeeded":null,"Failed":["a"]}: must be empty for finished job',
    ]);
    await stating({ startTime });
    expect(await messages({ startTime: later })).to.deep.equal([
      `Invalid value: "${later}": field is immutable for unsuspended job once set`,
    ]);
    expect(await messages({})).to.deep.equal(['Invalid value: null: field is immutable for unsuspended job once set']);
    await stating({ startTime, conditions: [{ type: 'Suspended', status: 'True' }] });
    await stating({ startTime: later, conditions: [{ type: 'Suspended', status: 'False' }] });
    await stating({ ...done, startTime: later, completionTime: later });
    expect(await messages({ ...done, startTime: later, completionTime: '2026-01-04T00:00:00Z' })).to.deep.equal([
      'Invalid value: "2026-01-04T00:00:00Z": field is immutable',
    ]);
  });

  it('quotes absent exit codes as null, and empty ones as a list', async () => {
    const message = async (codes: JsonObject): Promise<string> => {
      const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', ...codes } }] };
      return (await refusal(sample.create(job({ podFailurePolicy })))).message;
    };
    expect(await message({})).to.contain('onExitCodes.values: Invalid value: null: at least one value is required');
    expect(await message({ values: [] })).to.contain('onExitCodes.values: Invalid value: []: at least one value is required');
  });

  it('lets a queue change a suspended job without pods, and nobody a running one', async () => {
    await sample.create(job({ suspend: true }));
    const spec = (object: ApiObject): JsonObject => ((object['spec'] as JsonObject)['template'] as JsonObject)['spec'] as JsonObject;
    const resources = (amount: string) => (object: ApiObject) => {
      (spec(object)['containers'] as JsonObject[])[0]!['resources'] = { requests: { cpu: amount } };
    };
    const run = (status: JsonObject): Promise<ApiObject> => sample.update(job(), (object) => (object['status'] = status), 'status');
    const startTime = '2026-01-01T00:00:00Z';
    expect(await causes(sample.update(job(), resources('1')))).to.deep.equal([]);
    await run({ startTime, active: 1 });
    expect(await causes(sample.update(job(), resources('2')))).to.deep.equal(['invalid spec.template']);
    await run({ startTime });
    expect(await causes(sample.update(job(), resources('2')))).to.deep.equal([]);
    expect(
      await causes(
        sample.update(job(), (object) => {
          spec(object)['nodeSelector'] = { a: 'b' };
        }),
      ),
    ).to.deep.equal([]);
    expect(await causes(sample.update(job(), (object) => (spec(object)['hostname'] = 'other')))).to.deep.equal([
      'invalid spec.template.spec',
    ]);
    await sample.update(job(), (object) => ((object['spec'] as JsonObject)['suspend'] = false));
    expect(await causes(sample.update(job(), resources('3')))).to.deep.equal(['invalid spec.template']);
  });

  it('warns of labels that will be cut and templates that are not meant', async () => {
    await sample.create(object('apps/v1/Deployment', selecting({ template: template({ terminationGracePeriodSeconds: -1 }) })));
    expect(sample.warnings()).to.deep.equal([
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
  });
});
