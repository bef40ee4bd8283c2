import { keyTextOf, nameOf, namespaceOf } from '../../api/meta/object.js';
import type { Resource } from '../../api/meta/resource.js';
import { timeText } from '../../api/time.js';
import type { Scale } from '../../api/types/autoscaling/v1.js';
import {
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
  type MetricSpec,
  type MetricStatus,
} from '../../api/types/autoscaling/v2.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { sameMeaning } from '../../api/json/equality.js';
import { stated, type Statement } from './conditions.js';
import { MetricsApi } from './metricsApi.js';
import { firstSeen, granted, noHistory, withChange, type History } from './pace.js';
import { failureReason, failureSummary, proposalOf, selectorTerms, tolerancesOf, type Proposal } from './proposal.js';
import { ScaleTargets } from './scaleTargets.js';

interface Outcome {
  readonly statements: readonly Statement[];
  readonly status: Partial<NonNullable<HorizontalPodAutoscaler['status']>>;
  readonly action: 'scale_up' | 'scale_down' | 'none';
  readonly error: 'none' | 'spec' | 'internal';
}

interface Total {
  readonly best: Proposal | null;
  readonly statuses: readonly MetricStatus[];
  readonly failure: { readonly reason: string; readonly message: string; readonly summary: string } | null;
}

/** Why a selector cannot be used; `message` defaults to `summary`. */
interface SelectorFailure {
  readonly event: string;
  readonly reason: string;
  readonly summary: string;
  readonly message?: string;
}

type Question = Parameters<typeof proposalOf>[1];

interface Selection {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly terms: NonNullable<ReturnType<typeof selectorTerms>>;
}

class Autoscaler {
  readonly #environment: ManagerEnvironment;
  readonly #histories = new Map<string, History>();
  readonly #selections = new Map<string, Selection>();
  readonly #metrics: MetricsApi;
  readonly #targets: ScaleTargets;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.#metrics = new MetricsApi(environment.api);
    this.#targets = new ScaleTargets(environment.api, environment.clock);
  }

  forget(key: string): void {
    this.#histories.delete(key);
    this.#selections.delete(key);
    this.#environment.measures.set('horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers', {}, this.#histories.size);
  }

  async look(autoscaler: HorizontalPodAutoscaler): Promise<void> {
    const { clock, measures, log } = this.#environment;
    const startedAt = clock.elapsed();
    const key = keyTextOf(autoscaler);
    let outcome: Outcome;
    try {
      outcome = await this.#judge(autoscaler, key);
    } catch (error) {
      outcome = { statements: [], status: {}, action: 'none', error: 'internal' };
      log('error', `horizontalpodautoscaler: ${key}: ${messageOf(error)}`);
    }
    const labels = { action: outcome.action, error: outcome.error };
    measures.count('horizontal_pod_autoscaler_controller_reconciliations_total', labels);
    measures.observe('horizontal_pod_autoscaler_controller_reconciliation_duration_seconds', labels, (clock.elapsed() - startedAt) / 1000);
    await this.#write(autoscaler, outcome);
  }

  async #judge(autoscaler: HorizontalPodAutoscaler, key: string): Promise<Outcome> {
    const { events, clock } = this.#environment;
    const { scaleTargetRef, minReplicas: min = 1, maxReplicas: max } = autoscaler.spec;
    const namespace = namespaceOf(autoscaler);
    let type: Resource;
    let scale: Scale;
    try {
      type = await this.#targets.typeOf(scaleTargetRef);
      scale = await this.#targets.scaleOf(type, namespace, scaleTargetRef.name);
    } catch (error) {
      events.warning(autoscaler, 'FailedGetScale', messageOf(error));
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
      return { ...nothing, statements: [{ type: 'AbleToScale', status: false, reason: 'FailedGetScale', message }], error: 'internal' };
    }
    const current = scale.spec?.replicas ?? 0;
    const found: Statement = {
      type: 'AbleToScale',
      status: true,
      reason: 'SucceededGetScale',
      message: "the HPA controller was able to get the target's current scale",
    };
    this.#histories.set(key, firstSeen(this.#histories.get(key) ?? noHistory, current, clock.elapsed()));
    this.#environment.measures.set('horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers', {}, this.#histories.size);
    const resize = (
      replicas: number,
      reason: string,
      statements: readonly Statement[],
      statuses: readonly MetricStatus[],
    ): Promise<Outcome> => this.#resize({ autoscaler, key, type, scale, replicas, reason, statements: [found, ...statements], statuses });
    if (current === 0 && min !== 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      const disabled: Statement = { type: 'ScalingActive', status: false, reason: 'ScalingDisabled', message };
      return { ...nothing, statements: [found, disabled], status: { currentReplicas: 0, desiredReplicas: 0, currentMetrics: null } };
    }
    if (current > max) return resize(max, 'Current number of replicas above Spec.MaxReplicas', [], []);
    if (current < min) return resize(min, 'Current number of replicas below Spec.MinReplicas', [], []);
    const total = await this.#proposals(autoscaler, scale);
    const kept = { currentReplicas: current, currentMetrics: total.statuses };
    if (total.failure && (!total.best || total.best.replicas < current)) {
      const { reason, message, summary } = total.failure;
      const inactive: Statement = { type: 'ScalingActive', status: false, reason, message };
      events.warning(autoscaler, 'FailedComputeMetricsReplicas', summary);
      return { statements: [found, inactive], status: kept, action: 'none', error: 'internal' };
    }
    const wanted = total.best?.replicas ?? current;
    const active: Statement = {
      type: 'ScalingActive',
      status: true,
      reason: 'ValidMetricFound',
      message: `the HPA was able to successfully calculate a replica count from ${total.best?.name ?? 'no metric'}`,
    };
    const grant = granted(
      {
        current,
        wanted,
        min,
        max,
        behavior: autoscaler.spec.behavior,
        downWindowMs: this.#environment.options['horizontal-pod-autoscaler-downscale-stabilization'],
        now: clock.elapsed(),
      },
      this.#histories.get(key) ?? noHistory,
    );
    this.#histories.set(key, grant.history);
    const statements: readonly Statement[] = [
      active,
      { type: 'AbleToScale', status: true, ...grant.ability },
      { type: 'ScalingLimited', ...grant.limited },
    ];
    const reason = wanted > current ? `${total.best?.name ?? ''} above target` : 'All metrics below target';
    if (grant.replicas !== current) return resize(grant.replicas, reason, statements, total.statuses);
    return { ...nothing, statements: [found, ...statements], status: { ...kept, desiredReplicas: current } };
  }

  async #resize(change: {
    readonly autoscaler: HorizontalPodAutoscaler;
    readonly key: string;
    readonly type: Resource;
    readonly scale: Scale;
    readonly replicas: number;
    readonly reason: string;
    readonly statements: readonly Statement[];
    readonly statuses: readonly MetricStatus[];
  }): Promise<Outcome> {
    const { autoscaler, key, type, scale, replicas, reason, statements, statuses } = change;
    const { events, clock } = this.#environment;
    const current = scale.spec?.replicas ?? 0;
    const kept = { currentReplicas: current, currentMetrics: statuses.length > 0 ? statuses : null };
    try {
      await this.#targets.resize(type, scale, replicas);
    } catch (error) {
      events.warning(autoscaler, 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${messageOf(error)}`);
      const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
      const failed: Statement = { type: 'AbleToScale', status: false, reason: 'FailedUpdateScale', message };
      return { statements: [...statements, failed], status: kept, action: 'none', error: 'internal' };
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    const done: Statement = { type: 'AbleToScale', status: true, reason: 'SucceededRescale', message };
    events.normal(autoscaler, 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    const now = clock.elapsed();
    this.#histories.set(key, withChange(this.#histories.get(key) ?? noHistory, replicas - current, autoscaler.spec.behavior, now));
    return {
      statements: [...statements, done],
      status: { ...kept, desiredReplicas: replicas, lastScaleTime: timeText(clock.now()) },
      action: replicas > current ? 'scale_up' : 'scale_down',
      error: 'none',
    };
  }

  async #proposals(autoscaler: HorizontalPodAutoscaler, scale: Scale): Promise<Total> {
    const chosen = this.#selected(autoscaler, scale.status?.selector ?? '');
    if ('event' in chosen) {
      const { event, reason, summary, message = summary } = chosen;
      this.#environment.events.warning(autoscaler, event, summary);
      return { best: null, statuses: [], failure: { reason, message, summary } };
    }
    return this.#proposed(autoscaler.spec.metrics ?? [], this.#question(autoscaler, scale, chosen.pods));
  }

  #selected(autoscaler: HorizontalPodAutoscaler, selector: string): { readonly pods: readonly Pod[] } | SelectorFailure {
    const reason = 'InvalidSelector';
    if (selector === '') {
      const message = "the HPA target's scale is missing a selector";
      return { event: 'SelectorRequired', reason, summary: 'selector is required', message };
    }
    const terms = selectorTerms(selector);
    if (!terms) {
      const summary = `couldn't convert selector into a corresponding internal selector object: ${selector}`;
      return { event: reason, reason, summary };
    }
    const matching = this.#environment.informers
      .of(pods)
      .cache.inNamespace(namespaceOf(autoscaler))
      .filter(({ metadata }) => terms(metadata.labels));
    this.#selections.set(keyTextOf(autoscaler), { autoscaler, terms });
    const rivals = this.#selecting(namespaceOf(autoscaler), matching);
    if (rivals.length <= 1) return { pods: matching };
    const summary = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`;
    return { event: 'AmbiguousSelector', reason: 'AmbiguousSelector', summary };
  }

  #question(autoscaler: HorizontalPodAutoscaler, scale: Scale, matching: readonly Pod[]): Question {
    const { clock, options, isOn } = this.#environment;
    return {
      autoscaler,
      selector: scale.status?.selector ?? '',
      pods: matching,
      current: scale.spec?.replicas ?? 0,
      statusReplicas: scale.status?.replicas ?? 0,
      periods: {
        cpuInitializationMs: options['horizontal-pod-autoscaler-cpu-initialization-period'],
        readinessDelayMs: options['horizontal-pod-autoscaler-initial-readiness-delay'],
      },
      tolerances: tolerancesOf(autoscaler, options['horizontal-pod-autoscaler-tolerance'], isOn('HPAConfigurableTolerance')),
      now: clock.now(),
    };
  }

  /** Takes the largest proposal of all metrics. Scales down only if every metric is known. */
  async #proposed(specs: readonly MetricSpec[], question: Question): Promise<Total> {
    let best: Proposal | null = null;
    let first: Total['failure'] = null;
    const statuses: MetricStatus[] = [];
    let invalid = 0;
    for (const spec of specs) {
      const startedAt = this.#environment.clock.elapsed();
      let error: 'none' | 'internal' = 'none';
      try {
        const proposal = await proposalOf(spec, question, this.#metrics, this.#targets);
        statuses.push(proposal.status);
        if (!best || proposal.replicas > best.replicas) best = proposal;
      } catch (problem) {
        error = 'internal';
        invalid++;
        statuses.push({ type: '' });
        const failure = this.#failed(spec, question.autoscaler, messageOf(problem));
        first ??= failure;
      }
      const action = best && best.replicas > question.current ? 'scale_up' : 'none';
      this.#measure({ action, error, metric_type: spec.type }, startedAt);
    }
    const isEnough = invalid < specs.length && best && best.replicas >= question.current;
    if (!first || isEnough) return { best, statuses, failure: null };
    const summary = `invalid metrics (${invalid} invalid out of ${specs.length}), first error is: ${first.summary}`;
    return { best, statuses, failure: { ...first, summary } };
  }

  #failed(spec: MetricSpec, autoscaler: HorizontalPodAutoscaler, message: string): NonNullable<Total['failure']> {
    const reason = failureReason(spec.type);
    this.#environment.events.warning(autoscaler, reason, message);
    return { reason, message: `the HPA was unable to compute the replica count: ${message}`, summary: failureSummary(spec, message) };
  }

  #measure(labels: Readonly<Record<'action' | 'error' | 'metric_type', string>>, startedAt: number): void {
    const { clock, measures } = this.#environment;
    measures.count('horizontal_pod_autoscaler_controller_metric_computation_total', labels);
    const seconds = (clock.elapsed() - startedAt) / 1000;
    measures.observe('horizontal_pod_autoscaler_controller_metric_computation_duration_seconds', labels, seconds);
  }

  /** Returns the autoscalers that select any of these pods, in the reference's form. Two would undo each other's changes. */
  #selecting(namespace: string, matching: readonly Pod[]): readonly string[] {
    return [...this.#selections.values()]
      .filter(({ autoscaler, terms }) => namespaceOf(autoscaler) === namespace && matching.some(({ metadata }) => terms(metadata.labels)))
      .map(({ autoscaler }) => `{${autoscaler.metadata.name ?? ''} ${namespace}}`)
      .sort();
  }

  async #write(autoscaler: HorizontalPodAutoscaler, { statements, status }: Outcome): Promise<void> {
    const { api, clock, events, log } = this.#environment;
    const before = autoscaler.status ?? { desiredReplicas: 0 };
    const after = { ...before, ...status, conditions: stated(before.conditions ?? [], statements, clock.now()) };
    if (sameMeaning(before, after)) return;
    try {
      await unless(isNotFound, api.update(horizontalPodAutoscalers, { ...autoscaler, status: after }, { subresource: 'status' }));
    } catch (error) {
      if (isConflict(error)) return;
      events.warning(autoscaler, 'FailedUpdateStatus', messageOf(error));
      log('error', `horizontalpodautoscaler: ${nameOf(autoscaler)}: ${messageOf(error)}`);
    }
  }
}

const nothing: Outcome = { statements: [], status: {}, action: 'none', error: 'none' };

export function autoscalingController(environment: ManagerEnvironment): Controller {
  const { informers, options } = environment;
  const { cache } = informers.of(horizontalPodAutoscalers);
  const autoscaler = new Autoscaler(environment);
  const sync = async (key: string): Promise<void | { againAfterMs: number }> => {
    const found = cache.get(key);
    if (!found) return;
    await autoscaler.look(found);
    return { againAfterMs: options['horizontal-pod-autoscaler-sync-period'] };
  };
  const controller: QueueController = new QueueController(environment, {
    name: 'horizontalpodautoscaler',
    workers: options['concurrent-horizontal-pod-autoscaler-syncs'],
    sync,
  });
  controller.needs(pods);
  controller.needs(horizontalPodAutoscalers).addHandlers({
    added: (each) => controller.queue.add(keyTextOf(each)),
    // Ignores changes of the status, which each sync makes.
    changed: (before, after) => {
      if (!sameMeaning(before.spec, after.spec)) controller.queue.add(keyTextOf(after));
    },
    removed: (each) => autoscaler.forget(keyTextOf(each)),
  });
  return controller;
}
