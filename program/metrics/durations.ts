import { Histogram, type HistogramConfiguration, type MetricObjectWithValues, type MetricValueWithName } from 'prom-client';

type Labels = Readonly<Record<string, string>>;
type Exported = MetricObjectWithValues<MetricValueWithName<string>>;

export class DurationSeries {
  readonly #labels: Labels;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #wasReset = false;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    this.observeTimes(seconds, 1);
  }

  observeTimes(value: number, times: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number) += times;
    this.#sum += value * times;
  }

  reset(): void {
    this.#counts.fill(0);
    this.#sum = 0;
    this.#wasReset = true;
  }

  export(name: string): MetricValueWithName<string>[] {
    if (this.#wasReset && this.#counts.every((count) => count === 0)) return [];
    return exported(name, this.#labels, { bounds: this.#bounds, counts: this.#counts, sum: this.#sum });
  }
}

/** Durations in seconds. The last of `counts` is above all `bounds`. */
export interface Durations {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

function exported(name: string, labels: Labels, { bounds, counts, sum }: Durations): MetricValueWithName<string>[] {
  let total = 0;
  const buckets = counts.map((count, index) => ({
    metricName: `${name}_bucket`,
    labels: { le: bounds[index] ?? '+Inf', ...labels },
    value: (total += count),
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: total },
  ];
}

/** Counted elsewhere, and read with `/metrics`; omitted when that fails. */
export class ReadHistogram extends Histogram {
  readonly #shape: Pick<HistogramConfiguration<string>, 'name' | 'help' | 'registers'>;
  readonly #read: () => Promise<Durations>;

  constructor(shape: Pick<HistogramConfiguration<string>, 'name' | 'help' | 'registers'>, read: () => Promise<Durations>) {
    super(shape);
    this.#shape = shape;
    this.#read = read;
  }

  override get(): Promise<Exported> {
    return this.getForPromString();
  }

  async getForPromString(): Promise<Exported> {
    const { name, help } = this.#shape;
    const values = await this.#read().then(
      (durations) => exported(name, {}, durations),
      () => [],
    );
    return { name, help, type: 'histogram', aggregator: 'sum', values } as unknown as Exported;
  }
}

/** Callers look up series once: the library hashes the labels of every observation, which would be most of the cost of counting a request. */
export class DurationHistogram extends Histogram {
  readonly #shape: HistogramConfiguration<string> & { readonly buckets: number[] };
  readonly #series = new Map<string, DurationSeries>();
  /** Inherited observations are never exported. */
  declare readonly observe: never;
  declare readonly startTimer: never;
  declare readonly labels: never;

  constructor(shape: HistogramConfiguration<string> & { readonly buckets: number[] }) {
    super(shape);
    this.#shape = shape;
    // An override would run in the library's constructor, before the series exist.
    this.reset = () => {
      for (const series of this.#series.values()) series.reset();
    };
  }

  of(labels: Labels): DurationSeries {
    const key = JSON.stringify(Object.entries(labels).sort());
    const known = this.#series.get(key) ?? new DurationSeries(labels, this.#shape.buckets);
    this.#series.set(key, known);
    return known;
  }

  override get(): Promise<Exported> {
    return this.getForPromString();
  }

  async getForPromString(): Promise<Exported> {
    const { name, help, collect } = this.#shape;
    await collect?.call(this);
    return {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.#series.values()].flatMap((series) => series.export(name)),
    } as unknown as Exported;
  }
}
