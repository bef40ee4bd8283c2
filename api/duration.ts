/** Go durations, such as `300ms` or `-1.5h`, in possibly fractional milliseconds. */
export type DurationResult = { readonly ok: true; readonly milliseconds: number } | { readonly ok: false; readonly message: string };

const unitMilliseconds: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
/** About 292 years, the limit of 64-bit nanoseconds. */
const millisecondsMax = 9_223_372_036_854;

/** About 24.8 days: Node fires a timer with a longer delay at once. */
export const delayMsMax = 2 ** 31 - 1;

/** Clients see the errors, so they are worded as in the Go standard library. */
export function parseDuration(text: string): DurationResult {
  const invalid = { ok: false, message: `time: invalid duration ${JSON.stringify(text)}` } as const;
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return { ok: true, milliseconds: 0 };
  if (rest === '') return invalid;
  let total = 0;
  while (rest !== '') {
    const [, number, unit] = /^(\d+\.?\d*|\.\d+)?([^.\d]*)/.exec(rest)!;
    if (number === undefined) return invalid;
    if (unit === '' || unit === undefined) return { ok: false, message: `time: missing unit in duration ${JSON.stringify(text)}` };
    const factor = unitMilliseconds.get(unit);
    if (factor === undefined)
      return { ok: false, message: `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}` };
    total += Number(number) * factor;
    rest = rest.slice(number.length + unit.length);
  }
  return total > millisecondsMax ? invalid : { ok: true, milliseconds: sign * total };
}

/** Returns the canonical spelling, such as `1m30s` or `150ms`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  if (milliseconds === 0) return '0s';
  if (milliseconds < 1e-3) return `${Math.round(milliseconds * 1e6)}ns`;
  if (milliseconds < 1) return `${Math.round(milliseconds * 1e6) / 1e3}µs`;
  if (milliseconds < 1_000) return `${milliseconds}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1_000;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
