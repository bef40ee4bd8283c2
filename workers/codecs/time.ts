/** A point in time: whole seconds since 1970 and nanoseconds after them. */
export interface Time { readonly seconds: number; readonly nanos: number }

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const SECONDS_PER_MINUTE = 60;
/** A zero time prints as null, and as an empty message; this is what it would read as. */
const YEAR_ONE_SECONDS = -62_135_596_800;

/** Reads an RFC 3339 time; undefined if it is none, or names a day that does not exist. */
export const parseTime = (text: string): Time | undefined => {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) return undefined;
  const offsetMinutes = match[8] === undefined ? 0 : (match[8] === '-' ? -1 : 1) * (Number(match[9]) * 60 + Number(match[10]));
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * SECONDS_PER_MINUTE + second - offsetMinutes * SECONDS_PER_MINUTE;
  return { seconds, nanos: Number((match[7] ?? '').padEnd(9, '0').slice(0, 9)) };
};

/** Writes a time in UTC with no fraction or with exactly six digits; the zero time is null. */
export const formatTime = ({ seconds, nanos }: Time, fractionDigits: 0 | 6): string | null => {
  if (seconds === YEAR_ONE_SECONDS && nanos === 0) return null;
  const milliseconds = seconds * 1000;
  if (Math.abs(milliseconds) > 8.64e15) return null;
  const text = new Date(milliseconds).toISOString();
  if (fractionDigits === 0) return text.replace('.000Z', 'Z');
  return text.replace('.000Z', `.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`);
};
