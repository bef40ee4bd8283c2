import { parseMetrics } from './metrics.js';

/** A certificate as one server reports it (`program/knownCertificates.ts`). */
export interface Certificate {
  readonly option: string;
  readonly subject: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970; null for an unreadable file. */
  readonly endsAt: number | null;
}

const metric = 'raftplane_certificate_end_timestamp_seconds';

/** Reads them from the metrics of a program. */
export const certificatesIn = (metrics: string): readonly Certificate[] =>
  (parseMetrics(metrics, new Set([metric])).get(metric) ?? []).map(
    ({ labels: { option = '', subject = '', fingerprint = '' }, value }) => ({
      option,
      subject,
      fingerprint,
      endsAt: value === 0 ? null : value * 1_000,
    }),
  );

export interface Ending {
  readonly subject: string;
  readonly options: readonly string[];
  readonly servers: readonly string[];
  readonly endsAt: number | null;
  readonly days: number;
  readonly urgency: 'now' | 'soon' | 'later';
}

const dayMs = 86_400_000;
const soonDays = 30;
const urgentDays = 7;

/** Joins servers' certificates: unreadable ones first, then by end. */
export function endingFirst(byServer: ReadonlyMap<string, readonly Certificate[]>, now: number): readonly Ending[] {
  const groups = new Map<string, { readonly one: Certificate; readonly options: Set<string>; readonly servers: Set<string> }>();
  for (const [server, certificates] of byServer)
    for (const one of certificates) {
      const key = one.fingerprint === '' ? one.option : one.fingerprint;
      const group = groups.get(key) ?? { one, options: new Set(), servers: new Set() };
      group.options.add(one.option);
      group.servers.add(server);
      groups.set(key, group);
    }
  return [...groups.values()]
    .map(({ one: { subject, endsAt }, options, servers }): Ending => {
      const days = endsAt === null ? 0 : Math.floor((endsAt - now) / dayMs);
      const urgency = endsAt === null || days < urgentDays ? 'now' : days < soonDays ? 'soon' : 'later';
      return { subject, options: [...options].sort(), servers: [...servers].sort(), endsAt, days, urgency };
    })
    .sort((a, b) => (a.endsAt ?? 0) - (b.endsAt ?? 0));
}
