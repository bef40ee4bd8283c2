/** Times as objects carry them: RFC 3339 texts, written in UTC. */

/** Milliseconds since 1970 of a time in an object; NaN for none. */
export const timeOf = (text: string | null | undefined): number => (text ? Date.parse(text) : Number.NaN);

/** Whole seconds, as most members have it: `2026-01-01T00:00:00Z`. */
export const timeText = (ms: number): string => `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;

/** With microseconds, as Leases and audit events have it: `2026-01-01T00:00:00.000000Z`. */
export const microTimeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`;

/** The day alone: `2026-01-01`. */
export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A point in time: whole seconds since 1970 and nanoseconds after them. */
export interface Time {
  readonly seconds: number;
  readonly nanos: number;
}

const anyForm = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const secondsPerMinute = 60;
/** A zero time prints as null, and as an empty message; this is what it would read as. */
const yearOneSeconds = -62_135_596_800;

/** Reads an RFC 3339 time; undefined if it is none, or names a day that does not exist. */
export const parseTime = (text: string): Time | undefined =>
  (text.length === canonicalLength ? parseCanonical(text) : undefined) ?? parseAny(text);

/** `2026-01-01T00:00:00Z`: the form of nearly all times, read without a regular expression. */
const canonicalLength = 20;
const canonicalMarks: readonly (readonly [number, string])[] = [
  [4, '-'],
  [7, '-'],
  [10, 'T'],
  [13, ':'],
  [16, ':'],
  [19, 'Z'],
];

const parseCanonical = (text: string): Time | undefined => {
  for (const [index, mark] of canonicalMarks) if (text[index] !== mark) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const [month, day, hour, minute, second] = [
    twoDigits(text, 5),
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
  ];
  // Anything odd, NaN included, is left to the thorough reader.
  if (!(year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  return { seconds: Date.UTC(year, month - 1, day, hour, minute, second) / 1000, nanos: 0 };
};

const twoDigits = (text: string, index: number): number => {
  const [tens, ones] = [text.charCodeAt(index) - 0x30, text.charCodeAt(index + 1) - 0x30];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
};

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

/** Writes a time in UTC with no fraction or with exactly six digits; the zero time is null. */
export const formatTime = ({ seconds, nanos }: Time, fractionDigits: 0 | 6): string | null => {
  if (seconds === yearOneSeconds && nanos === 0) return null;
  const milliseconds = seconds * 1000;
  if (Math.abs(milliseconds) > 8.64e15) return null;
  const text = new Date(milliseconds).toISOString();
  if (fractionDigits === 0) return text.replace('.000Z', 'Z');
  return text.replace('.000Z', `.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`);
};
