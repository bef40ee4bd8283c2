/** Values of several lines over the same times: the latest `sizeMax` of them. */
export class Series {
  readonly #sizeMax: number;
  readonly #times: number[] = [];
  readonly #values = new Map<string, (number | null)[]>();

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  /** `at` is in seconds since 1970; values are added to those of an existing time. A line without a value has a gap. */
  add(at: number, values: Readonly<Record<string, number | null>>): void {
    for (const name of Object.keys(values)) if (!this.#values.has(name)) this.#values.set(name, Array<null>(this.#times.length).fill(null));
    let place = this.#times.length;
    while (place > 0 && this.#times[place - 1]! >= at) place--;
    if (this.#times[place] !== at) {
      this.#times.splice(place, 0, at);
      for (const line of this.#values.values()) line.splice(place, 0, null);
    }
    for (const [name, value] of Object.entries(values)) this.#values.get(name)![place] = value;
    while (this.#times.length > this.#sizeMax) {
      this.#times.shift();
      for (const line of this.#values.values()) line.shift();
    }
  }

  get length(): number {
    return this.#times.length;
  }

  latest(name: string): number | null {
    return this.#values.get(name)?.at(-1) ?? null;
  }

  /** Returns the times first, then a line for each name, as charts take them. */
  columns(names: readonly string[]): readonly (readonly (number | null)[])[] {
    return [this.#times, ...names.map((name) => this.#values.get(name) ?? this.#times.map(() => null))];
  }
}
