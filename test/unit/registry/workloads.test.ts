import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../server/api/object.js';
import { causes, createSample, type Sample } from './sample.js';

/** Kinds that make pods, and those that say how many there are and when they may go. */

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

  it('warns of labels that will be cut and templates that are not meant', async () => {
    await sample.create(object('apps/v1/Deployment', selecting({ template: template({ terminationGracePeriodSeconds: -1 }) })));
    expect(sample.warnings()).to.deep.equal([
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
  });
});
