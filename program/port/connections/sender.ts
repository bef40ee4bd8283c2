/** A sender with bytes for a connection that has no room for them now. */
export interface Sender {
  /** Called once, when there is room again, or at the connection's end. */
  sendMore(): void;
}

/** Bounds the untransmitted bytes of a connection: wide HTTP/2 windows would have everything encrypted at once. */
export interface SendBuffer {
  readonly pieceBytes: number;
  add(bytes: number): void;
  remove(bytes: number): void;
  whenRoom(sender: Sender): void;
  forget(sender: Sender): void;
}

export const unbounded: SendBuffer = {
  pieceBytes: 128 * 1024,
  add: () => undefined,
  remove: () => undefined,
  whenRoom: (sender) => {
    sender.sendMore();
  },
  forget: () => undefined,
};
