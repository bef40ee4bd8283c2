import { parseMetrics, total, type Samples } from './metrics.js';

export interface ManagerReading {
  readonly name: string;
  /** The text format; null when it does not answer. */
  readonly metrics: string | null;
}
export interface ManagerView {
  readonly name: string;
  readonly state: 'works' | 'standsBy' | 'noAnswer';
  readonly controllers: number;
  readonly memoryBytes: number;
}
export interface QueueView {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
  readonly done: number;
  /** Mean time per key; null before the first. */
  readonly meanSeconds: number | null;
  /** Running time of the longest current work. */
  readonly longestSeconds: number;
  /** Last observed end of work in milliseconds since 1970, or null. */
  readonly lastAt: number | null;
}

const names: ReadonlySet<string> = new Set([
  'workqueue_depth',
  'workqueue_adds_total',
  'workqueue_retries_total',
  'workqueue_work_duration_seconds_sum',
  'workqueue_work_duration_seconds_count',
  'workqueue_longest_running_processor_seconds',
  'leader_election_master_status',
  'running_managed_controllers',
  'process_resident_memory_bytes',
]);

/** The active manager's queues, with the last observed time of work. */
export class QueueHistory {
  managers: readonly ManagerView[] = [];
  queues: readonly QueueView[] = [];
  loops: readonly string[] = [];

  read(readings: readonly ManagerReading[], at: number): void {
    const parsed = readings.map(({ name, metrics }) => ({ name, samples: metrics === null ? null : parseMetrics(metrics, names) }));
    this.managers = parsed.map(({ name, samples }) => ({
      name,
      state: samples === null ? 'noAnswer' : total(samples, 'leader_election_master_status') > 0 ? 'works' : 'standsBy',
      controllers: samples === null ? 0 : total(samples, 'running_managed_controllers', ({ name: each }) => each !== ''),
      memoryBytes: samples === null ? 0 : total(samples, 'process_resident_memory_bytes'),
    }));
    const atWork = parsed.find(({ samples }) => samples !== null && total(samples, 'leader_election_master_status') > 0)?.samples;
    if (!atWork) return;
    this.queues = this.#queuesIn(atWork, at);
    this.loops = (atWork.get('running_managed_controllers') ?? [])
      .flatMap(({ labels: { name = '' }, value }) => (value > 0 && name !== '' ? [name] : []))
      .sort();
  }

  #queuesIn(samples: Samples, at: number): readonly QueueView[] {
    const before = new Map(this.queues.map((queue) => [queue.name, queue]));
    return (samples.get('workqueue_depth') ?? [])
      .map(({ labels: { name = '' }, value }): QueueView => {
        const of = (metric: string): number => total(samples, metric, (labels) => labels['name'] === name);
        const done = of('workqueue_work_duration_seconds_count');
        const last = before.get(name);
        return {
          name,
          depth: value,
          adds: of('workqueue_adds_total'),
          retries: of('workqueue_retries_total'),
          done,
          meanSeconds: done === 0 ? null : of('workqueue_work_duration_seconds_sum') / done,
          longestSeconds: of('workqueue_longest_running_processor_seconds'),
          lastAt: last !== undefined && done !== last.done ? at : (last?.lastAt ?? null),
        };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
