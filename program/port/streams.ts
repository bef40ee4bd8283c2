import { Writable, type Readable } from 'node:stream';
import type { Request, Response } from './message.js';

export const bodyStream = (request: Request): Readable => ('stream' in request ? request.stream : request);

/** A data listener must not destroy the body at once, since Node may be reading the connection (`http/nestedReads`). */
export function destroyLater(body: Readable): void {
  setImmediate(() => body.destroy());
}

/** It must be ended only through the response. */
export const answerStream = (response: Response): Writable => ('stream' in response ? response.stream : response);

export const isGone = (response: Response): boolean => answerStream(response).destroyed;

/** Sends the head with the first bytes; the end of writing ends the response. */
export function writableOf(response: Response): Writable {
  if (!('stream' in response)) return response;
  const { stream } = response;
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, taken) => {
      response.flushHeaders();
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
  writable.on('error', ignore);
  stream.once('close', () => {
    writable.destroy();
  });
  return writable;
}

const ignore = (): void => {};
