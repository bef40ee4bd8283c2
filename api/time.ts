/** Times in objects: RFC 3339 strings in UTC. */

export const timeOf = (text: string | null | undefined): number => (text ? Date.parse(text) : Number.NaN);

/** `2026-01-01T00:00:00Z` */
export const timeText = (ms: number): string => `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;

/** `2026-01-01T00:00:00.000000Z`, as in Leases and audit events. */
export const microTimeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`;

/** `2026-01-01` */
export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether a text is a day that exists, such as `2026-01-31`. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;

/** Seconds since 1970, plus nanoseconds. */
export interface Time {
  readonly seconds: number;
  readonly nanos: number;
}

const anyForm = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const secondsPerMinute = 60;
/** The zero time, printed as null and encoded as an empty message. */
const yearOneSeconds = -62_135_596_800;

/** Matches only days that every month has. */
const canonical: Readonly<Record<0 | 6, RegExp>> = {
  0: /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  6: /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
};

/** A cheap check that may miss canonical texts, but never accepts others. */
export const isCanonicalTime = (text: string, fractionDigits: 0 | 6): boolean => canonical[fractionDigits].test(text);

/** Reads RFC 3339; undefined if invalid, also for a day that does not exist. */
export const parseTime = (text: string): Time | undefined => {
  if (isCanonicalTime(text, 0)) return { seconds: canonicalSeconds(text), nanos: 0 };
  if (isCanonicalTime(text, 6)) return { seconds: canonicalSeconds(text), nanos: Number(text.slice(20, 26)) * 1000 };
  return parseAny(text);
};

const canonicalSeconds = (text: string): number =>
  Date.UTC(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
  ) / 1000;

const twoDigits = (text: string, index: number): number => (text.charCodeAt(index) - 0x30) * 10 + text.charCodeAt(index + 1) - 0x30;

const parseAny = (text: string): Time | undefined => {
  const match = anyForm.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) return undefined;
  const offsetMinutes = match[8] === undefined ? 0 : (match[8] === '-' ? -1 : 1) * (Number(match[9]) * 60 + Number(match[10]));
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * secondsPerMinute + second - offsetMinutes * secondsPerMinute;
  return { seconds, nanos: Number((match[7] ?? '').padEnd(9, '0').slice(0, 9)) };
};

/** Writes UTC with no fraction or six digits; the zero time gives null. */
export const formatTime = ({ seconds, nanos }: Time, fractionDigits: 0 | 6): string | null => {
  if (seconds === yearOneSeconds && nanos === 0) return null;
  const milliseconds = seconds * 1000;
  if (Math.abs(milliseconds) > 8.64e15) return null;
  const text = new Date(milliseconds).toISOString();
  if (fractionDigits === 0) return text.replace('.000Z', 'Z');
  return text.replace('.000Z', `.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`);
};
