import type { Socket } from 'node:net';

export interface RunningServer {
  readonly url: string;
  /** False, with the socket untouched, while the server stops. Null with several threads: a socket cannot move to another thread. */
  readonly takeConnection: ((socket: Socket) => boolean) | null;
  /** Resolves once everything is served; until then `/readyz` names what is missing. Rejects when the server stops before. */
  readonly ready: Promise<void>;
  readonly failed: Promise<Error>;
  /** Loses no response or write. Repeated calls resolve together. */
  stop(): Promise<void>;
}
