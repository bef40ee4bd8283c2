import { isTimeZone, parseTiming, splitZone } from '../../../../api/cron.js';

export { isTimeZone } from '../../../../api/cron.js';

/** Whether a text is a cron schedule of five fields, or one of the words for common ones. Returns a complaint in the reference's words, or null. */
export function scheduleComplaint(schedule: string): string | null {
  const { zone, timing } = splitZone(schedule);
  if (zone !== null && !isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
  const parsed = parseTiming(timing);
  return parsed.ok ? null : parsed.message;
}
