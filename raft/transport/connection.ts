import type { TLSSocket } from 'node:tls';
import { DecodeError } from './bytes.js';
import { FrameReader } from './frames.js';
import { handshakeBytesMax } from './handshake.js';

const lingerMs = 1_000;

export interface ConnectionEvents {
  onFrame(kind: number, payload: Buffer): void;
  onClose(reason: string): void;
}

/** Before `acceptLongFrames`, it accepts only frames of handshake size. */
export class Connection {
  readonly socket: TLSSocket;
  readonly #frames = new FrameReader(handshakeBytesMax);
  readonly #events: ConnectionEvents;
  #closed = false;
  #deadline: NodeJS.Timeout | null = null;

  constructor(socket: TLSSocket, events: ConnectionEvents) {
    this.socket = socket;
    this.#events = events;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error: Error) => this.close(error.message));
    socket.on('end', () => this.close('the other side ended it'));
    socket.on('close', () => this.close('connection closed'));
  }

  get closed(): boolean {
    return this.#closed;
  }

  get unsentBytes(): number {
    return this.socket.writableLength;
  }

  acceptLongFrames(frameBytesMax: number): void {
    this.#frames.frameBytesMax = frameBytesMax;
  }

  write(bytes: Buffer): boolean {
    return this.#closed || this.socket.write(bytes);
  }

  /** Null clears the deadline. */
  setDeadline(ms: number | null, reason = ''): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#deadline = ms === null || this.#closed ? null : setTimeout(() => this.close(reason), ms);
  }

  close(reason: string, last?: Buffer): void {
    if (this.#closed) return;
    this.#closed = true;
    this.setDeadline(null);
    if (last === undefined) this.socket.destroy();
    else this.#linger(last);
    this.#events.onClose(reason);
  }

  #linger(last: Buffer): void {
    const late = setTimeout(() => this.socket.destroy(), lingerMs);
    this.socket.once('close', () => clearTimeout(late));
    this.socket.end(last, () => this.socket.destroy());
  }

  #read(chunk: Buffer): void {
    try {
      this.#frames.push(chunk, (kind, payload) => {
        if (!this.#closed) this.#events.onFrame(kind, payload);
      });
    } catch (error) {
      if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
      this.close(`not understood: ${error.message}`);
    }
  }
}
