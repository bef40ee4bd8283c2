import { Counter, Gauge, Histogram } from 'prom-client';
import { collectProcessMetrics } from '../../program/metrics/loopLag.js';
import { versionInfo } from '../../program/version.js';
import type { CertificateFile } from '../../program/knownCertificates.js';
import type { Features } from '../../program/features/chosen.js';
import { ChosenMetrics, type MetricChoice } from '../../program/metrics/chosenMetrics.js';
import { exposeCertificateEnds } from '../../program/metrics/certificateEnds.js';
import { exposeProgram } from '../../program/metrics/processMetrics.js';
import { measures, type MeasureName, type Measures } from '../measures.js';
import type { QueueMetrics } from '../client/workQueue.js';

export class Metrics {
  readonly #registry: ChosenMetrics;
  readonly #queue;
  readonly #requests;
  readonly #leader;
  readonly #running;
  /** Queue -> functions that return its current work; queues may share a name. */
  readonly #underWay = new Map<string, (() => readonly number[])[]>();
  readonly #measures = new Map<MeasureName, Counter | Gauge | Histogram>();

  /** `choice`: the options about metrics. `features` are shown if given. */
  constructor(choice: MetricChoice = {}, features?: Features) {
    this.#registry = new ChosenMetrics(choice);
    const registers = [this.#registry];
    const seconds = [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];
    const labelNames = ['name'] as const;
    collectProcessMetrics(this.#registry);
    this.#queue = {
      adds: new Counter({ name: 'workqueue_adds_total', help: 'Keys added to a queue.', labelNames, registers }),
      depth: new Gauge({ name: 'workqueue_depth', help: 'Keys that wait in a queue.', labelNames, registers }),
      retries: new Counter({ name: 'workqueue_retries_total', help: 'Keys put back after a failure.', labelNames, registers }),
      waited: new Histogram({
        name: 'workqueue_queue_duration_seconds',
        help: 'From the addition of a key to the start of work on it.',
        labelNames,
        registers,
        buckets: seconds,
      }),
      worked: new Histogram({ name: 'workqueue_work_duration_seconds', help: 'Work on one key.', labelNames, registers, buckets: seconds }),
    };
    const underWay = this.#underWay;
    new Gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds of work on keys that is not done yet; what grows here for long is stuck.',
      labelNames,
      registers,
      collect() {
        for (const [name, readings] of underWay)
          this.set(
            { name },
            readings.flatMap((read) => read()).reduce((sum, each) => sum + each, 0),
          );
      },
    });
    new Gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Seconds of the longest work on a key that is not done yet.',
      labelNames,
      registers,
      collect() {
        for (const [name, readings] of underWay) this.set({ name }, Math.max(0, ...readings.flatMap((read) => read())));
      },
    });
    this.#requests = {
      count: new Counter({
        name: 'rest_client_requests_total',
        help: 'Requests to the API server.',
        labelNames: ['code', 'host', 'method'] as const,
        registers,
      }),
      seconds: new Histogram({
        name: 'rest_client_request_duration_seconds',
        help: 'Time to the head of the answer.',
        labelNames: ['host', 'verb'] as const,
        registers,
        buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      }),
    };
    this.#leader = new Gauge({ name: 'leader_election_master_status', help: '1 while this program leads.', labelNames, registers });
    this.#running = new Gauge({
      name: 'running_managed_controllers',
      help: '1 for each controller that runs.',
      labelNames: ['name', 'manager'] as const,
      registers,
    });
    for (const [name, { kind, help, labels: labelNames, ...more }] of Object.entries(measures)) {
      const facts = { name, help, labelNames: [...labelNames], registers };
      this.#measures.set(
        name as MeasureName,
        kind === 'counter'
          ? new Counter(facts)
          : kind === 'gauge'
            ? new Gauge(facts)
            : new Histogram({ ...facts, ...('buckets' in more ? { buckets: [...more.buckets] } : {}) }),
      );
    }
    if (features) exposeProgram(this.#registry, { features, version: versionInfo() });
  }

  readonly queue = (name: string): QueueMetrics => {
    const { adds, depth, retries, waited, worked } = this.#queue;
    adds.inc({ name }, 0);
    depth.inc({ name }, 0);
    retries.inc({ name }, 0);
    return {
      added: () => adds.inc({ name }),
      depth: (keys) => depth.set({ name }, keys),
      retried: () => retries.inc({ name }),
      waited: (value) => waited.observe({ name }, value),
      worked: (value) => worked.observe({ name }, value),
      inspect: (read) => this.#underWay.set(name, [...(this.#underWay.get(name) ?? []), read]),
    };
  };

  readonly measures: Measures = {
    count: (name, labels, by = 1) => (this.#measures.get(name) as Counter).inc(labels, by),
    set: (name, labels, value) => (this.#measures.get(name) as Gauge).set(labels, value),
    reset: (name) => (this.#measures.get(name) as Gauge).reset(),
    observe: (name, labels, seconds) => (this.#measures.get(name) as Histogram).observe(labels, seconds),
  };

  /** `host`: the queried server, as in its URL. */
  readonly request = ({
    host,
    verb,
    code,
    seconds,
  }: {
    readonly host: string;
    readonly verb: string;
    readonly code: number;
    readonly seconds: number;
  }): void => {
    this.#requests.count.inc({ code: String(code), host, method: verb });
    this.#requests.seconds.observe({ host, verb }, seconds);
  };

  showCertificates(files: readonly CertificateFile[]): void {
    exposeCertificateEnds(this.#registry, files);
  }
  leading(name: string, leads: boolean): void {
    this.#leader.set({ name }, leads ? 1 : 0);
  }
  running(name: string, runs: boolean): void {
    this.#running.set({ name, manager: 'kube-controller-manager' }, runs ? 1 : 0);
  }
  text(): Promise<string> {
    return this.#registry.metrics();
  }
  get contentType(): string {
    return this.#registry.contentType;
  }
}
