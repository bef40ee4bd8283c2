import { once } from 'node:events';
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Connection } from '../../../controllers/client/connection.js';
import type { ConnectionSettings } from '../../../controllers/client/kubeconfig.js';
import type { KeyAndCertificate } from '../../certificateRequest.js';
import { boundedBody } from '../boundedBody.js';
import { isElection, nameIn, readCall, type Call } from './call.js';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly call: Call | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | AsyncIterable<Buffer>;
}

/** Carries a request out, or another one in its place. */
export type Forward = (url?: string) => Promise<Reply>;
/** Null breaks the connection. */
export type Meet = (asked: Asked, forward: Forward) => Promise<Reply | null>;

/** Headers of one connection (RFC 9110, 7.6.1), and headers that the next hop sets. */
const ofOneHop =
  /^(:.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|accept-encoding|http2-settings)$/;
const bodyBytesMax = 16 * 1024 * 1024;

/** The only connection from one process of an operator to the cluster: nothing passes after `cut`. */
export class Gateway {
  readonly #server: http2.Http2SecureServer;
  readonly #upstream: Connection;
  readonly #withToken: Connection;
  readonly #sockets = new Set<Socket>();
  readonly #meet: Meet;
  /** Paths of the locks of elections, which are read by a clock as well. */
  readonly #elections = new Set<string>();
  #isCut = false;

  private constructor(server: http2.Http2SecureServer, settings: ConnectionSettings, meet: Meet) {
    this.#server = server;
    this.#meet = meet;
    this.#upstream = new Connection(settings);
    this.#withToken = new Connection({ server: settings.server, ...(settings.ca === undefined ? {} : { ca: settings.ca }) });
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket.once('close', () => this.#sockets.delete(socket)));
    });
    server.on('request', (request, response) => void this.#serve(request, response));
    for (const event of ['sessionError', 'tlsClientError'] as const) server.on(event, () => undefined);
  }

  static async open({ certificate, key }: KeyAndCertificate, settings: ConnectionSettings, meet: Meet): Promise<Gateway> {
    const server = http2.createSecureServer({ cert: certificate, key, allowHTTP1: true });
    const gateway = new Gateway(server, settings, meet);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gateway;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#upstream.close();
    this.#withToken.close();
  }

  async #serve(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    try {
      const asked = await this.#read(request);
      const reply = await this.#meet(asked, (url = asked.url) => this.#forward({ ...asked, url }, request));
      if (reply === null || this.#isCut) return void request.socket.destroy();
      await this.#answer(response, reply);
    } catch {
      request.stream?.destroy?.();
      request.socket?.destroy();
    }
  }

  async #read(request: Http2ServerRequest): Promise<Asked> {
    const { method, url } = request;
    const body = await boundedBody(request, bodyBytesMax, () => new Error(`a request of more than ${bodyBytesMax} bytes`));
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        ofOneHop.test(name) || value === undefined ? [] : [[name, [value].flat().join(', ')]],
      ),
    );
    return {
      method,
      url,
      headers: { ...headers, accept: inJson(headers['accept']) },
      body,
      call: this.#call(method, url, parsed(headers, body)),
    };
  }

  #call(method: string, url: string, body: unknown): Call | null {
    if (isElection(body)) this.#elections.add(method === 'POST' ? `${url}/${nameIn(body)}` : url);
    return method === 'GET' && this.#elections.has(url) ? null : readCall(method, url, body);
  }

  async #forward({ method, url, headers, body }: Asked, request: Http2ServerRequest): Promise<Reply> {
    const gone = new AbortController();
    request.once('close', () => gone.abort());
    const connection = headers['authorization'] === undefined ? this.#upstream : this.#withToken;
    const answer = await connection.request({
      method,
      path: url,
      headers: body.length === 0 ? headers : { ...headers, 'content-length': String(body.length) },
      signal: gone.signal,
      ...(body.length === 0 ? {} : { body }),
    });
    const kept = Object.entries(answer.headers).filter(([name, value]) => !ofOneHop.test(name) && value !== undefined);
    return { status: answer.status, headers: Object.fromEntries(kept) as Reply['headers'], body: answer.stream };
  }

  async #answer(response: Http2ServerResponse, { status, headers, body }: Reply): Promise<void> {
    response.writeHead(status, headers as Record<string, string>);
    if (Buffer.isBuffer(body)) return void response.end(body);
    (response as { flushHeaders?(): void }).flushHeaders?.();
    for await (const chunk of body) if (!response.write(chunk)) await once(response, 'drain');
    response.end();
  }
}

function inJson(accept = 'application/json'): string {
  const taken = accept.split(',').filter((range) => !/protobuf|cbor/.test(range));
  return taken.length === 0 ? accept : taken.join(',');
}

function parsed(headers: Readonly<Record<string, string>>, body: Buffer): unknown {
  if (!/json|^$/.test(headers['content-type'] ?? '')) return null;
  return parsedJson(body);
}

export function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

export async function wholeReply(reply: Reply): Promise<Reply & { readonly body: Buffer }> {
  return { ...reply, body: Buffer.isBuffer(reply.body) ? reply.body : await buffer(reply.body) };
}

/** Sends a request again for an ended operator process; resolves with its status. */
export async function sendAs(settings: ConnectionSettings, { method, url, headers, body }: Asked): Promise<number> {
  const { server, ca } = settings;
  const connection = new Connection(headers['authorization'] === undefined ? settings : { server, ...(ca === undefined ? {} : { ca }) });
  try {
    const sent = { ...headers, 'content-length': String(body.length) };
    const { status, stream } = await connection.request({ method, path: url, headers: sent, ...(body.length === 0 ? {} : { body }) });
    stream.resume();
    return status;
  } finally {
    connection.close();
  }
}
