import { Counter, Gauge, type Registry } from 'prom-client';
import { DurationHistogram, type DurationSeries } from '../../program/metrics/durations.js';
import type { Demand } from './lending.js';
import { nextBegins, type Level } from './level.js';
import type { LevelSettings, Schema } from './objects.js';
import { LevelUtilization, TimedRatio, type KindUtilization } from './utilization.js';

const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const executionBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const seatBuckets = [1, 2, 4, 10];
const lengthBuckets = [0, 10, 25, 50, 100, 250, 500, 1000];
const watchBuckets = [0, 1, 10, 100, 1000, 10_000];
/** Demand as a fraction of nominal seats. */
const demandBuckets = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const seatUseBuckets = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const requestUseBuckets = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const kindUseBuckets = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const reasons = ['queue-full', 'concurrency-limit', 'time-out', 'cancelled'] as const;
type Reason = (typeof reasons)[number];

interface SchemaSeries {
  readonly waited: DurationSeries;
  readonly left: DurationSeries;
  readonly took: DurationSeries;
  readonly seats: DurationSeries;
  readonly lengths: DurationSeries;
  readonly watchers: DurationSeries;
}

class SchemaTally {
  readonly #series: SchemaSeries | null;
  waiting = 0;
  waitingSeats = 0;
  underWay = 0;
  seats = 0;
  dispatched = 0;
  readonly refusals: Record<Reason, number> = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0, cancelled: 0 };

  constructor(series: SchemaSeries | null) {
    this.#series = series;
  }

  /** A request has joined a queue of now this length. */
  enqueued(length: number): void {
    this.#series?.lengths.observe(length);
  }
  /** A request changes a resource with so many watches. */
  watched(watchers: number): void {
    this.#series?.watchers.observe(watchers);
  }
  waits(seats: number): void {
    this.waiting++;
    this.waitingSeats += seats;
  }
  leaves(seats: number, unservedAfter: number | null): void {
    this.waiting--;
    this.waitingSeats -= seats;
    if (unservedAfter !== null) this.#series?.left.observe(unservedAfter);
  }
  begins(seats: number, waited: number): void {
    this.underWay++;
    this.seats += seats;
    this.dispatched++;
    this.#series?.waited.observe(waited);
    this.#series?.seats.observe(seats);
  }
  ends(seats: number, took: number): void {
    this.underWay--;
    this.seats -= seats;
    this.#series?.took.observe(took);
  }
  rejected(reason: Reason): void {
    this.refusals[reason]++;
  }
}

const prefix = 'apiserver_flowcontrol';
const labels = ['flow_schema', 'priority_level'] as const;

interface NamedTally {
  readonly labels: Record<(typeof labels)[number], string>;
  readonly tally: SchemaTally;
}

type Durations = Record<'wait' | 'execution' | 'seats' | 'lengths' | 'watchers', DurationHistogram>;
type Uses = Record<'demand' | 'seats' | 'requests' | 'kinds', DurationHistogram>;

export interface CountedLevel {
  readonly settings: LevelSettings;
  readonly level: Level<unknown>;
  readonly bounds: { readonly nominal: number; readonly lower: number; readonly upper: number };
  readonly demand: Demand;
}

export interface Counted {
  readonly levels: Iterable<CountedLevel>;
  readonly waiting: { readonly readOnly: number; readonly mutating: number };
  readonly fraction: number;
  /** Counts running requests up to this moment. */
  settle(): void;
}

export class Tally {
  readonly #tallies = new WeakMap<Schema, SchemaTally>();
  readonly #byName = new Map<string, NamedTally>();
  #histograms: Durations | null = null;
  #uses: Uses | null = null;

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
              lengths: histograms.lengths.of(named),
              watchers: histograms.watchers.of(named),
            },
      );
    this.#byName.set(key, { labels: named, tally: made });
    this.#tallies.set(schema, made);
    return made;
  }

  /** Starts at `now`; null without metrics. */
  level(name: string, now: number): LevelUtilization | null {
    const uses = this.#uses;
    if (uses === null) return null;
    const labelled = { priority_level: name };
    return new LevelUtilization({
      demand: new TimedRatio(uses.demand.of(labelled), now),
      seats: new TimedRatio(uses.seats.of({ ...labelled, phase: 'executing' }), now),
      executing: new TimedRatio(uses.requests.of({ ...labelled, phase: 'executing' }), now),
      waiting: new TimedRatio(uses.requests.of({ ...labelled, phase: 'waiting' }), now),
    });
  }

  /** Starts at `now`; null without metrics. */
  kinds(now: number): KindUtilization | null {
    const uses = this.#uses;
    if (uses === null) return null;
    const of = (phase: 'waiting' | 'executing', kind: 'readOnly' | 'mutating'): TimedRatio =>
      new TimedRatio(uses.kinds.of({ phase, request_kind: kind }), now);
    return {
      waiting: { readOnly: of('waiting', 'readOnly'), mutating: of('waiting', 'mutating') },
      executing: { readOnly: of('executing', 'readOnly'), mutating: of('executing', 'mutating') },
    };
  }

  /** Must be called before anything is counted. */
  expose(registry: Registry, counted: () => Counted | null): void {
    this.#histograms = durationsIn(registry);
    this.#uses = usesIn(registry, counted);
    exposeSchemas(registry, this.#all);
    exposeLevels(registry, counted);
    exposeServer(registry, counted);
  }

  readonly #all = (): Iterable<NamedTally> => this.#byName.values();
}

const perLevel: readonly (readonly [name: string, help: string, value: (level: CountedLevel) => number])[] = [
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
  ['dispatch_r', 'The same time, when a request began last.', ({ level }) => level.begunR],
  ['latest_s', 'When the request that began last was to begin in that world.', ({ level }) => level.begunS],
];

const perBound: readonly (readonly [name: string, help: string, which: 'next' | 'discounted'])[] = [
  [
    'next_s_bounds',
    'When the first of each queue are to begin in the imagined world: the earliest and the latest. Not shown where nobody waits.',
    'next',
  ],
  ['next_discounted_s_bounds', 'The same, less what is taken to be left of the work of the queue that is under way.', 'discounted'],
];

function durationsIn(registry: Registry): Durations {
  const made = (name: string, help: string, labelNames: string[], buckets: number[]): DurationHistogram =>
    new DurationHistogram({ name: `${prefix}_${name}`, help, labelNames, buckets, registers: [registry] });
  return {
    wait: made(
      'request_wait_duration_seconds',
      'Time that requests have waited in queues, whether or not they were worked on then.',
      [...labels, 'execute'],
      waitBuckets,
    ),
    execution: made('request_execution_seconds', 'Time that requests were worked on.', [...labels, 'type'], executionBuckets),
    seats: made('work_estimated_seats', 'Seats that requests were taken to need.', [...labels], seatBuckets),
    lengths: made(
      'request_queue_length_after_enqueue',
      'Requests in a queue, as each that joins it finds it then, itself among them.',
      [...labels],
      lengthBuckets,
    ),
    watchers: made('watch_count_samples', 'Watches that look at what a write changes, by write.', [...labels], watchBuckets),
  };
}

function usesIn(registry: Registry, counted: () => Counted | null): Uses {
  const made = (name: string, help: string, labelNames: string[], buckets: number[]): DurationHistogram =>
    new DurationHistogram({
      name: `${prefix}_${name}`,
      help: `${help}, at the end of every nanosecond, as this thread of the server has it.`,
      labelNames,
      buckets,
      registers: [registry],
      collect: () => {
        counted()?.settle();
      },
    });
  return {
    demand: made('demand_seats', 'Seats that a level could use, as a part of what it nominally has', ['priority_level'], demandBuckets),
    seats: made(
      'priority_level_seat_utilization',
      'The part of the seats of a level that is taken',
      ['phase', 'priority_level'],
      seatUseBuckets,
    ),
    requests: made(
      'priority_level_request_utilization',
      'Requests that are worked on, as a part of the seats of a level, and that wait, as a part of what its queues hold',
      ['phase', 'priority_level'],
      requestUseBuckets,
    ),
    kinds: made(
      'read_vs_write_current_requests',
      'Requests that are worked on and that wait, as a part of all seats',
      ['phase', 'request_kind'],
      kindUseBuckets,
    ),
  };
}

const perSchema: readonly (readonly [name: string, help: string, value: (tally: SchemaTally) => number])[] = [
  ['current_inqueue_requests', 'Requests that wait.', ({ waiting }) => waiting],
  ['current_inqueue_seats', 'Seats that requests wait for.', ({ waitingSeats }) => waitingSeats],
  ['current_executing_requests', 'Requests that are worked on.', ({ underWay }) => underWay],
  ['current_executing_seats', 'Seats of the requests that are worked on.', ({ seats }) => seats],
];

function exposeSchemas(registry: Registry, all: () => Iterable<NamedTally>): void {
  for (const [name, help, value] of perSchema)
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
}

function exposeLevels(registry: Registry, counted: () => Counted | null): void {
  for (const [name, help, value] of perLevel)
    new Gauge({
      name: `${prefix}_${name}`,
      help,
      labelNames: ['priority_level'],
      registers: [registry],
      collect() {
        this.reset();
        for (const each of counted()?.levels ?? []) this.set({ priority_level: each.settings.name }, value(each));
      },
    });
  for (const [name, help, which] of perBound)
    new Gauge({
      name: `${prefix}_${name}`,
      help,
      labelNames: ['bound', 'priority_level'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { settings, level } of counted()?.levels ?? []) {
          const begins = nextBegins(level)?.[which];
          if (begins !== undefined)
            for (const bound of ['min', 'max'] as const) this.set({ bound, priority_level: settings.name }, begins[bound]);
        }
      },
    });
}

function exposeServer(registry: Registry, counted: () => Counted | null): void {
  new Gauge({
    name: 'apiserver_current_inqueue_requests',
    help: 'Requests that wait now, of those that read and those that change.',
    labelNames: ['request_kind'],
    registers: [registry],
    collect() {
      const { readOnly = 0, mutating = 0 } = counted()?.waiting ?? {};
      this.set({ request_kind: 'readOnly' }, readOnly);
      this.set({ request_kind: 'mutating' }, mutating);
    },
  });
  new Gauge({
    name: `${prefix}_seat_fair_frac`,
    help: 'The part of what it asks for that each level has, when seats were lent last.',
    registers: [registry],
    collect() {
      this.set(counted()?.fraction ?? 1);
    },
  });
}
