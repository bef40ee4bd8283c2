import { Writable, type Readable } from 'node:stream';
import type { Request, Response } from './message.js';

export const bodyStream = (request: Request): Readable => ('stream' in request ? request.stream : request);

/** Destroys a body later, for a caller in its data listener: Node may be in the middle of reading the connection (`http/nestedReads`). */
export function destroyLater(body: Readable): void {
  setImmediate(() => body.destroy());
}

/** The stream for the body of a response once its head is sent. It must be ended only through the response. */
export const answerStream = (response: Response): Writable => ('stream' in response ? response.stream : response);

export const isGone = (response: Response): boolean => answerStream(response).destroyed;

/** The response as a target for a pipe: the head is sent with the first bytes, and the response ends when the writing ends. */
export function writableOf(response: Response): Writable {
  if (!('stream' in response)) return response;
  const { stream } = response;
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, taken) => {
      response.flushHeaders();
      // A client that resets the stream ends it a moment before it closes; later writes are dropped.
      if (stream.writableEnded || stream.destroyed) taken();
      else stream.write(chunk, taken);
    },
    final: (done) => {
      response.end();
      done();
    },
    destroy: (error, done) => {
      if (!response.writableEnded) response.destroy(error ?? undefined);
      done(error);
    },
  });
  // The stream's close says all there is to know about any of its errors.
  writable.on('error', ignore);
  stream.once('close', () => {
    writable.destroy();
  });
  return writable;
}

const ignore = (): void => {};
