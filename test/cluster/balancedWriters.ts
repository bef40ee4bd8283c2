import { once } from 'node:events';
import fs from 'node:fs';
import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { Cluster } from '../../deploy/cluster.js';
import { configMap } from './clusterUnderTest.js';

const path = '/api/v1/namespaces/default/configmaps';
const type = { 'content-type': 'application/json' };
const created = 201;

/** New connections are expensive. */
const counts = { keptConnection: 6, http2: 6, newConnection: 2 } as const;
type Kind = keyof typeof counts;

interface Authority {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Creates an object; rejects without confirmation. */
type Write = (body: string) => Promise<void>;

/** Clients that create objects, and never repeat a request that may have taken effect. */
export class BalancedWriters {
  readonly written: Record<Kind, number> = { keptConnection: 0, http2: 0, newConnection: 0 };
  readonly failures: string[] = [];
  #begun = 0;
  #stopped = false;
  readonly #waiting = new Map<() => void, number>();
  readonly #all: Promise<unknown>;

  /** `redial`: a connection that is lost before TLS is established has carried no request. */
  constructor(address: string, { caFile, admin }: Cluster['pki'], redial: boolean) {
    const authority = { ca: fs.readFileSync(caFile), cert: fs.readFileSync(admin.certFile), key: fs.readFileSync(admin.keyFile) };
    const writes: Record<Kind, () => Write> = {
      keptConnection: () => overHttp1(address, new https.Agent({ ...authority, keepAlive: true, maxSockets: 1 })),
      http2: () => overHttp2(address, authority),
      newConnection: () => overHttp1(address, new https.Agent({ ...authority, keepAlive: false })),
    };
    const kinds = Object.keys(counts) as Kind[];
    const writeOf = (kind: Kind): Write => (redial ? redialing(writes[kind]()) : writes[kind]());
    this.#all = Promise.all(kinds.flatMap((kind) => Array.from({ length: counts[kind] }, () => this.#run(kind, writeOf(kind)))));
  }

  async until(count: number): Promise<void> {
    while (this.#count() < count)
      await new Promise<void>((resolve) => {
        this.#waiting.set(resolve, count);
      });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#all;
  }

  #count(): number {
    return Object.values(this.written).reduce((sum, each) => sum + each, 0);
  }

  async #run(kind: Kind, write: Write): Promise<void> {
    while (!this.#stopped) {
      const name = `w-${this.#begun++}`;
      try {
        await write(JSON.stringify(configMap(name, { padding: 'x'.repeat(200) })));
        this.written[kind] += 1;
      } catch (error) {
        this.failures.push(`${name}, ${kind}: ${(error as Error).message}`);
      }
      for (const [resolve, count] of this.#waiting)
        if (this.#count() >= count) {
          this.#waiting.delete(resolve);
          resolve();
        }
    }
  }
}

/** The kernel resets connections that come just before a socket closes. */
function redialing(write: Write): Write {
  return async (body) => {
    for (;;)
      try {
        await write(body);
        return;
      } catch (error) {
        if (!(error as Error).message.includes(lostBeforeTls)) throw error;
      }
  };
}

/** Node's own message; its code, ECONNRESET, says as little as that of other losses. */
const lostBeforeTls = 'disconnected before secure TLS connection was established';

function overHttp1(address: string, agent: https.Agent): Write {
  return async (body) => {
    const request = https.request(address + path, {
      method: 'POST',
      agent,
      headers: { ...type, 'content-length': Buffer.byteLength(body) },
    });
    const answered = once(request, 'response');
    request.end(body);
    const [response] = (await answered) as [NodeJS.ReadableStream & { readonly statusCode?: number }];
    const answer = await text(response);
    if (response.statusCode !== created) throw new Error(`${response.statusCode} ${answer}`);
  };
}

/** One session at a time, as in client-go. Requests reported as not processed are repeated (RFC 9113, section 8.7). */
function overHttp2(address: string, authority: Authority): Write {
  let session: ClientHttp2Session | null = null;
  const open = async (): Promise<ClientHttp2Session> => {
    const opened = http2.connect(address, authority);
    session = opened;
    const leave = (): void => {
      if (session === opened) session = null;
    };
    opened.on('error', leave).on('goaway', leave).on('close', leave);
    await once(opened, 'connect');
    return opened;
  };
  return async (body) => {
    for (;;) {
      const stream = (session ?? (await open())).request({ ...type, ':method': 'POST', ':path': path });
      stream.end(body);
      if (await isProcessed(stream)) return;
    }
  };
}

/** Returns whether the server accepted the request; rejects when it failed. */
async function isProcessed(stream: ClientHttp2Stream): Promise<boolean> {
  try {
    // A stream on a lost connection closes without an error.
    const closed = once(stream, 'close').then(() => Promise.reject(new Error(`closed without an answer, code ${stream.rstCode}`)));
    const [headers] = (await Promise.race([once(stream, 'response'), closed])) as [{ readonly ':status'?: number }];
    const answer = await text(stream);
    if (headers[':status'] !== created) throw new Error(`${headers[':status']} ${answer}`);
    return true;
  } catch (error) {
    if (stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM) return false;
    throw error;
  }
}
