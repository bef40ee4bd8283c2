import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocketServer, type WebSocket } from 'ws';
import { keyTextOf } from '../../controllers/client/index.js';
import type { Container, Pod } from '../../api/types/core/v1.js';
import { overWebSocket, protocols, received, send, tunnelProtocol } from './channels.js';
import { AllFiles } from './containerFiles.js';
import { containerNamed, logOf, logText, portAnswer, ran } from './output.js';
import type { ProcessStreams } from './processStreams.js';
import { asksForSpdy, portsOverSpdy, processOverSpdy, servePorts } from './spdyStreams.js';

export interface PodSource {
  get(key: string): Pod | undefined;
  /** Calls `seen` after each change of any pod; returns a function that stops it. */
  onChange(seen: (pod: Pod) => void): () => void;
}

export interface NodeServer {
  readonly port: number;
  close(): Promise<void>;
}

const messageBytesMax = 1024 * 1024;

/** A request to a kubelet: `/containerLogs/NAMESPACE/POD/CONTAINER`. */
type Asked = { readonly pod: Pod; readonly container: Container; readonly query: URLSearchParams };

/**
 * Serves logs, processes and ports of pods to the API server, for all nodes of this program, on loopback only; all content is simulated. The client chooses
 * WebSockets or SPDY.
 */
export async function serveNodes(pods: PodSource, credentials: { readonly cert: string; readonly key: string }): Promise<NodeServer> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  const server = createServer(credentials, (request, response) => {
    answer(pods, request, response);
  });
  const files = new AllFiles();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const work = streamOf(pods, files, request);
    const refuse = (status: string): void => {
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    };
    if (work === null) refuse('404 Not Found');
    else if (asksForSpdy(request)) {
      if (!overSpdy(work, request, socket, head)) refuse('400 Bad Request');
    } else if (request.headers.upgrade?.toLowerCase() !== 'websocket' || !offersOurs(request)) refuse('400 Bad Request');
    else {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('error', () => webSocket.terminate());
        overSocket(work, webSocket);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => closed(server, sockets) };
}

const offersOurs = ({ headers }: IncomingMessage): boolean => {
  const offered = String(headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
  return protocols.some((protocol) => offered.includes(protocol));
};

async function closed(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

function askedIn(pods: PodSource, request: IncomingMessage): (Asked & { readonly what: string }) | null {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://node');
  const [what = '', namespace = '', name = '', container = ''] = pathname.split('/').slice(1).map(decodeURIComponent);
  const pod = pods.get(`${namespace}/${name}`);
  const chosen = pod === undefined ? undefined : container === '' ? pod.spec?.containers?.[0] : containerNamed(pod, container);
  return pod === undefined || chosen === undefined ? null : { what, pod, container: chosen, query: searchParams };
}

function answer(pods: PodSource, request: IncomingMessage, response: ServerResponse): void {
  const asked = askedIn(pods, request);
  if (asked?.what !== 'containerLogs') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    return;
  }
  if (asked.query.get('previous') === 'true') {
    const { name } = asked.container;
    response
      .writeHead(400)
      .end(`previous terminated container ${JSON.stringify(name)} in pod ${JSON.stringify(asked.pod.metadata.name)} not found`);
    return;
  }
  writeLog(pods, asked, response);
}

const isOver = (pod: Pod): boolean => ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');

/** Writes the current log; with `follow` also new lines, until the pod has ended. */
function writeLog(pods: PodSource, { pod, container, query }: Asked, response: ServerResponse): void {
  const number = (name: string): number | null => (query.has(name) ? Number(query.get(name)) : null);
  const timestamps = query.get('timestamps') === 'true';
  let left = number('limitBytes') ?? Infinity;
  let lines = logOf(pod, container);
  const write = (text: string): void => {
    const bytes = Buffer.from(text).subarray(0, left);
    left -= bytes.length;
    response.write(bytes);
  };
  response.writeHead(200, { 'content-type': 'text/plain' });
  write(logText(lines, { tailLines: number('tailLines'), timestamps }));
  if (query.get('follow') !== 'true' || isOver(pod)) {
    response.end();
    return;
  }
  const stop = pods.onChange((changed) => {
    if (keyTextOf(changed) !== keyTextOf(pod)) return;
    const now = logOf(changed, container);
    write(logText(now.slice(lines.length), { tailLines: null, timestamps }));
    lines = now;
    if (isOver(changed) || pods.get(keyTextOf(pod)) === undefined || left <= 0) response.end();
  });
  response.once('close', stop);
}

type Work = { readonly asked: Asked } & (
  | { readonly to: 'process'; readonly begin: (streams: ProcessStreams) => Promise<void> | void }
  | { readonly to: 'ports' }
);

function streamOf(pods: PodSource, files: AllFiles, request: IncomingMessage): Work | null {
  const asked = askedIn(pods, request);
  switch (asked?.what) {
    case 'exec':
      return { asked, to: 'process', begin: (streams) => execute(asked, files, streams) };
    case 'attach':
      return { asked, to: 'process', begin: (streams) => attach(pods, asked, streams) };
    case 'portForward':
      return { asked, to: 'ports' };
    default:
      return null;
  }
}

/** Returns false where the client speaks another protocol within SPDY. */
function overSpdy(work: Work, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
  const { pod, query } = work.asked;
  if (work.to === 'ports') return portsOverSpdy(request, socket, head, (port) => portAnswer(pod, port));
  return processOverSpdy(request, { socket, head, query }, (streams) => void work.begin(streams));
}

function overSocket(work: Work, webSocket: WebSocket): void {
  const { asked } = work;
  if (work.to === 'process') void work.begin(overWebSocket(webSocket));
  else if (webSocket.protocol === tunnelProtocol)
    servePorts(createWebSocketStream(webSocket), Buffer.alloc(0), (port) => portAnswer(asked.pod, port));
  else forward(asked, webSocket);
}

async function execute({ pod, container, query }: Asked, all: AllFiles, streams: ProcessStreams): Promise<void> {
  const input = query.get('input') === '1' ? await streams.input() : '';
  if (input === null) return;
  const files = all.of(pod.metadata.uid ?? keyTextOf(pod), container.name);
  const { stdout, stderr, exitCode } = ran(query.getAll('command'), { pod, container, stdin: input, files });
  all.makeRoom();
  streams.write('stdout', stdout);
  streams.write(query.get('tty') === '1' ? 'stdout' : 'stderr', stderr);
  streams.finish(exitCode);
}

/** Shows the program's past and future output, until it ends. */
function attach(pods: PodSource, { pod, container }: Asked, streams: ProcessStreams): void {
  let lines = logOf(pod, container);
  const write = (from: number): void => {
    streams.write('stdout', logText(lines.slice(from), { tailLines: null, timestamps: false }));
  };
  const end = (of: Pod): void =>
    streams.finish(of.status?.containerStatuses?.find(({ name }) => name === container.name)?.state?.terminated?.exitCode ?? 0);
  write(0);
  if (isOver(pod)) return end(pod);
  const stop = pods.onChange((changed) => {
    if (keyTextOf(changed) !== keyTextOf(pod)) return;
    const before = lines.length;
    lines = logOf(changed, container);
    write(before);
    if (isOver(changed) || pods.get(keyTextOf(pod)) === undefined) end(changed);
  });
  streams.onClose(stop);
}

/** Serves a data and an error stream for each port; each begins with the port. */
function forward({ pod, query }: Asked, socket: WebSocket): void {
  const ports = query
    .getAll('port')
    .flatMap((text) => text.split(','))
    .map(Number);
  const answered = new Set<number>();
  ports.forEach((port, index) => {
    const named = Buffer.alloc(2);
    named.writeUInt16LE(port & 0xffff);
    send(socket, 2 * index, named);
    send(socket, 2 * index + 1, named);
  });
  socket.on('message', (data) => {
    const message = received(data);
    const port = message === null || message.channel % 2 === 1 ? undefined : ports[message.channel / 2];
    if (message === null || port === undefined || answered.has(message.channel) || message.bytes.length === 0) return;
    answered.add(message.channel);
    send(socket, message.channel, portAnswer(pod, port));
  });
}
