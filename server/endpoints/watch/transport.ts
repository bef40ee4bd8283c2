import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { RequestContext } from '../context.js';
import { isGone, writeHead } from '../sending.js';

/** The way of a watch's bytes to its client. */
export interface Transport {
  /** `taken` is called when the connection has taken the bytes, or is gone. */
  write(bytes: Buffer, taken: () => void): void;
  /** Called once, when nothing can be sent any more. */
  whenClosed(action: () => void): void;
  end(): void;
  /** Cuts the client off. */
  destroy(): void;
}

/** How encoded events look on their way. */
export interface Framing {
  /** Part of the key under which events are shared. */
  readonly name: string;
  /** One encoded event as it is written. */
  frame(event: Buffer): Buffer;
}

/** Events follow one another. */
export const PLAIN: Framing = { name: '', frame: event => event };

/** A streaming answer over HTTP/1.1 or HTTP/2. Sends its headers at once. */
export function openResponse(context: RequestContext, contentType: string): Transport {
  const { response } = context;
  writeHead(context, 200, contentType, null);
  // HTTP/2 responses have the method as well; only their declared type does not.
  (response as ServerResponse).flushHeaders();
  // What stands around a stream of HTTP/2 costs time with every write and is of no use once the headers are out.
  const out: Writable = 'stream' in response ? response.stream : response;
  return {
    write: (bytes, taken) => { if (!isGone(response)) out.write(bytes, taken); },
    whenClosed: action => { response.once('close', action); },
    end: () => { if (!response.writableEnded) response.end(); },
    destroy: () => { response.destroy(); },
  };
}
