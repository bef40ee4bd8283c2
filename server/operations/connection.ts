import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { identifying, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../../program/kubeconfig.js';

export class RefusedError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** A command's servers: the named ones, or the kubeconfig's. */
export class Servers {
  readonly #settings: readonly ConnectionSettings[];

  /** Throws for an invalid kubeconfig. */
  constructor(kubeconfig: string, servers: readonly string[]) {
    const settings = loadKubeconfig(kubeconfig);
    for (const server of servers) checkUrl(server);
    this.#settings = servers.length === 0 ? [settings] : servers.map((server) => ({ ...settings, server }));
  }

  get addresses(): readonly string[] {
    return this.#settings.map(({ server }) => server);
  }

  /** Rejects with a RefusedError, or the reason for a missing response. */
  async ask(address: string, method: string, path: string, body?: object): Promise<unknown> {
    return ask(
      this.#settings.find(({ server }) => server === address)!,
      { method, path, body },
      false,
    );
  }

  /** Sends a request to the leader. Without one, rejects with the last response. */
  async askLeader(method: string, path: string, body?: object): Promise<unknown> {
    const result = await this.#hunt(leaderTries, leaderWaitMs, async (settings, agent) => ({
      found: true,
      answer: await ask(settings, { method, path, body }, agent),
    }));
    return result.answer;
  }

  /** Repeats a request until the response `holds`; else returns the last one. */
  async askUntil<T>(path: string, holds: (answer: T) => boolean): Promise<T> {
    const result = await this.#hunt(listTries, 0, async (settings, agent) => {
      const answer = (await ask(settings, { method: 'GET', path }, agent)) as T;
      return { found: holds(answer), answer };
    });
    return result.answer;
  }

  /** Each attempt may reach another replica behind a balancer, since earlier connections stay open. */
  async #hunt<T>(
    tries: number,
    waitMs: number,
    once: (settings: ConnectionSettings, agent: Agent) => Promise<Caught<T>>,
  ): Promise<Caught<T>> {
    const held: Agent[] = [];
    let last: Caught<T> | null = null;
    let failure: unknown = null;
    try {
      for (let attempt = 0; attempt < tries; attempt++) {
        for (const settings of this.#settings) {
          const agent = new Agent({ keepAlive: true });
          held.push(agent);
          try {
            last = await once(settings, agent);
            if (last.found) return last;
          } catch (error) {
            if (error instanceof RefusedError && error.reason !== 'NotLeader') throw error;
            failure = error;
          }
        }
        await delay(waitMs);
      }
    } finally {
      for (const agent of held) agent.destroy();
    }
    if (last !== null) return last;
    throw failure instanceof RefusedError ? new Error(`${failure.message}: give its address with --server`, { cause: failure }) : failure;
  }

  /** Streams a response into a file, which appears once complete and verified, and never replaces another. */
  async download<T>(
    path: string,
    file: string,
    verify: (draft: string) => T,
  ): Promise<{ readonly headers: IncomingMessage['headers']; readonly verified: T }> {
    if (existsSync(file)) throw new Error(`${file} exists already; give a name that is not taken`);
    const answer = await open(this.#settings[0]!, { method: 'GET', path });
    if (answer.statusCode !== 200) throw refusal(answer.statusCode ?? 0, await textOf(answer));
    const draft = `${file}.${process.pid}.part`;
    try {
      await pipeline(answer, createWriteStream(draft, { mode: 0o600, flush: true } as Parameters<typeof createWriteStream>[1]));
      const verified = verify(draft);
      await rename(draft, file);
      return { headers: answer.headers, verified };
    } catch (error) {
      throw explained(error, file);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

function checkUrl(server: string): void {
  if (!URL.canParse(server) || new URL(server).protocol !== 'https:')
    throw new Error(`--server must be an address such as https://10.0.0.1:6443, not ${JSON.stringify(server)}`);
}

/** Explains a failure on this side or the way, which does not harm the server. */
function explained(error: unknown, file: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Error(`there is no room for ${file}; nothing of it was kept`, { cause: error });
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new Error('the server ended the answer before it was complete; try again, or another --server', { cause: error });
  return typeof code === 'string' && code.startsWith('E') && 'syscall' in (error as object)
    ? new Error(`${file} cannot be written: ${message}`, { cause: error })
    : (error as Error);
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

async function ask(settings: ConnectionSettings, question: Question, agent: Agent | false): Promise<unknown> {
  const answer = await open(settings, question, agent);
  const text = await textOf(answer);
  if (answer.statusCode === 200) return JSON.parse(text);
  throw refusal(answer.statusCode ?? 0, text);
}

interface Caught<T> {
  readonly found: boolean;
  readonly answer: T;
}

const listTries = 6;
const leaderTries = 30;
const leaderWaitMs = 100;
const answerTimeoutMs = 60_000;

function open(settings: ConnectionSettings, { method, path, body }: Question, agent: Agent | false = false): Promise<IncomingMessage> {
  const { server } = settings;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
    ...identifying(settings),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, server), { method, headers, agent, timeout: answerTimeoutMs, ...tlsTerms(settings) }, resolve);
    outgoing.on('timeout', () => {
      outgoing.destroy(new Error(`no answer within ${answerTimeoutMs / 1000} s`));
    });
    outgoing.on('error', (cause) => {
      reject(new Error(`${server} cannot be reached: ${cause.message}`, { cause }));
    });
    outgoing.end(content);
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function refusal(code: number, text: string): RefusedError {
  try {
    const { message, reason } = JSON.parse(text) as { readonly message?: string; readonly reason?: string };
    return new RefusedError(code, reason ?? '', message ?? text);
  } catch {
    return new RefusedError(code, '', `the server answered ${code}: ${text.slice(0, 200)}`);
  }
}
