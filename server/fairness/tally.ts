import { Counter, Gauge, type Registry } from 'prom-client';
import { DurationHistogram, type DurationSeries } from '../observability/durations.js';
import type { Fairness } from './fairness.js';
import type { Schema } from './objects.js';

const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const executionBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const seatBuckets = [1, 2, 4, 10];
const reasons = ['queue-full', 'concurrency-limit', 'time-out', 'cancelled'] as const;
type Reason = (typeof reasons)[number];

/** What has become of the requests of one schema. */
class SchemaTally {
  waiting = 0;
  waitingSeats = 0;
  underWay = 0;
  seats = 0;
  dispatched = 0;
  readonly refusals: Record<Reason, number> = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0, cancelled: 0 };

  constructor(
    private readonly series: {
      readonly waited: DurationSeries;
      readonly left: DurationSeries;
      readonly took: DurationSeries;
      readonly seats: DurationSeries;
    } | null,
  ) {}

  waits(seats: number): void {
    this.waiting++;
    this.waitingSeats += seats;
  }
  leaves(seats: number, unservedAfter: number | null): void {
    this.waiting--;
    this.waitingSeats -= seats;
    if (unservedAfter !== null) this.series?.left.observe(unservedAfter);
  }
  begins(seats: number, waited: number): void {
    this.underWay++;
    this.seats += seats;
    this.dispatched++;
    this.series?.waited.observe(waited);
    this.series?.seats.observe(seats);
  }
  ends(seats: number, took: number): void {
    this.underWay--;
    this.seats -= seats;
    this.series?.took.observe(took);
  }
  rejected(reason: Reason): void {
    this.refusals[reason]++;
  }
}

const labels = ['flow_schema', 'priority_level'] as const;

/** Counts, under the names that the reference has for them. */
export class Tally {
  readonly #tallies = new WeakMap<Schema, SchemaTally>();
  readonly #byName = new Map<string, { readonly labels: Record<(typeof labels)[number], string>; readonly tally: SchemaTally }>();
  #histograms: Record<'wait' | 'execution' | 'seats', DurationHistogram> | null = null;

  of(schema: Schema): SchemaTally {
    const known = this.#tallies.get(schema);
    if (known !== undefined) return known;
    const key = `${schema.name}\0${schema.level}`;
    const named = { flow_schema: schema.name, priority_level: schema.level };
    const histograms = this.#histograms;
    const made =
      this.#byName.get(key)?.tally ??
      new SchemaTally(
        histograms === null
          ? null
          : {
              waited: histograms.wait.of({ ...named, execute: 'true' }),
              left: histograms.wait.of({ ...named, execute: 'false' }),
              took: histograms.execution.of({ ...named, type: 'regular' }),
              seats: histograms.seats.of(named),
            },
      );
    this.#byName.set(key, { labels: named, tally: made });
    this.#tallies.set(schema, made);
    return made;
  }

  /** To be called before anything is counted. */
  expose(registry: Registry, fairness: () => Fairness | null): void {
    const prefix = 'apiserver_flowcontrol';
    this.#histograms = {
      wait: new DurationHistogram({
        name: `${prefix}_request_wait_duration_seconds`,
        help: 'Time that requests have waited in queues, whether or not they were worked on then.',
        labelNames: [...labels, 'execute'],
        buckets: waitBuckets,
        registers: [registry],
      }),
      execution: new DurationHistogram({
        name: `${prefix}_request_execution_seconds`,
        help: 'Time that requests were worked on.',
        labelNames: [...labels, 'type'],
        buckets: executionBuckets,
        registers: [registry],
      }),
      seats: new DurationHistogram({
        name: `${prefix}_work_estimated_seats`,
        help: 'Seats that requests were taken to need.',
        labelNames: [...labels],
        buckets: seatBuckets,
        registers: [registry],
      }),
    };
    const perSchema = (name: string, help: string, value: (tally: SchemaTally) => number): void => {
      const { all } = this;
      new Gauge({
        name: `${prefix}_${name}`,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect() {
          this.reset();
          for (const each of all()) this.set(each.labels, value(each.tally));
        },
      });
    };
    perSchema('current_inqueue_requests', 'Requests that wait.', ({ waiting }) => waiting);
    perSchema('current_inqueue_seats', 'Seats that requests wait for.', ({ waitingSeats }) => waitingSeats);
    perSchema('current_executing_requests', 'Requests that are worked on.', ({ underWay }) => underWay);
    perSchema('current_executing_seats', 'Seats of the requests that are worked on.', ({ seats }) => seats);
    const { all } = this;
    new Counter({
      name: `${prefix}_dispatched_requests_total`,
      help: 'Requests whose turn it has been.',
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const each of all()) this.inc(each.labels, each.tally.dispatched);
      },
    });
    new Counter({
      name: `${prefix}_rejected_requests_total`,
      help: 'Requests that were refused, and why.',
      labelNames: [...labels, 'reason'],
      registers: [registry],
      collect() {
        this.reset();
        for (const each of all())
          for (const reason of reasons)
            if (each.tally.refusals[reason] > 0) this.inc({ ...each.labels, reason }, each.tally.refusals[reason]);
      },
    });
    for (const [name, help, value] of perLevel)
      new Gauge({
        name: `${prefix}_${name}`,
        help,
        labelNames: ['priority_level'],
        registers: [registry],
        collect() {
          this.reset();
          for (const each of fairness()?.levels ?? []) this.set({ priority_level: each.settings.name }, value(each));
        },
      });
    new Gauge({
      name: `${prefix}_seat_fair_frac`,
      help: 'The part of what it asks for that each level has, when seats were lent last.',
      registers: [registry],
      collect() {
        this.set(fairness()?.fraction ?? 1);
      },
    });
  }

  private readonly all = (): Iterable<{ readonly labels: Record<(typeof labels)[number], string>; readonly tally: SchemaTally }> =>
    this.#byName.values();
}

type LevelView = Fairness['levels'] extends Iterable<infer V> ? V : never;

const perLevel: readonly (readonly [name: string, help: string, value: (level: LevelView) => number])[] = [
  ['nominal_limit_seats', 'Seats that a level has before any are lent.', ({ bounds }) => bounds.nominal],
  ['lower_limit_seats', 'Seats that a level keeps at least.', ({ bounds }) => bounds.lower],
  ['upper_limit_seats', 'Seats that a level has at most.', ({ bounds }) => bounds.upper],
  [
    'current_limit_seats',
    'Seats that a level has now.',
    ({ level, bounds }) => (Number.isFinite(level.seats) ? level.seats : bounds.nominal),
  ],
  ['demand_seats_average', 'Seats that were asked for on average, in the last period.', ({ demand }) => demand.average],
  ['demand_seats_high_watermark', 'Seats that were asked for at most, in the last period.', ({ demand }) => demand.highWatermark],
  ['demand_seats_stdev', 'How much what was asked for varied, in the last period.', ({ demand }) => demand.deviation],
  ['demand_seats_smoothed', 'Seats that are taken to be needed, by all that was asked for.', ({ demand }) => demand.smoothed],
  [
    'target_seats',
    'Seats that a level is to have, before they are made to fit.',
    ({ demand, bounds }) => Math.max(bounds.lower, demand.smoothed),
  ],
  ['current_r', 'The time of the imagined world in which all queues are served at once.', ({ level }) => level.r],
];
