import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import path from 'node:path';
import tls from 'node:tls';
import { BroadcastChannel, getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';
import { cutOff, trackPeers } from '../peerSockets.js';
import { delayCommits, patchDrivers } from './slowDisk.js';
import { patchDate, setClock } from './testClock.js';
import { fits, isMemberOrder, isWatch, type FailureTerms, type MemberOrder, type Rule, type SeenRequest } from './orders.js';

/**
 * Loaded before the server into every thread of an API server under test: injects faults between sockets and server. Node's TLS servers report requests and
 * connections by `emit`, which is intercepted.
 */

/** The server's replacement of Node's own messages of HTTP/2: the stream does the work. */
interface StreamRequest {
  readonly method: string;
  readonly url: string;
  readonly stream: ServerHttp2Stream;
}
type AnyRequest = IncomingMessage | StreamRequest;
/** The common part of both kinds of response. */
type AnyResponse = Pick<ServerResponse, 'statusCode'> & {
  setHeader(name: string, value: string): unknown;
  writeHead(code: number): unknown;
  end(body?: string): unknown;
  once(event: 'close', action: () => void): unknown;
};

/** Only this thread of a server has connections to other members. A thread's second argument is its file. */
const isConsensus = process.argv[1]?.endsWith(`${path.sep}thread.js`) ?? false;
const consensusIsThere = 'consensus';
const forConsensus: ReadonlySet<MemberOrder['order']> = new Set(['cutOff', 'slowDisk']);
const channelKey = 'raftplane.memberFaults';
let rules: readonly Rule[] = [];
const watches = new Map<AnyRequest, SeenRequest>();
/** Number of hits known to be taken, by rule, where the search for a free one begins. */
const taken = new Map<number, number>();

// ---- orders: the first thread has the channel to the launcher, and passes on what concerns the consensus thread ----

function obey(order: MemberOrder): void {
  switch (order.order) {
    case 'rules':
      rules = order.rules;
      break;
    case 'dropWatches':
      for (const [request, seen] of watches) if (fits(order.pattern, seen)) breakStream(request);
      break;
    case 'cutOff':
      cutOff(order.from);
      break;
    case 'slowDisk':
      delayCommits(order.ms);
      break;
    case 'clock':
      setClock(order);
      break;
  }
}

function listen(): void {
  const inherited = getEnvironmentData(channelKey) as unknown as string | undefined;
  const name = inherited ?? `raftplane-faults-${process.pid}-${threadId}`;
  const channel = new BroadcastChannel(name) as BroadcastChannel & { unref(): void };
  if (inherited === undefined) {
    setEnvironmentData(channelKey, name);
    const done = ({ turn }: { readonly turn?: number }): void => {
      if (turn !== undefined) process.send?.({ done: turn });
    };
    const last = new Map<MemberOrder['order'], MemberOrder>();
    process.on('message', (message: unknown) => {
      if (!isMemberOrder(message)) return;
      if (forConsensus.has(message.order)) {
        last.set(message.order, message);
        return channel.postMessage(message);
      }
      obey(message);
      done(message);
    });
    channel.onmessage = (event) => {
      const { data } = event as { readonly data: typeof consensusIsThere | { readonly turn?: number } };
      if (data !== consensusIsThere) done(data);
      // It was not there yet when the orders came.
      else for (const order of last.values()) channel.postMessage(order);
    };
    process.channel?.unref();
  } else if (isConsensus) {
    channel.onmessage = (event) => {
      const { data } = event as { readonly data: unknown };
      if (!isMemberOrder(data)) return;
      obey(data);
      channel.postMessage({ turn: data.turn });
    };
    channel.postMessage(consensusIsThere);
  }
  channel.unref();
}

function seenOf(request: AnyRequest): SeenRequest {
  const socket = 'stream' in request ? request.stream.session?.socket : request.socket;
  const certificate = socket && 'getPeerCertificate' in socket ? (socket as tls.TLSSocket).getPeerCertificate() : null;
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    user: (certificate?.subject as { readonly CN?: string } | undefined)?.CN ?? null,
  };
}

async function meet(request: AnyRequest, response: AnyResponse, serve: () => void): Promise<void> {
  const seen = seenOf(request);
  if (isWatch(seen)) {
    watches.set(request, seen);
    response.once('close', () => watches.delete(request));
  }
  for (const rule of rules.filter((candidate) => fits(candidate, seen))) {
    if (!claim(rule)) continue;
    const { failure } = rule;
    if (failure.latencyMs !== undefined)
      await new Promise((resolve) => {
        setTimeout(resolve, failure.latencyMs);
      });
    if (failure.reset === 'before') return breakConnection(request);
    if (failure.reset === 'after') {
      breakInsteadOfAnswer(request, response);
      break;
    }
    if (failure.status !== undefined) return answer(request, response, failure);
  }
  serve();
}

/** Takes one of the hits of a rule; false when all are taken. */
function claim({ rule, times, claims }: Rule): boolean {
  for (let hit = taken.get(rule) ?? 0; times === null || hit < times; hit++) {
    taken.set(rule, hit + 1);
    try {
      fs.closeSync(fs.openSync(`${claims}${hit}`, 'wx'));
      if (hit + 1 === times) process.send?.({ spent: rule });
      return true;
    } catch (error) {
      // Another member has it, or the folder and thus the cluster is gone.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return false;
}

function answer(request: AnyRequest, response: AnyResponse, { status = 500, headers = {}, body = '' }: FailureTerms): void {
  ('stream' in request ? request.stream : request).resume();
  response.statusCode = status;
  for (const [name, value] of Object.entries({ 'content-type': 'application/json', ...headers })) response.setHeader(name, value);
  response.end(body);
}

/** The server does its work; the connection breaks when the response begins. */
function breakInsteadOfAnswer(request: AnyRequest, response: AnyResponse): void {
  const gone = (): AnyResponse => {
    breakConnection(request);
    return response;
  };
  Object.assign(response, { writeHead: gone, flushHeaders: gone, write: gone, end: gone });
}

function breakConnection(request: AnyRequest): void {
  if ('stream' in request) request.stream.session?.destroy();
  else request.socket.destroy();
}

/** Other streams of an HTTP/2 connection go on. */
function breakStream(request: AnyRequest): void {
  const internalError = 2;
  if ('stream' in request) request.stream.close(internalError);
  else request.socket.destroy();
}

function meetRequests(): void {
  const server = tls.Server.prototype as tls.Server & { emit(event: string, ...args: unknown[]): boolean };
  const { emit } = server;
  server.emit = function patched(this: tls.Server, event: string, ...args: unknown[]): boolean {
    const go = (): boolean => emit.call(this, event, ...args);
    if (event !== 'request') return go();
    const [request, response] = args as [AnyRequest, AnyResponse];
    void meet(request, response, go);
    return true;
  };
}

listen();
trackPeers();
meetRequests();
patchDate();
if (isConsensus) patchDrivers();
