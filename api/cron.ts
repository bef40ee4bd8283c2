import { parseDuration } from './duration.js';

/**
 * The text of a schedule, as Kubernetes understands it: five fields, or one of the words for common ones. Pure.
 *
 * A field that begins with `*` or `?`, without a step, leaves the day to the other day field. Two day fields that both say something are joined by
 * "or". So `*` and a list of all days are different things, and lists are spelt out here for that reason.
 */
export type Timing =
  /** Minute, hour, day of month, month, day of week; each `*` or a list of numbers. */
  | { readonly kind: 'calendar'; readonly fields: string }
  | { readonly kind: 'every'; readonly ms: number }
  /** A field without a value, such as `,`, is accepted and matches no time. */
  | { readonly kind: 'never' };

export type TimingResult = { readonly ok: true; readonly timing: Timing } | { readonly ok: false; readonly message: string };

/** A zone may be named in the text itself, in an old way that is not supported any more but works. */
export function splitZone(text: string): { readonly zone: string | null; readonly timing: string } {
  if (!/^(CRON_)?TZ=/.test(text)) return { zone: null, timing: text };
  const space = text.indexOf(' ');
  return { zone: text.slice(text.indexOf('=') + 1, Math.max(space, 0)), timing: text.slice(space).trim() };
}

/** Whether a name is in the time zone database. Names are matched as they are written there, and offsets are none. */
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

/** Complaints are thrown within this file, because each is the end of the parse. */
class Complaint extends Error {}

/** Reads what follows the zone. Complaints are in the reference's words, because clients see them. */
export function parseTiming(text: string): TimingResult {
  try {
    return { ok: true, timing: timingOf(text) };
  } catch (error) {
    if (error instanceof Complaint) return { ok: false, message: error.message };
    throw error;
  }
}

function timingOf(text: string): Timing {
  if (text.startsWith(everyWord)) return everyOf(text);
  if (text.startsWith('@') && !Object.hasOwn(descriptors, text)) throw new Complaint(`unrecognized descriptor: ${text}`);
  const fields = (descriptors[text] ?? text).split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length)
    throw new Complaint(`expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  const read = fields.map((field, position) => fieldOf(field, bounds[position] ?? { min: 0, max: 0, names: [] }));
  return read.includes('') ? { kind: 'never' } : { kind: 'calendar', fields: read.join(' ') };
}

/** Whole seconds, and at least one. */
function everyOf(text: string): Timing {
  const duration = parseDuration(text.slice(everyWord.length));
  if (!duration.ok) throw new Complaint(`failed to parse duration ${text}: ${duration.message}`);
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

/** `*`, `5`, `5-10`, each with `/step`; `5/10` means from five on. */
function rangeOf(expression: string, of: Bounds): '*' | readonly number[] {
  const [range = '', stepText, ...moreSlashes] = expression.split('/');
  const [low = '', high, ...moreHyphens] = range.split('-');
  const isAny = low === '*' || low === '?';
  const first = isAny ? of.min : numberOrName(low, of);
  if (!isAny && moreHyphens.length > 0) throw new Complaint(`too many hyphens: ${expression}`);
  const second = isAny ? of.max : high === undefined ? first : numberOrName(high, of);
  if (moreSlashes.length > 0) throw new Complaint(`too many slashes: ${expression}`);
  const step = stepText === undefined ? 1 : numberOf(stepText);
  const last = stepText !== undefined && high === undefined ? of.max : second;
  if (first < of.min) throw new Complaint(`beginning of range (${first}) below minimum (${of.min}): ${expression}`);
  if (last > of.max) throw new Complaint(`end of range (${last}) above maximum (${of.max}): ${expression}`);
  if (first > last) throw new Complaint(`beginning of range (${first}) beyond end of range (${last}): ${expression}`);
  if (step === 0) throw new Complaint(`step of range should be a positive number: ${expression}`);
  return isAny && step === 1 ? '*' : Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

function numberOrName(text: string, { names, min }: Bounds): number {
  const position = names.indexOf(text.toLowerCase());
  return position < 0 ? numberOf(text) : position + min;
}

function numberOf(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw new Complaint(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (value < 0) throw new Complaint(`negative number (${value}) not allowed: ${text}`);
  return value;
}
