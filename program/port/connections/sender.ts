/** A sender with bytes for a connection that has no room for them now. */
export interface Sender {
  /** Called when there is room again, or the connection is over. If the room does not suffice, `whenRoom` must be called again. */
  sendMore(): void;
}

/**
 * The back-pressure of one connection: bytes handed over to it that the network has not taken yet. HTTP/2 bounds each stream by windows that the client
 * chooses, and a client that chooses wide ones would have everything encrypted and kept in native memory at once.
 */
export interface SendBuffer {
  /** Size of the piece that may be handed over now; 0 without room. */
  readonly pieceBytes: number;
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Calls the sender once, after those that wait already. */
  whenRoom(sender: Sender): void;
  /** Has no effect on a sender that does not wait. */
  forget(sender: Sender): void;
}

/** The buffer of a stream whose connection is unbounded. */
export const unbounded: SendBuffer = {
  pieceBytes: 128 * 1024,
  add: () => undefined,
  remove: () => undefined,
  whenRoom: (sender) => {
    sender.sendMore();
  },
  forget: () => undefined,
};
