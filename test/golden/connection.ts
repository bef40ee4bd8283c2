import fs from 'node:fs';
import https from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';

/** A server, and an administrator's certificate or token. */
export interface Server {
  readonly address: string;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly token?: string | undefined;
  /** The server's authority; without it any certificate is accepted. */
  readonly caFile?: string | undefined;
}
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | undefined;
}

/** Longer than any server's limit. */
const answerTimeoutMs = 60_000;
const socketsMax = 16;

/** Requests to the compared server over persistent connections. */
export class Connection {
  readonly #tls: https.AgentOptions;
  readonly #credentials: Readonly<Record<string, string>>;
  readonly #agent: https.Agent;
  readonly #server: URL;

  constructor({ address, certFile, keyFile, token, caFile }: Server) {
    this.#server = new URL(address);
    this.#tls = {
      ...(certFile === undefined || keyFile === undefined ? {} : { cert: fs.readFileSync(certFile), key: fs.readFileSync(keyFile) }),
      ...(caFile === undefined ? { rejectUnauthorized: false } : { ca: fs.readFileSync(caFile) }),
    };
    this.#credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: socketsMax, ...this.#tls });
  }

  request({ method, path, headers, body }: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { hostname: host, port } = this.#server;
      const request = https.request(
        {
          agent: this.#agent,
          host,
          port,
          method,
          path,
          headers: { ...this.#credentials, ...(headers as Record<string, string>) },
          timeout: answerTimeoutMs,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }),
          );
        },
      );
      request.on('timeout', () => request.destroy(new Error(`no answer within ${answerTimeoutMs} ms`))).on('error', reject);
      request.end(body);
    });
  }

  async json(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: unknown; readonly warning: string | undefined }> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    };
    const answer = await this.request({ method, path, headers, body: text });
    const { warning } = answer.headers as { readonly warning?: string };
    return { status: answer.status, body: parsed(answer.text), warning };
  }

  /** Opens a watch on its own connection. */
  watch(path: string): Watch {
    const { hostname: host, port } = this.#server;
    return new Watch(
      https.request({
        ...this.#tls,
        agent: false,
        host,
        port,
        method: 'GET',
        path,
        headers: { ...this.#credentials, accept: 'application/json' },
      }),
    );
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The unread events of a watch. */
export class Watch {
  readonly #request: ReturnType<typeof https.request>;
  #events: unknown[] = [];
  #ended = false;
  #news: () => void = () => undefined;

  constructor(request: ReturnType<typeof https.request>) {
    this.#request = request;
    let rest = '';
    request
      .on('response', (response) => {
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop() ?? '';
            this.#add(lines);
          })
          .on('error', () => this.#end())
          .on('end', () => {
            this.#add([rest]);
            this.#end();
          });
      })
      .on('error', () => this.#end())
      .end();
  }

  /** Waits for that many events, the end of the watch, or the time limit. */
  async reaches(count: number, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    while (this.#events.length < count && !this.#ended && Date.now() < end) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, end - Date.now());
        this.#news = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Returns and removes all events. */
  take(): unknown[] {
    return this.#events.splice(0);
  }

  close(): void {
    this.#request.destroy();
  }

  #add(lines: readonly string[]): void {
    this.#events.push(...lines.filter((line) => line.trim() !== '').map((line) => parsed(line)));
    this.#news();
  }

  #end(): void {
    this.#ended = true;
    this.#news();
  }
}

/** The compared part of a body that is not JSON. */
const textCharactersMax = 4_000;

export function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { text: text.slice(0, textCharactersMax) };
  }
}
