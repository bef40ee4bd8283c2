import { BoundedMap } from '../../../api/boundedMap.js';
import { Duration, Failure, noOverload, Timestamp, type Value } from '../values.js';
import type { Run } from '../run.js';
import type { Implementation, Library } from './library.js';

const millisecond = 1_000_000n;
const dayMs = 86_400_000;
/** Hours and minutes, each parsed as an integer. */
const offsetPattern = /^([+-]?\d{1,9}):([+-]?\d{1,9})$/;
/** An offset without a colon is not a zone name. */
const namePattern = /^[A-Za-z]/;
const zoneCharactersMax = 100;
/** The cost of resolving an uncached zone. */
const zoneSteps = 500;
const zones = new BoundedMap<string, Intl.DateTimeFormat | null>(200);

const floor = (value: bigint, by: bigint): bigint => value / by - (value % by < 0n ? 1n : 0n);

/** Returns the local time as a date's UTC parts; null for an unknown zone. */
function clockIn(time: Timestamp, zone: string, run: Run): Date | null {
  const milliseconds = Number(floor(time.nanoseconds, millisecond));
  if (zone === '' || zone === 'UTC') return new Date(milliseconds);
  const offset = offsetPattern.exec(zone);
  if (offset !== null) {
    const [, hours = '', minutes = ''] = offset;
    return new Date(milliseconds + (Number(hours) * 60 + Number(minutes) * (hours.startsWith('-') ? -1 : 1)) * 60_000);
  }
  const format = zone.length > zoneCharactersMax || !namePattern.test(zone) ? null : formatOf(zone, run);
  if (format === null) return null;
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
  const shown = new Date(0);
  shown.setUTCFullYear(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1);
  shown.setUTCHours(parts.get('hour') ?? 0, parts.get('minute') ?? 0, parts.get('second') ?? 0, ((milliseconds % 1000) + 1000) % 1000);
  return shown;
}

function formatOf(zone: string, { meter }: Run): Intl.DateTimeFormat | null {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  meter.step(zoneSteps);
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {}
  zones.set(zone, format);
  return format;
}

const dayOfYear = (date: Date): number => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs);

const partsOfTime: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const partsOfDuration: Readonly<Record<string, bigint>> = {
  getHours: 3600n * 1000n * millisecond,
  getMinutes: 60n * 1000n * millisecond,
  getSeconds: 1000n * millisecond,
  getMilliseconds: millisecond,
};

const partOfTime =
  (of: (date: Date) => number): Implementation =>
  ([time, zone = ''], run) => {
    if (!(time instanceof Timestamp) || typeof zone !== 'string') return noOverload;
    const date = clockIn(time, zone, run);
    return date === null ? new Failure(`unknown time zone ${zone}`) : BigInt(of(date));
  };

const part = (name: string): Implementation => {
  const ofTime = partOfTime(partsOfTime[name] ?? (() => 0));
  const size = partsOfDuration[name];
  return (args, run): Value => (args[0] instanceof Duration && size !== undefined ? args[0].nanoseconds / size : ofTime(args, run));
};

export const times: Library = Object.fromEntries(
  Object.keys(partsOfTime).flatMap((name) => [
    [`.${name}/0`, part(name)],
    [`.${name}/1`, partOfTime(partsOfTime[name] ?? (() => 0))],
  ]),
);
