/** Times as objects carry them: RFC 3339 texts in UTC. The finest reading, with nanoseconds, is that of the codecs (`workers/codecs/time.ts`). */

/** Milliseconds since 1970 of a time in an object; NaN for none. */
export const timeOf = (text: string | null | undefined): number => (text ? Date.parse(text) : Number.NaN);

/** Whole seconds, as most members have it: `2026-01-01T00:00:00Z`. */
export const timeText = (ms: number): string => `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;

/** With microseconds, as Leases and audit events have it: `2026-01-01T00:00:00.000000Z`. */
export const microTimeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`;

/** The day alone: `2026-01-01`. */
export const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
