import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A connection that checks before each write to the kernel whether it is still permitted; a refusal breaks the connection. A program suspended (SIGSTOP, a
 * frozen machine) after its decision to send would otherwise send long after its permission ended. Received bytes pass unchanged. Sent data is copied, so use
 * it for writes, not watches.
 */
export class GatedStream extends Duplex {
  readonly #socket: Socket;
  readonly #mayPass: () => void;

  /** `mayPass` throws when nothing may be sent any more. */
  constructor(socket: Socket, mayPass: () => void) {
    super();
    this.#socket = socket;
    this.#mayPass = mayPass;
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      this.#mayPass();
    } catch (error) {
      this.#socket.destroy();
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
