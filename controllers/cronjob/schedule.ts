import { Cron } from 'croner';
import { parseTiming, splitZone, type Timing } from '../../api/cron.js';
import { zoneOf, type Zone } from './zones.js';

export interface Schedule {
  /** Returns the first time after `ms`; null when there is none within five years (the 31st of February). */
  next(ms: number): number | null;
  /** Returns the last time in (`from`, `until`]; null without one. */
  last(from: number, until: number): number | null;
}

export type ScheduleResult = { readonly ok: true; readonly schedule: Schedule } | { readonly ok: false; readonly message: string };

const yearMs = 366 * 24 * 3_600_000;
const horizonMs = 5 * yearMs;
/** Clocks change some twenty times within the horizon; more is a defect. */
const changesMax = 1_000;

/** `zone` is that of `timeZone`, or the process's own; a zone in the text wins. */
export function scheduleOf(text: string, zoneName: string): ScheduleResult {
  const { zone: ownZone, timing } = splitZone(text);
  const parsed = parseTiming(timing);
  if (!parsed.ok) return parsed;
  const name = ownZone ?? zoneName;
  const zone = zoneOf(name);
  if (!zone) return { ok: false, message: `provided bad location ${name}: unknown time zone ${name}` };
  return { ok: true, schedule: byTiming(parsed.timing, zone) };
}

function byTiming(timing: Timing, zone: Zone): Schedule {
  if (timing.kind === 'never') return { next: () => null, last: () => null };
  if (timing.kind === 'every') return everySchedule(timing.ms);
  const next = calendarNext(timing.fields, zone);
  return { next, last: (from, until) => lastOf(next, from, until) };
}

/** Counts from whole seconds, independent of the calendar. */
function everySchedule(everyMs: number): Schedule {
  const next = (ms: number): number => Math.floor(ms / 1000) * 1000 + everyMs;
  return {
    next,
    last(from, until) {
      const first = next(from);
      return first > until ? null : first + Math.floor((until - first) / everyMs) * everyMs;
    },
  };
}

/**
 * Returns the times at which the local clock matches the fields. A time skipped when clocks go forward does not come that day; one shown twice when they go
 * back comes twice. The library treats such changes differently, so it computes with a clock that is never set.
 */
function calendarNext(fields: string, zone: Zone): (ms: number) => number | null {
  const cron = new Cron(fields, { paused: true, utcOffset: 0, mode: '5-part' });
  const nextOnWall = (wall: number): number | null => cron.nextRun(new Date(wall))?.getTime() ?? null;
  return (ms) => {
    let start = ms;
    let offset = zone.offsetAt(start);
    let shown = start + offset;
    for (let changes = 0; changes < changesMax; changes++) {
      const wall = nextOnWall(shown);
      if (wall === null || wall - offset > ms + horizonMs) return null;
      const change = zone.nextChange(start, wall - offset);
      if (change === null) return wall - offset;
      start = change;
      offset = zone.offsetAt(change);
      // One less, because the moment of the change itself may be due.
      shown = change + offset - 1;
    }
    return null;
  };
}

/** Binary search: each step finds a later time or discards half of the rest. */
function lastOf(next: (ms: number) => number | null, from: number, until: number): number | null {
  const upTo = (ms: number): number | null => {
    const found = next(ms);
    return found !== null && found <= until ? found : null;
  };
  let found = upTo(from);
  for (let [low, high] = [found ?? until, until]; low < high;) {
    const middle = Math.floor((low + high) / 2);
    const later = upTo(middle);
    if (later === null) high = middle;
    else {
      found = later;
      low = later;
    }
  }
  return found;
}
