import { exponentialBuckets, Gauge, type Registry } from 'prom-client';
import type { TokenUse } from './serviceaccount/tokenUse.js';
import type { TokenCacheCounts } from './tokens/cacheCounts.js';
import { DurationHistogram, type DurationSeries } from '../../program/metrics/durations.js';
import { total, totals, type Total } from '../../program/metrics/totals.js';

export interface AccessMetrics {
  authenticated(result: 'success' | 'failure' | 'error', seconds: number, user: string): void;
  authorized(decision: 'allowed' | 'denied' | 'no-opinion' | 'error', seconds: number): void;
}

/** Bounds in seconds, as in the reference. */
const bounds = exponentialBuckets(0.001, 2, 15);

/** Bounds in seconds, as in the reference. */
const filterBounds = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/** Common names; other users are grouped by kind, to keep labels few. */
const knownNames: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);
const nameOf = (user: string): string => (knownNames.has(user) ? user : user.includes('@') ? 'email_id' : 'other');

export function createAccessMetrics(registry: Registry): AccessMetrics {
  const attempts = tally(registry, 'authentication_attempts', 'Requests whose credentials were looked at, by outcome.', 'result');
  const users = tally(
    registry,
    'authenticated_user_requests',
    'Requests of users whose credentials were good, by user or kind of user.',
    'username',
  );
  const decisions = tally(
    registry,
    'authorization_attempts_total',
    'Requests about which it was decided whether they may, by outcome.',
    'result',
  );
  const authentication = outcomeDurations(registry, 'authentication', ['success', 'failure', 'error']);
  const authorization = outcomeDurations(registry, 'authorization', ['allowed', 'denied', 'no-opinion', 'error']);
  const filters = new DurationHistogram({
    name: 'apiserver_request_filter_duration_seconds',
    help: 'Time that a step before the work on a request took, in seconds: authentication and authorization.',
    labelNames: ['filter'],
    buckets: filterBounds,
    registers: [registry],
  });
  const filter = seriesBy(filters, 'filter', ['authentication', 'authorization']);
  return {
    authenticated: (result, seconds, user) => {
      attempts(result);
      authentication[result].observe(seconds);
      filter.authentication.observe(seconds);
      if (result === 'success') users(nameOf(user));
    },
    authorized: (decision, seconds) => {
      decisions(decision);
      authorization[decision].observe(seconds);
      filter.authorization.observe(seconds);
    },
  };
}

function outcomeDurations<Outcome extends string>(
  registry: Registry,
  what: string,
  outcomes: readonly Outcome[],
): Readonly<Record<Outcome, DurationSeries>> {
  const durations = new DurationHistogram({
    name: `${what}_duration_seconds`,
    help: `Time that ${what} took, in seconds, by outcome.`,
    labelNames: ['result'],
    buckets: bounds,
    registers: [registry],
  });
  return seriesBy(durations, 'result', outcomes);
}

const seriesBy = <Value extends string>(
  histogram: DurationHistogram,
  label: string,
  values: readonly Value[],
): Readonly<Record<Value, DurationSeries>> =>
  Object.fromEntries(values.map((value) => [value, histogram.of({ [label]: value })])) as Record<Value, DurationSeries>;

const hour = 60 * 60;
const day = 24 * hour;
/** Seconds, as in the reference, to find certificates that expire soon. */
const leftBuckets = [
  0,
  hour / 2,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  7 * day,
  30 * day,
  90 * day,
  180 * day,
  360 * day,
];

/** The remaining lifetime of client certificates in use. */
export function createCertificateMetrics(registry: Registry): (secondsLeft: number) => void {
  const left = new DurationHistogram({
    name: 'apiserver_client_certificate_expiration_seconds',
    help: 'How long certificates of clients were still good for when a request came with them, in seconds.',
    labelNames: [],
    buckets: leftBuckets,
    registers: [registry],
  }).of({});
  return (secondsLeft) => {
    left.observe(secondsLeft);
  };
}

export function createTokenMetrics(registry: Registry): (use: TokenUse) => void {
  const count = (name: string, help: string): Total => total(registry, `serviceaccount_${name}_total`, help);
  const counts: Readonly<Record<TokenUse, Total>> = {
    valid: count('valid_tokens', 'Tokens of service accounts that were good, before their client should have fetched another one.'),
    stale: count('stale_tokens', 'Tokens of service accounts that were good, but whose client should have fetched another one by then.'),
    legacy: count('legacy_tokens', 'Tokens without an end, kept in secrets, that were good.'),
    legacyAuto: count('legacy_auto_token_uses', 'Those of them whose secret the service account names: a controller has made it.'),
    legacyManual: count('legacy_manual_token_uses', 'Those of them whose secret somebody has made by hand.'),
    invalidLegacyAuto: count('invalid_legacy_auto_token_uses', 'Uses of tokens that were refused because nobody had used them for long.'),
  };
  return (use) => {
    counts[use].value++;
  };
}

/** Default bounds of the reference's library, in seconds. */
const usualBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createTokenCacheMetrics(registry: Registry): TokenCacheCounts {
  const prefix = 'authentication_token_cache';
  const labelNames = ['status'] as const;
  const requests = totals(registry, {
    name: `${prefix}_request_total`,
    help: 'Tokens that were looked up, by whether an answer was remembered.',
    labelNames,
  });
  const durations = new DurationHistogram({
    name: `${prefix}_request_duration_seconds`,
    help: 'Time until there was an answer about a token, in seconds, by whether it was remembered.',
    labelNames: [...labelNames],
    buckets: usualBounds,
    registers: [registry],
  });
  const fetches = totals(registry, {
    name: `${prefix}_fetch_total`,
    help: 'Answers about tokens that were worked out or asked for.',
    labelNames,
  });
  const active = activeFetches(registry, `${prefix}_active_fetch_count`);
  const looked = { hit: requests({ status: 'hit' }), miss: requests({ status: 'miss' }) };
  const times = seriesBy(durations, 'status', ['hit', 'miss']);
  const fetched = { ok: fetches({ status: 'ok' }), error: fetches({ status: 'error' }) };
  return {
    looked: (how, seconds) => {
      looked[how].value++;
      times[how].observe(seconds);
    },
    fetching: (delta) => {
      active.in_flight += delta;
    },
    blocked: (delta) => {
      active.blocked += delta;
    },
    fetched: (outcome) => {
      fetched[outcome].value++;
    },
  };
}

function activeFetches(registry: Registry, name: string): Record<'in_flight' | 'blocked', number> {
  const active = { in_flight: 0, blocked: 0 };
  new Gauge({
    name,
    help: 'Tokens about which an answer is being asked for (in_flight), and requests that wait for what another one has asked for (blocked).',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      for (const status of ['in_flight', 'blocked'] as const) this.set({ status }, active[status]);
    },
  });
  return active;
}

function tally(registry: Registry, name: string, help: string, label: string): (value: string) => void {
  const all = totals(registry, { name, help, labelNames: [label] });
  const known = new Map<string, Total>();
  return (value) => {
    const found = known.get(value) ?? all({ [label]: value });
    known.set(value, found);
    found.value++;
  };
}
