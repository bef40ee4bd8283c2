/** Large enough to be cheap, small enough not to block requests. */
export const pieceBytes = 128 * 1024;
/** 2 MiB, as many as eight clients have in flight. */
const spareMax = 16;

/** Reuse saves most of the garbage collector's work for lists. */
const spare: Buffer[] = [];

export interface Piece {
  readonly bytes: Buffer;
  /** Called when the bytes have been taken, or never. */
  readonly release: (() => void) | null;
}

/** Cuts and joins parts to one size, without copying longer ones. */
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
