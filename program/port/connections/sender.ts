/** Somebody with bytes for a connection that has no room for them now. */
export interface Sender {
  /** There is room again, or the connection is over. To be asked for anew with `whenRoom` if it is not enough. */
  sendMore(): void;
}

/**
 * The back-pressure of one connection: what has been handed over to it, and has not been taken by the network yet. HTTP/2 bounds each stream by windows that
 * the client chooses, and a client that chooses wide ones would have everything encrypted and kept in native memory at once.
 */
export interface SendBuffer {
  /** How much may be handed over now in one piece; 0 where there is no room. */
  readonly pieceBytes: number;
  /** So much is handed over. */
  add(bytes: number): void;
  /** So much of it has been taken, or is not wanted any more. */
  remove(bytes: number): void;
  /** Has the sender called once, after those who have asked before. */
  whenRoom(sender: Sender): void;
  /** Without effect where it does not wait. */
  forget(sender: Sender): void;
}

/** Of a stream whose connection nobody bounds. */
export const unbounded: SendBuffer = {
  pieceBytes: 128 * 1024,
  add: () => undefined,
  remove: () => undefined,
  whenRoom: (sender) => {
    sender.sendMore();
  },
  forget: () => undefined,
};
