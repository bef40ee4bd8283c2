import type { RequestContext } from '../context.js';
import { writeHead } from '../sending.js';
import { answerStream } from '../../../program/port/streams.js';
import { openStream } from './streamTransport.js';
import { writeTogether, type Transport, type Writer } from './transport.js';

export function openResponse(context: RequestContext, contentType: string): Transport {
  const { response } = context;
  writeHead(context, 200, contentType, null);
  response.flushHeaders();
  const usual = new ResponseTransport(context);
  return 'stream' in response ? openStream(response, usual) : usual;
}

/** A class, because many thousand watches have one each. */
class ResponseTransport implements Transport {
  readonly #context: RequestContext;

  constructor(context: RequestContext) {
    this.#context = context;
  }

  write(parts: readonly Buffer[], writer: Writer | null): void {
    const out = answerStream(this.#context.response);
    if (!out.destroyed) writeTogether(out, parts, writer);
  }

  whenClosed(action: () => void): void {
    this.#context.onClose(action);
  }

  end(last: readonly Buffer[]): void {
    const { response } = this.#context;
    if (last.length > 0) this.write(last, null);
    if (!response.writableEnded) response.end();
  }

  destroy(): void {
    this.#context.response.destroy();
  }
}
