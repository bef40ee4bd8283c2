import { entryOf } from './json/members.js';
import { parseDuration } from './duration.js';

/**
 * Parses cron schedules as Kubernetes does: five fields, or a descriptor such as `@daily`. Pure.
 *
 * A day field that begins with `*` or `?`, without a step, defers to the other day field; two restricted ones are joined by "or". So `*` differs from a list of
 * all days, and lists are spelt out.
 */
export type Timing =
  /** Minute, hour, day of month, month, day of week; each `*` or a list. */
  | { readonly kind: 'calendar'; readonly fields: string }
  | { readonly kind: 'every'; readonly ms: number }
  /** A field without a value, such as `,`, is accepted and never matches. */
  | { readonly kind: 'never' };

export type TimingResult = { readonly ok: true; readonly timing: Timing } | { readonly ok: false; readonly message: string };

/** The reference no longer supports a zone in the schedule, but it works. */
export function splitZone(text: string): { readonly zone: string | null; readonly timing: string } {
  if (!/^(CRON_)?TZ=/.test(text)) return { zone: null, timing: text };
  const space = text.indexOf(' ');
  return { zone: text.slice(text.indexOf('=') + 1, Math.max(space, 0)), timing: text.slice(space).trim() };
}

/** The spelling must match the time zone database; offsets are refused. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true;
  if (!/^[A-Za-z_]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const bounds: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const everyWord = '@every ';

/** Ends the parse; caught within this file. */
class Problem extends Error {}

/** Parses a schedule without its zone. Clients see the errors, so they use the reference's wording. */
export function parseTiming(text: string): TimingResult {
  try {
    return { ok: true, timing: timingOf(text) };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, message: error.message };
    throw error;
  }
}

function timingOf(text: string): Timing {
  if (text.startsWith(everyWord)) return everyOf(text);
  if (text.startsWith('@') && !Object.hasOwn(descriptors, text)) throw new Problem(`unrecognized descriptor: ${text}`);
  const fields = (entryOf(descriptors, text) ?? text).split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length)
    throw new Problem(`expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  const read = fields.map((field, position) => fieldOf(field, bounds[position] ?? { min: 0, max: 0, names: [] }));
  return read.includes('') ? { kind: 'never' } : { kind: 'calendar', fields: read.join(' ') };
}

/** Durations are whole seconds, and at least one. */
function everyOf(text: string): Timing {
  const duration = parseDuration(text.slice(everyWord.length));
  if (!duration.ok) throw new Problem(`failed to parse duration ${text}: ${duration.message}`);
  return { kind: 'every', ms: Math.max(1, Math.floor(duration.milliseconds / 1000)) * 1000 };
}

function fieldOf(field: string, of: Bounds): string {
  const ranges = field
    .split(',')
    .filter((part) => part !== '')
    .map((part) => rangeOf(part, of));
  if (ranges.some((range) => range === '*')) return '*';
  return [...new Set(ranges.flatMap((range) => (range === '*' ? [] : range)))].sort((a, b) => a - b).join(',');
}

/** Parses `*`, `5` or `5-10`, with an optional `/step`; `5/10` starts at five. */
function rangeOf(expression: string, of: Bounds): '*' | readonly number[] {
  const [range = '', stepText, ...moreSlashes] = expression.split('/');
  const [low = '', high, ...moreHyphens] = range.split('-');
  const isAny = low === '*' || low === '?';
  const first = isAny ? of.min : numberOrName(low, of);
  if (!isAny && moreHyphens.length > 0) throw new Problem(`too many hyphens: ${expression}`);
  const second = isAny ? of.max : high === undefined ? first : numberOrName(high, of);
  if (moreSlashes.length > 0) throw new Problem(`too many slashes: ${expression}`);
  const step = stepText === undefined ? 1 : numberOf(stepText);
  const last = stepText !== undefined && high === undefined ? of.max : second;
  if (first < of.min) throw new Problem(`beginning of range (${first}) below minimum (${of.min}): ${expression}`);
  if (last > of.max) throw new Problem(`end of range (${last}) above maximum (${of.max}): ${expression}`);
  if (first > last) throw new Problem(`beginning of range (${first}) beyond end of range (${last}): ${expression}`);
  if (step === 0) throw new Problem(`step of range should be a positive number: ${expression}`);
  return isAny && step === 1 ? '*' : Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

function numberOrName(text: string, { names, min }: Bounds): number {
  const position = names.indexOf(text.toLowerCase());
  return position < 0 ? numberOf(text) : position + min;
}

function numberOf(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw new Problem(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (value < 0) throw new Problem(`negative number (${value}) not allowed: ${text}`);
  return value;
}
