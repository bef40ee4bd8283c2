import type { Socket } from 'node:net';

/** An API server that takes requests. */
export interface RunningServer {
  /** Where it listens, also when any free port was asked for. */
  readonly url: string;
  /**
   * Serves a connection that another process has accepted, as if it had come to the port; false, with the socket untouched, while the server stops. Null
   * where several threads serve: a socket cannot go to another thread, and one thread would get them all.
   */
  readonly takeConnection: ((socket: Socket) => boolean) | null;
  /** Resolves once everything is served; until then `/readyz` says what is missing. Rejects when the server stops before. */
  readonly ready: Promise<void>;
  /** Resolves, with the reason, when the server cannot go on and the process must end. */
  readonly failed: Promise<Error>;
  /** Stops without losing an answer or a write. May be called again; all calls resolve together. */
  stop(): Promise<void>;
}
