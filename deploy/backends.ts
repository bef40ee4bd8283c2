import type { Readiness } from './readiness.js';

/**
 * Which backends a balancer may use: the decisions, without sockets or clocks. A backend is
 *
 *     unknown --first answer--> up <--> down
 *
 * `up` after one good probe, `down` after one bad one (which gives a busy server some time to answer) or a refused connection.
 */

/** How long sessions of a backend that is down are left alone, while another backend is up. */
export const sessionGraceMs = {
  /** It does not answer: its sessions hang, and their clients wait in vain. */
  silent: 1000,
  /** It answers and is not ready: it may be finishing its requests before it stops. */
  unready: 10_000,
} as const;

/** One server that connections can go to. */
export interface Backend {
  readonly host: string;
  readonly port: number;
  state: 'unknown' | 'up' | 'down';
  /** Why it is down. */
  reason: 'silent' | 'unready' | null;
  /** When it went down, on the caller's clock. */
  downSinceMs: number;
  /** Connections being opened or open. */
  connections: number;
  /** Connections so far: among equals the one that had fewest comes first, so that short ones spread as well. */
  opened: number;
}

export function newBackend(host: string, port: number): Backend {
  return { host, port, state: 'unknown', reason: null, downSinceMs: 0, connections: 0, opened: 0 };
}

/** Takes in a probe's result; true when the backend's state changed. */
export function recordProbe(backend: Backend, readiness: Readiness, nowMs: number): boolean {
  backend.reason = readiness.state === 'ready' ? null : readiness.state;
  return changeState(backend, readiness.state === 'ready' ? 'up' : 'down', nowMs);
}

/** A connection was refused or timed out: no further one goes there until a probe succeeds. True when the state changed. */
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

/**
 * Backends in the order in which one connection should try them: those that are up first, fewest connections first. Those that
 * are down come last instead of never, so that when none is ready the client still hears the server's own words (a 503 Status).
 */
export function connectionOrder(backends: readonly Backend[]): Backend[] {
  const rank = { up: 0, unknown: 1, down: 2 } as const;
  const reasonRank = (backend: Backend): number => (backend.reason === 'silent' ? 1 : 0);
  return [...backends].sort(
    (a, b) => rank[a.state] - rank[b.state] || reasonRank(a) - reasonRank(b) || a.connections - b.connections || a.opened - b.opened,
  );
}

/** Whether the sessions of a backend should be cut, so that their clients come again and reach one that works. */
export function shouldCutSessions(backend: Backend, backends: readonly Backend[], nowMs: number): boolean {
  if (backend.state !== 'down' || backend.reason === null) return false;
  if (!backends.some((other) => other.state === 'up')) return false;
  return nowMs - backend.downSinceMs >= sessionGraceMs[backend.reason];
}
