/** Metrics in the text format (https://prometheus.io/docs/instrumenting/exposition_formats/), as needed here. */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** Parses only the named metrics, among thousands of lines. */
export function parseMetrics(text: string, wanted: ReadonlySet<string>): Samples {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const end = line.search(/[{ ]/);
    const name = line.slice(0, end);
    if (!wanted.has(name)) continue;
    const close = line[end] === '{' ? line.lastIndexOf('}') : end - 1;
    const value = Number(
      line
        .slice(close + 1)
        .trim()
        .split(' ', 1)[0]
        ?.replace('Inf', 'Infinity'),
    );
    const list = samples.get(name) ?? [];
    list.push({ labels: line[end] === '{' ? labelsIn(line.slice(end + 1, close)) : {}, value });
    samples.set(name, list);
  }
  return samples;
}

function labelsIn(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g))
    labels[name!] = value!.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
  return labels;
}

export const total = (samples: Samples, name: string, fits: (labels: Sample['labels']) => boolean = () => true): number =>
  (samples.get(name) ?? []).reduce((sum, { labels, value }) => (fits(labels) ? sum + value : sum), 0);

/** Returns the quantile of observations between two readings of a histogram, linearly interpolated within its bucket. Null without observations. */
export function quantile(q: number, before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number | null {
  const bounds = [...after.keys()].sort((a, b) => a - b);
  const counts = bounds.map((bound) => Math.max(0, (after.get(bound) ?? 0) - (before.get(bound) ?? 0)));
  const all = counts.at(-1) ?? 0;
  if (all === 0) return null;
  const rank = q * all;
  const at = counts.findIndex((count) => count >= rank);
  const [low, below] = at === 0 ? [0, 0] : [bounds[at - 1]!, counts[at - 1]!];
  const high = bounds[at]!;
  if (high === Infinity) return low;
  return counts[at] === below ? high : low + ((high - low) * (rank - below)) / (counts[at]! - below);
}
