/** An API server that takes requests. */
export interface RunningServer {
  /** Where it listens, also when any free port was asked for. */
  readonly url: string;
  /** Resolves once everything is served; until then `/readyz` says what is missing. Rejects when the server stops before. */
  readonly ready: Promise<void>;
  /** Resolves, with the reason, when the server cannot go on and the process must end. */
  readonly failed: Promise<Error>;
  /** Stops without losing an answer or a write. May be called again; all calls resolve together. */
  stop(): Promise<void>;
}
