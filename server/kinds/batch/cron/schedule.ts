import { isTimeZone, parseTiming, splitZone } from '../../../../api/cron.js';

export { isTimeZone } from '../../../../api/cron.js';

/** Returns the reference's error for an invalid cron schedule (five fields, or a macro), or null. */
export function scheduleProblem(schedule: string): string | null {
  const { zone, timing } = splitZone(schedule);
  if (zone !== null && !isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
  const parsed = parseTiming(timing);
  return parsed.ok ? null : parsed.message;
}
