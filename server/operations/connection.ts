import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { identifying, loadKubeconfig, tlsTerms, type ConnectionSettings } from '../catalogue/kubeconfig.js';

/** What a server answered that refused a command. */
export class RefusedError extends Error {
  constructor(readonly code: number, readonly reason: string, message: string) { super(message); }
}

/** Servers that a command talks to: those that were named, or the one of the kubeconfig. */
export class Servers {
  readonly #settings: readonly ConnectionSettings[];

  /** Throws when the kubeconfig cannot be used. */
  constructor(kubeconfig: string, servers: readonly string[]) {
    const settings = loadKubeconfig(kubeconfig);
    this.#settings = servers.length === 0 ? [settings] : servers.map((server) => ({ ...settings, server }));
  }

  get addresses(): readonly string[] { return this.#settings.map(({ server }) => server); }

  /** Asks one of them. Rejects with a RefusedError, or with why there was no answer. */
  async ask(address: string, method: string, path: string, body?: object): Promise<unknown> {
    return ask(this.#settings.find(({ server }) => server === address)!, method, path, body, false);
  }

  /**
   * Asks for something that only the leader does. Behind a balancer each try may reach another replica, the more so because the
   * connections of earlier tries stay open; so it is tried until the leader has been found.
   */
  async askLeader(method: string, path: string, body?: object): Promise<unknown> {
    const held: Agent[] = [];
    try {
      return await this.#findLeader(held, method, path, body);
    } finally {
      for (const agent of held) agent.destroy();
    }
  }

  async #findLeader(held: Agent[], method: string, path: string, body?: object): Promise<unknown> {
    let last: unknown = null;
    for (let attempt = 0; attempt < leaderTries; attempt++) {
      for (const settings of this.#settings) {
        const agent = new Agent({ keepAlive: true });
        held.push(agent);
        try {
          return await ask(settings, method, path, body, agent);
        } catch (error) {
          if (error instanceof RefusedError && error.reason !== 'NotLeader') throw error;
          last = error;
        }
      }
      await delay(leaderWaitMs);
    }
    throw last;
  }

  /** Streams an answer into a file, which appears only when it is complete. Resolves with the answer's headers. */
  async download(path: string, file: string): Promise<IncomingMessage['headers']> {
    const answer = await open(this.#settings[0]!, 'GET', path);
    if (answer.statusCode !== 200) throw refusal(answer.statusCode ?? 0, await textOf(answer));
    const draft = `${file}.part`;
    try {
      await pipeline(answer, createWriteStream(draft, { mode: 0o600 }));
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return answer.headers;
  }
}

async function ask(settings: ConnectionSettings, method: string, path: string, body: object | undefined, agent: Agent | false): Promise<unknown> {
  const answer = await open(settings, method, path, body, agent);
  const text = await textOf(answer);
  if (answer.statusCode === 200) return JSON.parse(text);
  throw refusal(answer.statusCode ?? 0, text);
}

const leaderTries = 30;
const leaderWaitMs = 100;
const answerTimeoutMs = 60_000;

function open(settings: ConnectionSettings, method: string, path: string, body?: object, agent: Agent | false = false): Promise<IncomingMessage> {
  const { server } = settings;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = { accept: 'application/json', ...(content === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }), ...identifying(settings) };
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, server), { method, headers, agent, timeout: answerTimeoutMs, ...tlsTerms(settings) }, resolve);
    outgoing.on('timeout', () => { outgoing.destroy(new Error(`no answer within ${answerTimeoutMs / 1000} s`)); });
    outgoing.on('error', (cause) => { reject(new Error(`${server} cannot be reached: ${cause.message}`, { cause })); });
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
