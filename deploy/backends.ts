import type { Readiness } from './readiness.js';

/**
 * Decides which backends a balancer may use, without sockets or clocks. A backend is
 *
 *     unknown --first answer--> up <--> down
 *
 * `up` after one good probe, `down` after one bad one (which gives a busy server some time to answer) or a refused connection.
 */

/** Time until sessions of a failed backend are cut, while another is up. */
export const sessionGraceMs = {
  /** It does not answer: its sessions hang. */
  silent: 1000,
  /** The server answers but is not ready: it may be finishing requests before it stops. */
  unready: 10_000,
} as const;

/** Multiplies the latency of ready servers: on a slow machine, a silent server gets this many times as long to answer. */
const latencyFactor = 20;

export interface Backend {
  readonly host: string;
  readonly port: number;
  state: 'unknown' | 'up' | 'down';
  reason: 'silent' | 'unready' | null;
  /** Time on the caller's clock. */
  downSinceMs: number;
  /** When the probe under way began, or null. */
  askedAtMs: number | null;
  /** The time of its last good probe. */
  answeredInMs: number;
  connections: number;
  /** Total connections. Among equals, the backend with the fewest comes first, which also spreads short connections. */
  opened: number;
}

export function newBackend(host: string, port: number): Backend {
  return { host, port, state: 'unknown', reason: null, downSinceMs: 0, askedAtMs: null, answeredInMs: 0, connections: 0, opened: 0 };
}

/** Records a probe's result; returns true when the backend's state changed. */
export function recordProbe(backend: Backend, readiness: Readiness, nowMs: number): boolean {
  if (readiness.state === 'ready') backend.answeredInMs = nowMs - (backend.askedAtMs ?? nowMs);
  backend.askedAtMs = null;
  backend.reason = readiness.state === 'ready' ? null : readiness.state;
  return changeState(backend, readiness.state === 'ready' ? 'up' : 'down', nowMs);
}

/** Records a refused or timed-out connection: no more go to the backend until a probe succeeds. Returns true when the state changed. */
export function recordConnectFailure(backend: Backend, nowMs: number): boolean {
  backend.reason = 'silent';
  return changeState(backend, 'down', nowMs);
}

function changeState(backend: Backend, state: 'up' | 'down', nowMs: number): boolean {
  if (backend.state === state) return false;
  backend.state = state;
  if (state === 'down') backend.downSinceMs = nowMs;
  return true;
}

export function connectionOrder(backends: readonly Backend[]): Backend[] {
  const rank = { up: 0, unknown: 1, down: 2 } as const;
  const reasonRank = (backend: Backend): number => (backend.reason === 'silent' ? 1 : 0);
  return [...backends].sort(
    (a, b) => rank[a.state] - rank[b.state] || reasonRank(a) - reasonRank(b) || a.connections - b.connections || a.opened - b.opened,
  );
}

/** Returns whether to cut the sessions of a backend, so that clients reconnect to a working one. */
export function shouldCutSessions(backend: Backend, backends: readonly Backend[], nowMs: number): boolean {
  if (backend.state !== 'down' || backend.reason === null) return false;
  const ready = backends.filter(({ state }) => state === 'up');
  if (ready.length === 0) return false;
  const quickestMs = Math.min(...ready.map(({ answeredInMs, askedAtMs }) => Math.max(answeredInMs, nowMs - (askedAtMs ?? nowMs))));
  return nowMs - backend.downSinceMs >= Math.max(sessionGraceMs[backend.reason], latencyFactor * quickestMs);
}
