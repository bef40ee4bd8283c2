/** Local times by the runtime's time zone database. Otherwise pure. */

/** A time zone: the offset of its clocks from UTC. */
export interface Zone {
  readonly offsetAt: (ms: number) => number;
  /** Returns the first clock change in (`from`, `until`]; null without one. */
  readonly nextChange: (from: number, until: number) => number | null;
}

/** The database has about 600 names; other texts never get a formatter. */
const zonesMax = 1_000;
const known = new Map<string, Zone>();

/** Clocks change at most twice within a month (Morocco, around Ramadan): samples hide no two changes. */
const lookMs = 7 * 24 * 3_600_000;

const utc: Zone = { offsetAt: () => 0, nextChange: () => null };

/** '' is UTC. Null for an unknown name; offsets are no names. */
export function zoneOf(name: string): Zone | null {
  if (name === '' || name === 'UTC') return utc;
  const found = known.get(name);
  if (found) return found;
  if (!/^[A-Za-z_]/.test(name) || known.size >= zonesMax) return null;
  try {
    const zone = zoneBy(
      new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
    );
    known.set(name, zone);
    return zone;
  } catch {
    return null;
  }
}

function zoneBy(format: Intl.DateTimeFormat): Zone {
  const offsetAt = (ms: number): number => {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(ms)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  };
  return { offsetAt, nextChange: (from, until) => nextChange(offsetAt, from, until) };
}

function nextChange(offsetAt: (ms: number) => number, from: number, until: number): number | null {
  const before = offsetAt(from);
  for (let low = from; low < until;) {
    const high = Math.min(low + lookMs, until);
    if (offsetAt(high) !== before) return firstOther(offsetAt, before, low, high);
    low = high;
  }
  return null;
}

/** Finds the change to the millisecond by binary search. */
function firstOther(offsetAt: (ms: number) => number, before: number, from: number, until: number): number {
  let [low, high] = [from, until];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Formats a time with the offset of its zone, as in RFC 3339. */
export function zonedText(ms: number, zone: Zone): string {
  const offset = zone.offsetAt(ms);
  const wall = new Date(ms + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${wall}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
