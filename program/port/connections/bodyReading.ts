import type { Readable } from 'node:stream';
import { badRequest, StatusError } from '../../../api/status.js';
import { destroyLater } from '../streams.js';
import { tooManyBodies, type BodyBudget } from './bodyBudget.js';

/** Largest request body, as in the reference. */
export const bodyBytesMax = 3 * 1024 * 1024;
/** Clients may send this much of a refused body, and still see the response. */
const discardedBytesMax = 64 * 1024 * 1024;

const tooLarge = (): StatusError => new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bodyBytesMax}`);

export interface BodySender {
  readonly bodyOwner: string;
  /** Called once the body is complete, before any reader. May throw. */
  bodyComplete(): void;
}

export class BodyReading {
  readonly #stream: Readable;
  readonly #sender: BodySender;
  readonly #budget: BodyBudget;
  readonly bytes: Promise<Buffer>;
  #resolve: (bytes: Buffer) => void = () => undefined;
  #reject: (reason: Error) => void = () => undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #over = false;
  #whole = false;
  readonly #owner: string;

  constructor(stream: Readable, announced: string | undefined, sender: BodySender, budget: BodyBudget) {
    this.#stream = stream;
    this.#sender = sender;
    this.#budget = budget;
    this.#owner = sender.bodyOwner;
    this.bytes = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (Number(announced ?? 0) > bodyBytesMax) this.#refuse(tooLarge());
    else this.#begin();
  }

  /** Null until the body is complete. */
  get bytesRead(): number | null {
    return this.#whole ? this.#size : null;
  }

  #begin(): void {
    const stream = this.#stream;
    stream.on('data', this.#onData);
    stream.once('end', this.#onEnd);
    stream.once('error', this.#onError);
    if (stream.destroyed) this.stop();
  }

  /** Has no effect on a complete body. */
  stop(cause?: Error): void {
    if (!this.#over) this.#fail(badRequest('the request body ended before it was complete', cause));
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.#budget.take(this.#owner, chunk.length)) return this.#refuse(tooManyBodies());
    this.#size += chunk.length;
    if (this.#size > bodyBytesMax) return this.#refuse(tooLarge());
    this.#chunks.push(chunk);
  };

  readonly #onEnd = (): void => {
    if (!this.#finish()) return;
    this.#whole = true;
    try {
      this.#sender.bodyComplete();
      this.#resolve(this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#size));
    } catch (error) {
      this.#reject(error as Error);
    }
  };

  readonly #onError = (cause: Error): void => {
    this.stop(cause);
  };

  #refuse(reason: StatusError): void {
    this.#fail(reason);
    discard(this.#stream, this.#size);
  }

  #fail(reason: Error): void {
    if (!this.#finish()) return;
    this.#chunks.length = 0;
    this.#reject(reason);
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#budget.giveBack(this.#owner, this.#size);
    this.#stream.off('data', this.#onData);
    this.#stream.off('end', this.#onEnd);
    return true;
  }
}

function discard(stream: Readable, alreadyRead: number): void {
  let size = alreadyRead;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > discardedBytesMax) destroyLater(stream);
  });
}
