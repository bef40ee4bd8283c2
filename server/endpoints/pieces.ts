/** Long bodies are written in pieces of this size: large enough to be cheap, small enough not to hold up other requests. */
export const pieceBytes = 128 * 1024;
/** Pieces without use that wait for the next long body, 2 MiB: as many as eight clients have under way. */
const spareMax = 16;

/** Memory for pieces is used again: making and dropping 128 KiB at a time is most of what the garbage collector had to do for lists. */
const spare: Buffer[] = [];

export interface Piece {
  readonly bytes: Buffer;
  /** To be called when the bytes have been taken, or never. */
  readonly release: (() => void) | null;
}

/** Cuts and joins parts to pieces of one size, but for the last. Parts that are longer than a piece are not copied. */
export function* pieces(parts: Iterable<Buffer>): Generator<Piece, void> {
  let room = take();
  let used = 0;
  for (const part of parts) {
    let at = 0;
    if (used > 0 || part.length < pieceBytes) {
      at = part.copy(room, used);
      used += at;
      if (used < pieceBytes) continue;
      yield filled(room, used);
      room = take();
      used = 0;
    }
    for (; part.length - at >= pieceBytes; at += pieceBytes) yield { bytes: part.subarray(at, at + pieceBytes), release: null };
    used = part.copy(room, 0, at);
  }
  if (used > 0) yield filled(room, used);
  else give(room);
}

function filled(room: Buffer, used: number): Piece {
  return {
    bytes: used === room.length ? room : room.subarray(0, used),
    release: () => {
      give(room);
    },
  };
}

const take = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);

function give(room: Buffer): void {
  if (spare.length < spareMax) spare.push(room);
}
