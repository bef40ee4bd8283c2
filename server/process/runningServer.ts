import type { Socket } from 'node:net';

export interface RunningServer {
  /** The URL with the actual port. */
  readonly url: string;
  /**
   * Serves a connection that another process has accepted, as if it had arrived at the port; false, with the socket untouched, while the server stops. Null
   * with several threads: a socket cannot move to another thread, so one would get them all.
   */
  readonly takeConnection: ((socket: Socket) => boolean) | null;
  /** Resolves once everything is served; until then `/readyz` names what is missing. Rejects when the server stops before. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the process must end. */
  readonly failed: Promise<Error>;
  /** Stops without losing a response or a write. Repeated calls resolve together. */
  stop(): Promise<void>;
}
