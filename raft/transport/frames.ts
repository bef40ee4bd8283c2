import type { ByteWriter } from './bytes.js';
import { DecodeError } from './bytes.js';

/**
 * A connection carries frames: length of the rest (four bytes, big-endian), kind (one byte), payload.
 *
 *   sender    hello ........... raft* forward* ping* ........ or ... snapshotStart snapshotChunk* snapshotEnd
 *   receiver  ...... welcome .................. pong* ....... or ............................................. snapshotDone
 *                 (or refusal, and the connection ends)
 */
export const frameKinds = {
  hello: 1,
  welcome: 2,
  refusal: 3,
  raft: 4,
  forward: 5,
  ping: 6,
  pong: 7,
  snapshotStart: 8,
  snapshotChunk: 9,
  snapshotEnd: 10,
  snapshotDone: 11,
} as const;

/** Used for pings without it. Older receivers ignore the byte. */
export const spaceCodeDefault = 3;

export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

const lengthBytes = 4;

export function writeFrame(writer: ByteWriter, kind: FrameKind, write: (writer: ByteWriter) => void): void {
  const at = writer.skipU32();
  writer.u8(kind);
  write(writer);
  writer.patchU32(at, writer.length - at - lengthBytes);
}

/** A frame inside one chunk is a view of it; one that spans chunks is assembled once. */
export class FrameReader {
  /** A longer frame is not of this protocol. */
  frameBytesMax: number;
  #header = Buffer.allocUnsafe(lengthBytes);
  #headerFilled = 0;
  #body: Buffer | null = null;
  #bodyFilled = 0;

  constructor(frameBytesMax: number) {
    this.frameBytesMax = frameBytesMax;
  }

  /** Throws a DecodeError for an invalid length; exceptions of `onFrame` pass through. */
  push(chunk: Buffer, onFrame: (kind: number, payload: Buffer) => void): void {
    let at = 0;
    while (at < chunk.length) at = this.#body === null ? this.#begin(chunk, at, onFrame) : this.#continue(chunk, at, this.#body, onFrame);
  }

  #begin(chunk: Buffer, from: number, onFrame: (kind: number, payload: Buffer) => void): number {
    const headerEnd = Math.min(chunk.length, from + lengthBytes - this.#headerFilled);
    chunk.copy(this.#header, this.#headerFilled, from, headerEnd);
    this.#headerFilled += headerEnd - from;
    if (this.#headerFilled < lengthBytes) return headerEnd;
    this.#headerFilled = 0;
    const length = this.#header.readUInt32BE(0);
    if (length < 1 || length > this.frameBytesMax)
      throw new DecodeError(`a frame of ${length} bytes was announced; 1 to ${this.frameBytesMax} are accepted`);
    const bodyEnd = headerEnd + length;
    if (bodyEnd <= chunk.length) {
      onFrame(chunk[headerEnd] as number, chunk.subarray(headerEnd + 1, bodyEnd));
      return bodyEnd;
    }
    this.#body = Buffer.allocUnsafeSlow(length);
    this.#bodyFilled = 0;
    return headerEnd;
  }

  #continue(chunk: Buffer, from: number, body: Buffer, onFrame: (kind: number, payload: Buffer) => void): number {
    const end = Math.min(chunk.length, from + body.length - this.#bodyFilled);
    chunk.copy(body, this.#bodyFilled, from, end);
    this.#bodyFilled += end - from;
    if (this.#bodyFilled === body.length) {
      this.#body = null;
      onFrame(body[0] as number, body.subarray(1));
    }
    return end;
  }
}
