import type { Writable } from 'node:stream';
import type { RequestContext } from '../context.js';
import { writeHead } from '../sending.js';
import { answerStream } from '../streams.js';

/** The way of a watch's bytes to its client. */
export interface Transport {
  /** `taken` is called when the connection has taken all parts, or is gone. */
  write(parts: readonly Buffer[], taken: () => void): void;
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
export const plain: Framing = { name: '', frame: (event) => event };

/** In one go, however many parts there are: what is done for each write costs more than its bytes do. */
export function writeTogether(out: Writable, parts: readonly Buffer[], taken: () => void): void {
  const last = parts.length - 1;
  if (last > 0) out.cork();
  for (let each = 0; each < last; each++) out.write(parts[each]);
  out.write(parts[last], taken);
  if (last > 0) out.uncork();
}

/** A streaming answer over HTTP/1.1 or HTTP/2. Sends its headers at once. */
export function openResponse(context: RequestContext, contentType: string): Transport {
  const { response } = context;
  writeHead(context, 200, contentType, null);
  response.flushHeaders();
  return new ResponseTransport(context);
}

/** A class, because there is one for each of many thousand watches. */
class ResponseTransport implements Transport {
  constructor(private readonly context: RequestContext) {}

  write(parts: readonly Buffer[], taken: () => void): void {
    const out = answerStream(this.context.response);
    if (!out.destroyed) writeTogether(out, parts, taken);
  }

  whenClosed(action: () => void): void {
    this.context.onClose(action);
  }

  end(): void {
    const { response } = this.context;
    if (!response.writableEnded) response.end();
  }

  destroy(): void {
    this.context.response.destroy();
  }
}
