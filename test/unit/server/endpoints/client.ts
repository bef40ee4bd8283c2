import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../../api/object.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: JsonObject;
}
export interface Call {
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function call(
  url: string,
  method: string,
  path: string,
  { body, raw, type = 'application/json', headers = {} }: Call = {},
): Promise<Answer> {
  const data = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await open(
    url,
    method,
    path,
    { ...headers, ...(data === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(data)) }) },
    data,
  );
  let text = '';
  for await (const chunk of response) text += String(chunk);
  let parsed: JsonObject = {};
  try {
    parsed = JSON.parse(text) as JsonObject;
  } catch {
    /* plain text, or empty */
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text, body: parsed };
}

const open = (
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  data?: string | Buffer,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers, agent: false }, resolve);
    outgoing.on('error', reject);
    outgoing.end(data);
  });

export interface Stream {
  next(): Promise<JsonObject>;
  /** Returns the remaining events when the server ends the stream. */ rest(): Promise<JsonObject[]>;
  close(): void;
  readonly response: IncomingMessage;
}

/** Opens a watch and reads its events one by one. */
export async function watchStream(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Stream> {
  const response = await open(url, 'GET', path, headers);
  const events = lines(response);
  return {
    response,
    async next() {
      const result = await events.next();
      if (result.done === true) throw new Error('the stream ended');
      return result.value;
    },
    async rest() {
      const left: JsonObject[] = [];
      for await (const event of events) left.push(event);
      return left;
    },
    close: () => {
      response.destroy();
    },
  };
}

async function* lines(response: IncomingMessage): AsyncGenerator<JsonObject> {
  let pending = '';
  for await (const chunk of response) {
    pending += String(chunk);
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
      yield JSON.parse(pending.slice(0, end)) as JsonObject;
      pending = pending.slice(end + 1);
    }
  }
}
