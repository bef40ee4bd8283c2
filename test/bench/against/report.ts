import { medianOf } from '../turns.js';
import type { Measure, Rates } from './measures.js';

export interface Turn extends Rates {
  /** Processor microseconds for each request or event: of the server's processes, and of the load generator. NaN where unknown. */
  readonly serverUs: number;
  readonly generatorUs: number;
}

export interface Line extends Turn {
  readonly measure: string;
  readonly unit: Measure['unit'];
  readonly subject: string;
}

export interface Report {
  readonly machine: string;
  readonly began: string;
  readonly seconds: number;
  readonly turns: number;
  readonly connections: number;
  readonly lines: readonly Line[];
  /** Resident bytes at the end, by subject. NaN where unknown. */
  readonly residentBytes: Readonly<Record<string, number>>;
}

/** The median of each figure over all turns. */
export const summary = (turns: readonly Turn[]): Turn => ({
  perSecond: medianOf(turns, ({ perSecond }) => perSecond),
  p50Ms: medianOf(turns, ({ p50Ms }) => p50Ms),
  p99Ms: medianOf(turns, ({ p99Ms }) => p99Ms),
  serverUs: medianOf(turns, ({ serverUs }) => serverUs),
  generatorUs: medianOf(turns, ({ generatorUs }) => generatorUs),
});

/** Ratios of the first subject's rate and processor time to this one's; null for the first itself. */
export function ratios(lines: readonly Line[], line: Line): { readonly rate: number; readonly processor: number } | null {
  const first = lines.find(({ measure }) => measure === line.measure);
  return first === undefined || first === line
    ? null
    : { rate: first.perSecond / line.perSecond, processor: first.serverUs / line.serverUs };
}

const colours = ['#1f6feb', '#d9822b', '#5b8c5a', '#8a63d2'];
const barHeight = 18;
const left = 190;
const width = 860;
const barsEnd = 640;

/** A chart of rates: a group of bars for each measure, with its own scale. */
export function chart({ lines, machine, began }: Report): string {
  const subjects = [...new Set(lines.map(({ subject }) => subject))];
  const groups = [...new Set(lines.map(({ measure }) => measure))];
  const groupHeight = subjects.length * (barHeight + 4) + 18;
  const height = 74 + groups.length * groupHeight;
  const colourOf = (subject: string): string => colours[subjects.indexOf(subject) % colours.length] ?? '#000';
  const legend = subjects.map(
    (subject, at) =>
      `<rect x="${left + at * 220}" y="36" width="12" height="12" fill="${colourOf(subject)}"/>` +
      `<text x="${left + at * 220 + 18}" y="46">${escaped(subject)}</text>`,
  );
  const bars = groups.flatMap((measure, group) => {
    const own = lines.filter((line) => line.measure === measure);
    const most = Math.max(...own.map(({ perSecond }) => perSecond));
    const top = 68 + group * groupHeight;
    return [
      `<text x="${left - 12}" y="${top + (own.length * (barHeight + 4)) / 2 + 2}" text-anchor="end">${escaped(measure)}</text>`,
      ...own.map((line, at) => {
        const long = Math.max(1, Math.round(((barsEnd - left) * line.perSecond) / most));
        const y = top + at * (barHeight + 4);
        const reported = `${rounded(line.perSecond)}/s, p99 ${line.p99Ms.toFixed(1)} ms${Number.isNaN(line.serverUs) ? '' : `, ${rounded(line.serverUs)} µs`}`;
        return (
          `<rect x="${left}" y="${y}" width="${long}" height="${barHeight}" rx="2" fill="${colourOf(line.subject)}"/>` +
          `<text x="${left + long + 6}" y="${y + 13}">${reported}</text>`
        );
      }),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#1f2328">`,
    `<title>Rates of API servers side by side</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="22" font-size="13">${escaped(`${began}, ${machine}; µs: processor time of the servers for each`)}</text>`,
    ...legend,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

const rounded = (value: number): string => Math.round(value).toLocaleString('en-US');
const escaped = (text: string): string => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
