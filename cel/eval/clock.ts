import { duration, timestamp } from './numbers.js';
import { Failure, type Duration, type Timestamp } from './values.js';

const nanosInSecond = 1_000_000_000n;
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

export function parseTimestamp(text: string): Timestamp | Failure | null {
  const match = rfc3339.exec(text);
  if (match === null) return null;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '',
    minute = '',
    second = '',
    fraction = '',
    sign = '+',
    zoneHour = '0',
    zoneMinute = '0',
  ] = match;
  const milliseconds = utc(Number(year), { month: Number(month), day: Number(day) });
  if (
    milliseconds === null ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(second) > 59 ||
    Number(zoneHour) > 23 ||
    Number(zoneMinute) > 59
  )
    return null;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  const seconds = milliseconds / 1000 + Number(hour) * 3600 + (Number(minute) - offset) * 60 + Number(second);
  return timestamp(BigInt(seconds) * nanosInSecond + BigInt(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

/** Parses `2024-05-06`, as schemas write dates. */
export function parseDate(text: string): Timestamp | Failure | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const milliseconds = match === null ? null : utc(Number(match[1]), { month: Number(match[2]), day: Number(match[3]) });
  return milliseconds === null ? null : timestamp(BigInt(milliseconds) * 1_000_000n);
}

/** Null for a day that does not exist. */
function utc(year: number, { month, day }: { readonly month: number; readonly day: number }): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCFullYear() === year ? date.getTime() : null;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: nanosInSecond,
  m: 60n * nanosInSecond,
  h: 3600n * nanosInSecond,
};
const digitsMax = 40;

/** Parses `1h30m`, `-1.5s`. */
export function parseDuration(text: string): Duration | Failure | null {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return duration(0n);
  // Each run of digits has one reading, since ambiguous patterns try all.
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return null;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    if (whole.length > digitsMax) return null;
    const size = units[unit] ?? 1n;
    const shown = fraction.slice(0, digitsMax);
    total += BigInt(whole === '' ? '0' : whole) * size + (shown === '' ? 0n : (BigInt(shown) * size) / 10n ** BigInt(shown.length));
  }
  const made = duration(sign === '-' ? -total : total);
  return made instanceof Failure ? null : made;
}

/** Formats as RFC 3339 with the time's offset and the needed fraction digits. */
export function timestampText({ nanoseconds, offsetMinutes }: Timestamp): string {
  const seconds = nanoseconds / nanosInSecond - (nanoseconds % nanosInSecond < 0n ? 1n : 0n);
  const rest = nanoseconds - seconds * nanosInSecond;
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`;
  const local = Number(seconds) + offsetMinutes * 60;
  const date = new Date(local * 1000).toISOString().replace(/^[+-]\d{2}(?=\d{4}-)/, '');
  return `${date.slice(0, -5)}${fraction}${offsetText(offsetMinutes)}`;
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) => String(part).padStart(2, '0'));
  return minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

const nanosDigits = 9;

/** Formats seconds as a double: `5400s`, `0.5s`. As in the reference, long durations lose their last digits. */
export function durationText({ nanoseconds }: Duration): string {
  const seconds = Number(nanoseconds / nanosInSecond) + Number(nanoseconds % nanosInSecond) / 1e9;
  const text = String(seconds);
  return `${text.includes('e') ? seconds.toFixed(nanosDigits).replace(/0+$/, '') : text}s`;
}
