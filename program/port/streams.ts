import { Writable, type Readable } from 'node:stream';
import type { Request, Response } from './message.js';

/** The body of a request. */
export const bodyStream = (request: Request): Readable => ('stream' in request ? request.stream : request);

/** For whoever is being told of a piece of it: Node may be in the middle of reading the connection (`http/nestedReads`). */
export function destroyLater(body: Readable): void {
  setImmediate(() => body.destroy());
}

/** Where the body of a response goes once its head is out. It is not to be ended but through the response. */
export const answerStream = (response: Response): Writable => ('stream' in response ? response.stream : response);

/** Nobody reads the answer any more. */
export const isGone = (response: Response): boolean => answerStream(response).destroyed;

/** The response as something to pipe to: the head goes out with the first bytes, and the response ends when the writing ends. */
export function writableOf(response: Response): Writable {
  if (!('stream' in response)) return response;
  const { stream } = response;
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, taken) => {
      response.flushHeaders();
      // A client that resets the stream ends it a moment before it closes. What comes until then is nobody's, and no reason to end the process.
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
  // Whatever goes wrong with the stream, its close says all there is to know.
  writable.on('error', ignore);
  stream.once('close', () => {
    writable.destroy();
  });
  return writable;
}

const ignore = (): void => {};
