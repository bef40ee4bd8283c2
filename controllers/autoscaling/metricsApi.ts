import { selectorText } from '../../api/selectors.js';
import { timeOf } from '../../api/time.js';
import type { CrossVersionObjectReference, MetricIdentifier } from '../../api/types/autoscaling/v2.js';
import { parseDuration } from '../../api/duration.js';
import type { Api } from '../client/api.js';
import { isNotFound, readFailure, unless } from '../client/errors.js';
import { MetricError, milli, type PodMetric, type PodMetrics } from './measurement.js';

/** Metrics APIs of extension servers: of pods, of objects in the cluster, and external metrics. */

interface PodMetricsDocument {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly timestamp?: string;
    readonly window?: string;
    readonly containers?: readonly { readonly name: string; readonly usage?: Readonly<Record<string, string>> }[];
  }[];
}
interface ValueDocument {
  readonly items?: readonly {
    readonly describedObject?: { readonly name?: string };
    readonly timestamp?: string;
    readonly windowSeconds?: number;
    readonly window?: number;
    readonly value?: string;
  }[];
}

const usualWindowMs = 60_000;
const customVersions = ['v1beta2', 'v1beta1'] as const;

const query = (words: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(Object.entries(words).filter(([, value]) => value !== '')).toString();
  return text === '' ? '' : `?${text}`;
};
const part = encodeURIComponent;

export class MetricsApi {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Returns each pod's use of a resource, by one container or all. Omits pods with an unmeasured container. */
  async ofResource(
    namespace: string,
    selector: string,
    { resource, container }: { readonly resource: string; readonly container: string | null },
  ): Promise<PodMetrics> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${part(namespace)}/pods${query({ labelSelector: selector })}`;
    const { items = [] } = await this.#read<PodMetricsDocument>('resource', 'pods.metrics.k8s.io', path);
    if (items.length === 0) throw new MetricError('no metrics returned from resource metrics API');
    return new Map(
      items.flatMap(({ metadata, timestamp, window, containers = [] }): (readonly [string, PodMetric])[] => {
        const counted = container === null ? containers : containers.filter(({ name }) => name === container);
        if (counted.length === 0 || counted.some(({ usage }) => usage?.[resource] === undefined)) return [];
        const value = counted.reduce((sum, { usage }) => sum + milli(usage?.[resource]), 0);
        const read = parseDuration(window ?? '');
        return [[metadata?.name ?? '', { value, at: timeOf(timestamp), windowMs: read.ok ? read.milliseconds : usualWindowMs }]];
      }),
    );
  }

  async ofPods(namespace: string, selector: string, metric: MetricIdentifier): Promise<PodMetrics> {
    const { items = [] } = await this.#custom(`namespaces/${part(namespace)}/pods/*/${part(metric.name)}`, {
      labelSelector: selector,
      metricLabelSelector: selectorOf(metric),
    });
    if (items.length === 0) throw new MetricError('no metrics returned from custom metrics API');
    return new Map(
      items.map(({ describedObject, timestamp, windowSeconds, window, value }) => [
        describedObject?.name ?? '',
        { value: milli(value), at: timeOf(timestamp), windowMs: (windowSeconds ?? window ?? usualWindowMs / 1000) * 1000 },
      ]),
    );
  }

  /** `resource` is the kind's plural with its group. */
  async ofObject(
    namespace: string,
    { kind, name }: CrossVersionObjectReference,
    resource: string,
    metric: MetricIdentifier,
  ): Promise<number> {
    const at =
      kind === 'Namespace'
        ? `namespaces/${part(name)}/metrics/${part(metric.name)}`
        : `namespaces/${part(namespace)}/${resource}/${part(name)}/${part(metric.name)}`;
    const { items = [] } = await this.#custom(at, { metricLabelSelector: selectorOf(metric) });
    if (items.length === 0) throw new MetricError('no metrics returned from custom metrics API');
    return milli(items[0]?.value);
  }

  /** Returns the sum of all series. */
  async ofOutside(namespace: string, metric: MetricIdentifier): Promise<number> {
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${part(namespace)}/${part(metric.name)}${query({ labelSelector: selectorOf(metric) })}`;
    const { items = [] } = await this.#read<ValueDocument>('external', `${metric.name}.external.metrics.k8s.io`, path);
    if (items.length === 0) throw new MetricError('no metrics returned from external metrics API');
    return items.reduce((sum, { value }) => sum + milli(value), 0);
  }

  async #custom(path: string, words: Readonly<Record<string, string>>): Promise<ValueDocument> {
    const [newer, older] = customVersions.map((version) => `/apis/custom.metrics.k8s.io/${version}/${path}${query(words)}`);
    const read = (at = ''): Promise<ValueDocument> => this.#read('custom', 'metrics.custom.metrics.k8s.io', at);
    const found = (await unless(isMissing, read(newer))) ?? (await unless(isUnserved, read(older)));
    if (!found) throw new MetricError(`${failed('custom')}no custom metrics API (custom.metrics.k8s.io) registered`);
    return found;
  }

  /** Rejects with a `MetricError` that names API and failure; its cause has the details. */
  async #read<A>(kind: MetricsKind, what: string, path: string): Promise<A> {
    try {
      return await this.#api.read<A>(path, { accept: 'application/json' });
    } catch (error) {
      throw new MetricError(`${failed(kind)}${readFailure(error, what)}`, { cause: error });
    }
  }
}

type MetricsKind = 'resource' | 'custom' | 'external';
const failed = (kind: MetricsKind): string => `unable to fetch metrics from ${kind} metrics API: `;
const isMissing = (error: unknown): boolean => error instanceof MetricError && isNotFound(error.cause);
/** A server without such a metric would send a Status. */
const isUnserved = (error: unknown): boolean => error instanceof MetricError && isNotFound(error.cause) && error.cause.reason === '';

const selectorOf = ({ selector }: MetricIdentifier): string => (selector ? selectorText(selector) : '');
