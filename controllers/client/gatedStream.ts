import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A connection that asks, each time before bytes leave, whether they still may. Between the decision to send a request and its first byte on the wire
 * lies the rest of a turn of the event loop; a program that is stopped just there for a while (SIGSTOP, a frozen machine) would send when it goes
 * on, long after its permission ended. Here the question is asked in the same call that hands the bytes to the kernel. When the answer is no, the connection is broken.
 *
 * What comes in passes as it is. Costs a copy in JavaScript, so it is for those who write, and not for watches.
 */
export class GatedStream extends Duplex {
  /** `mayPass` throws when nothing may leave any more. */
  constructor(
    private readonly socket: Socket,
    private readonly mayPass: () => void,
  ) {
    super();
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      this.mayPass();
    } catch (error) {
      this.socket.destroy();
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}
