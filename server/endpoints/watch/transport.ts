import type { RequestContext } from '../context.js';
import { writeHead } from '../sending.js';
import { answerStream } from '../streams.js';

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
  response.flushHeaders();
  const out = answerStream(response);
  return {
    write: (bytes, taken) => { if (!out.destroyed) out.write(bytes, taken); },
    whenClosed: action => { response.once('close', action); },
    end: () => { if (!response.writableEnded) response.end(); },
    destroy: () => { response.destroy(); },
  };
}
