import { Counter, type Registry } from 'prom-client';

/** Callers add to it; the library reads it with the page. */
export interface Total {
  value: number;
}

/** Callers look up series once: the library's counters hash the labels of every count. */
export function totals<Label extends string>(
  registry: Registry,
  { name, help, labelNames }: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
): (labels: Readonly<Record<Label, string>>) => Total {
  const all = new Map<string, { readonly labels: Readonly<Record<Label, string>>; readonly total: Total }>();
  const counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      Counter.prototype.reset.call(this);
      for (const { labels, total } of all.values()) if (total.value > 0) this.inc(labels, total.value);
    },
  });
  counter.reset = () => {
    for (const { total } of all.values()) total.value = 0;
  };
  return (labels) => {
    const key = JSON.stringify(labelNames.map((label) => labels[label]));
    const known = all.get(key);
    if (known !== undefined) return known.total;
    const total = { value: 0 };
    all.set(key, { labels, total });
    return total;
  };
}

/** Shown from the beginning, with zero. */
export function total(registry: Registry, name: string, help: string): Total {
  const counted = { value: 0 };
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(counted.value);
    },
  });
  return counted;
}
