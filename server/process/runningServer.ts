import type { Socket } from 'node:net';

export interface RunningServer {
  readonly url: string;
  /** Returns false, without touching the socket, while the server stops. Null with several threads, between which sockets cannot move. */
  readonly takeConnection: ((socket: Socket) => boolean) | null;
  /** Resolves once everything is served; until then `/readyz` names missing parts. Rejects when the server stops before. */
  readonly ready: Promise<void>;
  readonly failed: Promise<Error>;
  /** Loses no response or write. Repeated calls resolve together. */
  stop(): Promise<void>;
}
