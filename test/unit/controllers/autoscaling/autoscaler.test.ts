import { expect } from 'chai';
import fc from 'fast-check';
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers, type MetricSpec } from '../../../../api/types/autoscaling/v2.js';
import { pods } from '../../../../api/types/core/v1.js';
import type { KubeObject } from '../../../../api/meta/object.js';
import { autoscalingController } from '../../../../controllers/autoscaling/autoscaler.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal } from '../../../fixtures/memoryApi.js';

const scalePath = '/apis/apps/v1/namespaces/n/deployments/w/scale';
const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** A workload whose pods share a load, with a metrics server. */
class Workload {
  replicas: number;
  /** Milliprocessors for all pods together. */
  load = 0;
  readonly world: ControllerWorld;

  constructor(replicas: number, flags: readonly string[] = []) {
    this.replicas = replicas;
    this.world = controllerWorld({ flags });
    const { api } = this.world;
    api.answers.set('/apis/apps/v1', () => ({
      resources: [
        { name: 'deployments', kind: 'Deployment', namespaced: true },
        { name: 'deployments/scale', kind: 'Scale' },
      ],
    }));
    api.answers.set(scalePath, () => this.#scale());
    const update = api.update.bind(api);
    api.update = async <T extends KubeObject>(
      type: Parameters<typeof update<T>>[0],
      object: T,
      options?: { readonly subresource?: string },
    ): Promise<T> => {
      if (options?.subresource !== 'scale') return update<T>(type, object, options);
      this.resize((object as unknown as { spec: { replicas?: number } }).spec.replicas ?? 0);
      return object;
    };
    this.resize(replicas);
    this.measured();
  }

  resize(replicas: number): void {
    const { api } = this.world;
    this.replicas = replicas;
    for (const { metadata } of api.all(pods))
      if (Number(metadata.name?.slice(1)) >= replicas) api.evaporate(pods, `n/${metadata.name ?? ''}`);
    for (let index = 0; index < replicas; index++)
      if (!api.peek(pods, `n/p${index}`))
        api.seed(pods, {
          metadata: { name: `p${index}`, namespace: 'n', labels: { app: 'w' } },
          spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
          status: {
            phase: 'Running',
            startTime: '2025-01-01T00:00:00Z',
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:10Z' }],
          },
        });
  }

  measured(): void {
    this.world.api.answers.set('/apis/metrics.k8s.io/v1beta1/namespaces/n/pods?labelSelector=app%3Dw', () => ({
      items: Array.from({ length: this.replicas }, (_, index) => ({
        metadata: { name: `p${index}` },
        timestamp: '2026-01-01T00:00:00Z',
        window: '30s',
        containers: [{ name: 'c', usage: { cpu: `${Math.round(this.load / this.replicas)}m` } }],
      })),
    }));
  }

  async start(spec: Partial<HorizontalPodAutoscaler['spec']> = {}): Promise<void> {
    this.world.api.seed(horizontalPodAutoscalers, {
      metadata: { name: 'h', namespace: 'n' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [cpu(50)],
        ...spec,
      },
    });
    await this.world.start(autoscalingController);
  }

  conditions(): Readonly<Record<string, string>> {
    const { conditions = [] } = this.world.api.peek(horizontalPodAutoscalers, 'n/h')?.status ?? {};
    return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason ?? ''}`]));
  }

  #scale(): unknown {
    return {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'w', namespace: 'n' },
      spec: this.replicas === 0 ? {} : { replicas: this.replicas },
      status: { replicas: this.replicas, selector: 'app=w' },
    };
  }
}

describe('the horizontal pod autoscaler', () => {
  const all: Workload[] = [];
  const workload = (replicas: number, flags?: readonly string[]): Workload => {
    const made = new Workload(replicas, flags);
    all.push(made);
    return made;
  };
  afterEach(() => Promise.all(all.splice(0).map(({ world }) => world.stop())));

  it('scales up, tells, and stays', async () => {
    const w = workload(2);
    w.load = 200;
    await w.start();
    expect(w.replicas).to.equal(4);
    expect(w.world.events).to.deep.equal([
      'Normal SuccessfulRescale n/h: New size: 4; reason: cpu resource utilization (percentage of request) above target',
    ]);
    await w.world.advance(60_000);
    expect(w.replicas).to.equal(4);
    const { status } = w.world.api.peek(horizontalPodAutoscalers, 'n/h') ?? {};
    expect(status).to.deep.include({ currentReplicas: 4, desiredReplicas: 4, lastScaleTime: '2026-01-01T00:00:00Z' });
    expect(status?.currentMetrics).to.deep.equal([
      { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '50m', averageUtilization: 50 } } },
    ]);
    expect(w.conditions()).to.deep.equal({
      AbleToScale: 'True ReadyForNewScale',
      ScalingActive: 'True ValidMetricFound',
      ScalingLimited: 'False DesiredWithinRange',
    });
    expect(w.world.counts.get('horizontal_pod_autoscaler_controller_reconciliations_total {"action":"scale_up","error":"none"}')).to.equal(
      1,
    );
  });

  const unserved = (path: string, w: Workload): void => {
    w.world.api.answers.set(path, () => {
      throw refusal(404, '', '404 page not found');
    });
  };
  const failures: readonly {
    readonly metric: MetricSpec;
    readonly path: string;
    readonly reason: string;
    readonly reported: string;
    readonly all: string;
  }[] = [
    {
      metric: cpu(50),
      path: '/apis/metrics.k8s.io/v1beta1/namespaces/n/pods?labelSelector=app%3Dw',
      reason: 'FailedGetResourceMetric',
      reported:
        'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
      all: 'failed to get cpu resource metric value: ',
    },
    {
      metric: { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '10' } } },
      path: '/apis/custom.metrics.k8s.io/v1beta2/namespaces/n/pods/*/hits?labelSelector=app%3Dw',
      reason: 'FailedGetPodsMetric',
      reported:
        'unable to get metric hits: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
      all: 'failed to get pods metric value: ',
    },
    {
      metric: {
        type: 'External',
        external: { metric: { name: 'queue', selector: { matchLabels: { of: 'x' } } }, target: { type: 'Value', value: '5' } },
      },
      path: '/apis/external.metrics.k8s.io/v1beta1/namespaces/n/queue?labelSelector=of%3Dx',
      reason: 'FailedGetExternalMetric',
      reported:
        'unable to get external metric n/queue/&LabelSelector{MatchLabels:map[string]string{of: x,},MatchExpressions:[]LabelSelectorRequirement{},}: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
      all: 'failed to get queue external metric value: failed to get external metric queue: ',
    },
  ];
  for (const { metric, path, reason, reported, all: summary } of failures)
    it(`says why it cannot tell from a metric of type ${metric.type}`, async () => {
      const w = workload(2);
      unserved(path, w);
      unserved(path.replace('v1beta2', 'v1beta1'), w);
      await w.start({ metrics: [metric] });
      expect(w.world.events).to.deep.equal([
        `Warning ${reason} n/h: ${reported}`,
        `Warning FailedComputeMetricsReplicas n/h: invalid metrics (1 invalid out of 1), first error is: ${summary}${reported}`,
      ]);
      const { conditions = [] } = w.world.api.peek(horizontalPodAutoscalers, 'n/h')?.status ?? {};
      expect(conditions.find(({ type }) => type === 'ScalingActive')).to.deep.include({
        status: 'False',
        reason,
        message: `the HPA was unable to compute the replica count: ${reported}`,
      });
    });

  it('leaves pods alone that another autoscaler scales, until that one is gone', async () => {
    const w = workload(2);
    w.load = 200;
    const other = {
      metadata: { name: 'i', namespace: 'n' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' },
        minReplicas: 2,
        maxReplicas: 2,
        metrics: [cpu(50)],
      },
    };
    w.world.api.seed(horizontalPodAutoscalers, other);
    await w.start();
    await w.world.advance(15_000);
    expect(w.conditions()).to.include({ ScalingActive: 'False AmbiguousSelector' });
    expect(w.world.events).to.include(
      'Warning AmbiguousSelector n/h: pods by selector app=w are controlled by multiple HPAs: [{h n} {i n}]',
    );
    w.world.api.evaporate(horizontalPodAutoscalers, 'n/i');
    await w.world.advance(15_000);
    expect(w.conditions()).to.include({ ScalingActive: 'True ValidMetricFound' });
    expect(w.replicas).to.equal(4);
  });

  it('scales down when that has been wanted for a while', async () => {
    const w = workload(6, ['--horizontal-pod-autoscaler-downscale-stabilization=60s']);
    w.load = 96;
    await w.start();
    await w.world.advance(45_000);
    expect(w.replicas).to.equal(6);
    await w.world.advance(30_000);
    expect(w.replicas).to.equal(2);
    expect(w.world.events).to.deep.equal(['Normal SuccessfulRescale n/h: New size: 2; reason: All metrics below target']);
  });

  it('keeps its bounds without any metric', async () => {
    const w = workload(5);
    w.world.api.answers.clear();
    const scaled = new Workload(5);
    all.push(scaled);
    await scaled.start({ maxReplicas: 3 });
    expect(scaled.replicas).to.equal(3);
    expect(scaled.world.events[0]).to.equal(
      'Normal SuccessfulRescale n/h: New size: 3; reason: Current number of replicas above Spec.MaxReplicas',
    );
    await w.start();
    expect(w.conditions()).to.deep.equal({ AbleToScale: 'False FailedGetScale' });
    expect(w.world.events[0]).to.contain('Warning FailedGetScale n/h: no matches for kind "Deployment"');
  });

  it('leaves a workload of no pods alone', async () => {
    const w = workload(0);
    await w.start();
    expect(w.conditions()).to.deep.equal({ AbleToScale: 'True SucceededGetScale', ScalingActive: 'False ScalingDisabled' });
    expect(w.replicas).to.equal(0);
  });

  it('says which metric fails, and changes nothing', async () => {
    const w = workload(2);
    w.world.api.answers.delete('/apis/metrics.k8s.io/v1beta1/namespaces/n/pods?labelSelector=app%3Dw');
    await w.start();
    expect(w.replicas).to.equal(2);
    expect(w.conditions()).to.deep.equal({ AbleToScale: 'True SucceededGetScale', ScalingActive: 'False FailedGetResourceMetric' });
    expect(w.world.events.map((event) => event.split(' ', 2).join(' '))).to.deep.equal([
      'Warning FailedGetResourceMetric',
      'Warning FailedComputeMetricsReplicas',
    ]);
    expect(w.world.api.peek(horizontalPodAutoscalers, 'n/h')?.status?.currentMetrics).to.deep.equal([{ type: '' }]);
  });

  it('goes up by what it knows, but not down, while a metric fails', async () => {
    const broken: MetricSpec = { type: 'External', external: { metric: { name: 'gone' }, target: { type: 'Value', value: '1' } } };
    const up = workload(2);
    up.load = 200;
    await up.start({ metrics: [broken, cpu(50)] });
    expect(up.replicas).to.equal(4);
    const down = workload(4, ['--horizontal-pod-autoscaler-downscale-stabilization=0s']);
    down.load = 10;
    await down.start({ metrics: [broken, cpu(50)] });
    await down.world.advance(60_000);
    expect(down.replicas).to.equal(4);
    expect(down.conditions()['ScalingActive']).to.equal('False FailedGetExternalMetric');
  });

  it('asks each kind of server', async () => {
    const cases: readonly (readonly [string, MetricSpec, string, unknown, number])[] = [
      [
        'a container',
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: 'c', target: { type: 'AverageValue', averageValue: '25m' } },
        },
        '/apis/metrics.k8s.io/v1beta1/namespaces/n/pods?labelSelector=app%3Dw',
        {
          items: [0, 1].map((index) => ({
            metadata: { name: `p${index}` },
            containers: [
              { name: 'c', usage: { cpu: '50m' } },
              { name: 'd', usage: { cpu: '9' } },
            ],
          })),
        },
        4,
      ],
      [
        'pods',
        {
          type: 'Pods',
          pods: { metric: { name: 'm', selector: { matchLabels: { a: 'b' } } }, target: { type: 'AverageValue', averageValue: '10' } },
        },
        '/apis/custom.metrics.k8s.io/v1beta2/namespaces/n/pods/*/m?labelSelector=app%3Dw&metricLabelSelector=a%3Db',
        { items: [0, 1].map((index) => ({ describedObject: { name: `p${index}` }, value: '15' })) },
        3,
      ],
      [
        'an object, of a server with the older version',
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' },
            metric: { name: 'm' },
            target: { type: 'Value', value: '100' },
          },
        },
        '/apis/custom.metrics.k8s.io/v1beta1/namespaces/n/deployments.apps/w/m',
        { items: [{ value: '200' }] },
        4,
      ],
      [
        'a namespace',
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'v1', kind: 'Namespace', name: 'n' },
            metric: { name: 'm' },
            target: { type: 'AverageValue', averageValue: '50' },
          },
        },
        '/apis/custom.metrics.k8s.io/v1beta2/namespaces/n/metrics/m',
        { items: [{ value: '200' }] },
        4,
      ],
      [
        'something outside',
        {
          type: 'External',
          external: { metric: { name: 'q', selector: { matchLabels: { a: 'b' } } }, target: { type: 'AverageValue', averageValue: '30' } },
        },
        '/apis/external.metrics.k8s.io/v1beta1/namespaces/n/q?labelSelector=a%3Db',
        { items: [{ value: '40' }, { value: '50' }] },
        3,
      ],
    ];
    for (const [what, metric, path, answer, replicas] of cases) {
      const w = workload(2);
      w.world.api.answers.set('/api/v1', () => ({ resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false }] }));
      w.world.api.answers.set(path, () => answer);
      await w.start({ metrics: [metric] });
      expect(w.world.errors, what).to.deep.equal([]);
      expect(w.replicas, what).to.equal(replicas);
    }
  });

  it('tells when the size cannot be changed', async () => {
    const w = workload(2);
    w.load = 200;
    w.world.api.update = () => Promise.reject(refusal(403, 'Forbidden', 'no'));
    await w.start();
    expect(w.replicas).to.equal(2);
    expect(w.world.events[0]).to.equal(
      'Warning FailedRescale n/h: New size: 4; reason: cpu resource utilization (percentage of request) above target; error: no',
    );
  });

  it('comes to rest at the right size, whatever the load was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 }),
        async (size, loads) => {
          const w = new Workload(size, ['--horizontal-pod-autoscaler-downscale-stabilization=30s']);
          await w.start();
          for (const load of loads) {
            w.load = load;
            await w.world.advance(20_000);
            expect(w.replicas).to.be.within(1, 10);
          }
          await w.world.advance(180_000);
          const rest = w.replicas;
          await w.world.advance(60_000);
          expect(w.replicas, 'it rests').to.equal(rest);
          // The load is in whole milliprocessors, and usage in whole percents.
          const ratio = Math.round(w.load / rest) / 50;
          const wanted = ratio >= 0.9 && ratio <= 1.1 ? rest : Math.ceil(ratio * rest);
          expect(Math.min(10, Math.max(1, wanted)), `${w.load} on ${rest}`).to.equal(rest);
          await w.world.stop();
        },
      ),
      { numRuns: 40 },
    );
  });
});
