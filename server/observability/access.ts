import { Counter, type Registry } from 'prom-client';
import { DurationHistogram } from './durations.js';

/** What is counted of every request on its way through the doors. */
export interface AccessMetrics {
  authenticated(result: 'success' | 'failure' | 'error', seconds: number, user: string): void;
  authorized(decision: 'allowed' | 'denied' | 'no-opinion' | 'error', seconds: number): void;
}

/** Bounds in seconds, as in the reference: doubled from one millisecond on. */
const bounds = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Names that occur in every cluster; others are told by their kind, because labels must stay few. */
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
  const [authentication, authorization] = (['authentication', 'authorization'] as const).map(
    (what) =>
      new DurationHistogram({
        name: `${what}_duration_seconds`,
        help: `Time that ${what} took, in seconds, by outcome.`,
        labelNames: ['result'],
        buckets: bounds,
        registers: [registry],
      }),
  ) as [DurationHistogram, DurationHistogram];
  const series = {
    success: authentication.of({ result: 'success' }),
    failure: authentication.of({ result: 'failure' }),
    error: authentication.of({ result: 'error' }),
  };
  const decided = {
    allowed: authorization.of({ result: 'allowed' }),
    denied: authorization.of({ result: 'denied' }),
    'no-opinion': authorization.of({ result: 'no-opinion' }),
    error: authorization.of({ result: 'error' }),
  };
  return {
    authenticated: (result, seconds, user) => {
      attempts(result);
      series[result].observe(seconds);
      if (result === 'success') users(nameOf(user));
    },
    authorized: (decision, seconds) => {
      decisions(decision);
      decided[decision].observe(seconds);
    },
  };
}

const hour = 60 * 60;
const day = 24 * hour;
/** In seconds, as in the reference: so that those whose certificates end soon can be told of. */
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

/** How long certificates of clients are still good for when they are used. */
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

/** Tokens of service accounts that were good, and those whose client should have fetched another one by then. */
export function createTokenMetrics(registry: Registry): (kind: 'valid' | 'stale') => void {
  const counts = { valid: 0, stale: 0 };
  const helps = {
    valid: 'Tokens of service accounts that were good.',
    stale: 'Those of them whose client should have fetched another one by then.',
  };
  for (const kind of ['valid', 'stale'] as const)
    new Counter({
      name: `serviceaccount_${kind}_tokens_total`,
      help: helps[kind],
      registers: [registry],
      collect() {
        this.reset();
        this.inc(counts[kind]);
      },
    });
  return (kind) => {
    counts[kind]++;
  };
}

/** Counts by one label, and tells the library only when it is asked: its own counters hash labels with every count. */
function tally(registry: Registry, name: string, help: string, label: string): (value: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of counts) this.inc({ [label]: value }, count);
    },
  });
  return (value) => {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  };
}

/** Decisions of one link of the chain of authorizers. */
export interface DecisionCount {
  allowed: number;
  denied: number;
}

/** Answers where to count for a link; the same link of a later configuration goes on counting. */
export function createDecisionCounts(registry: Registry): (type: string, name: string) => DecisionCount {
  const counts = new Map<string, { readonly type: string; readonly name: string; readonly count: DecisionCount }>();
  new Counter({
    name: 'apiserver_authorization_decisions_total',
    help: 'Decisions that settled a request, by authorizer.',
    labelNames: ['type', 'name', 'decision'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { type, name, count } of counts.values())
        for (const decision of ['allowed', 'denied'] as const) if (count[decision] > 0) this.inc({ type, name, decision }, count[decision]);
    },
  });
  return (type, name) => {
    const key = JSON.stringify([type, name]);
    const known = counts.get(key) ?? { type, name, count: { allowed: 0, denied: 0 } };
    counts.set(key, known);
    return known.count;
  };
}
