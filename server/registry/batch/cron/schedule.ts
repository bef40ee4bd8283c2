import { parseDuration } from '../../../catalogue/flags/duration.js';

/** Whether a text is a cron schedule of five fields, or one of the words for common ones. Returns a complaint in the reference's words, or null. */
export function scheduleComplaint(schedule: string): string | null {
  let spec = schedule;
  if (/^(CRON_)?TZ=/.test(spec)) {
    const zone = spec.slice(spec.indexOf('=') + 1, Math.max(spec.indexOf(' '), 0));
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
    spec = spec.slice(spec.indexOf(' ')).trim();
  }
  if (spec.startsWith('@')) return descriptorComplaint(spec);
  const fields = spec.split(/\s+/).filter(field => field !== '');
  if (fields.length !== FIELDS.length) return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  return firstOf(FIELDS.map((bounds, position) => fieldComplaint(fields[position] ?? '', bounds)));
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

interface Bounds { readonly min: number; readonly max: number; readonly names: readonly string[] }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [] }, { min: 0, max: 23, names: [] }, { min: 1, max: 31, names: [] }, { min: 1, max: 12, names: MONTHS }, { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS: ReadonlySet<string> = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const EVERY = '@every ';

function descriptorComplaint(descriptor: string): string | null {
  if (DESCRIPTORS.has(descriptor)) return null;
  if (!descriptor.startsWith(EVERY)) return `unrecognized descriptor: ${descriptor}`;
  const duration = parseDuration(descriptor.slice(EVERY.length));
  return duration.ok ? null : `failed to parse duration ${descriptor}: ${duration.message}`;
}

const firstOf = (complaints: readonly (string | null)[]): string | null => complaints.find(complaint => complaint !== null) ?? null;
const fieldComplaint = (field: string, bounds: Bounds): string | null => firstOf(field.split(',').filter(part => part !== '').map(part => rangeComplaint(part, bounds)));

type Value = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly message: string };

function numberOf(text: string): Value {
  if (!/^[+-]?[0-9]+$/.test(text)) return { ok: false, message: `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax` };
  const value = Number(text);
  return value < 0 ? { ok: false, message: `negative number (${value}) not allowed: ${text}` } : { ok: true, value };
}

function numberOrName(text: string, { names, min }: Bounds): Value {
  const position = names.indexOf(text.toLowerCase());
  return position < 0 ? numberOf(text) : { ok: true, value: position + min };
}

/** `*`, `5`, `5-10`, each with `/step`. */
function rangeComplaint(expression: string, bounds: Bounds): string | null {
  const [range = '', stepText, ...moreSlashes] = expression.split('/');
  const [low = '', high, ...moreHyphens] = range.split('-');
  const every = low === '*' || low === '?';
  const first: Value = every ? { ok: true, value: bounds.min } : numberOrName(low, bounds);
  if (!first.ok) return first.message;
  if (!every && moreHyphens.length > 0) return `too many hyphens: ${expression}`;
  const second: Value = every ? { ok: true, value: bounds.max } : high === undefined ? first : numberOrName(high, bounds);
  if (!second.ok) return second.message;
  if (moreSlashes.length > 0) return `too many slashes: ${expression}`;
  const step = stepText === undefined ? { ok: true as const, value: 1 } : numberOf(stepText);
  if (!step.ok) return step.message;
  // "5/10" means from five on.
  const end = stepText !== undefined && high === undefined ? bounds.max : second.value;
  if (first.value < bounds.min) return `beginning of range (${first.value}) below minimum (${bounds.min}): ${expression}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`;
  if (first.value > end) return `beginning of range (${first.value}) beyond end of range (${end}): ${expression}`;
  return step.value === 0 ? `step of range should be a positive number: ${expression}` : null;
}
