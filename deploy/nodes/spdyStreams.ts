import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { closingStatus, inputBytesMax, type ProcessStreams } from './processStreams.js';
import { serveSpdy, type SpdyStream } from './spdy.js';

/** Streams of `exec`, `attach` and `port-forward` over SPDY, whose headers name their purpose. */

const processProtocol = 'v4.channel.k8s.io';
const portProtocol = 'portforward.k8s.io';

export const asksForSpdy = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'spdy/3.1';

/** Answers the upgrade. Returns false, and writes nothing, without a known protocol. */
function accept(request: IncomingMessage, socket: Duplex, protocol: string): boolean {
  const offered = String(request.headers['x-stream-protocol-version'] ?? '').split(/\s*,\s*/);
  if (!offered.includes(protocol)) return false;
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\nx-stream-protocol-version: ${protocol}\r\n\r\n`,
  );
  return true;
}

/** Returns the streams of a process once the client has opened all that its request announces; false for another protocol. */
export function processOverSpdy(
  request: IncomingMessage,
  { socket, head, query }: { readonly socket: Duplex; readonly head: Buffer; readonly query: URLSearchParams },
  begin: (streams: ProcessStreams) => void,
): boolean {
  if (!accept(request, socket, processProtocol)) return false;
  const has = (name: string): boolean => query.get(name) === '1';
  const isTerminal = has('tty');
  const wanted = ['error', ...(has('input') ? ['stdin'] : []), ...(has('output') ? ['stdout'] : [])];
  if (has('error') && !isTerminal) wanted.push('stderr');
  if (isTerminal) wanted.push('resize');
  const streams = new Map<string, SpdyStream>();
  serveSpdy(socket, head, (stream) => {
    streams.set(stream.headers.get('streamtype') ?? '', stream);
    if (streams.size === wanted.length && wanted.every((name) => streams.has(name))) begin(overSpdy(streams, socket));
  });
  return true;
}

const overSpdy = (streams: ReadonlyMap<string, SpdyStream>, socket: Duplex): ProcessStreams => ({
  input: async () => {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of streams.get('stdin') ?? []) {
      parts.push(part as Buffer);
      if ((size += (part as Buffer).length) > inputBytesMax) socket.destroy();
    }
    return socket.destroyed ? null : Buffer.concat(parts);
  },
  write: (to, data) => void streams.get(to)?.write(data),
  finish: (exitCode) => {
    streams.get('error')?.write(closingStatus(exitCode));
    for (const stream of streams.values()) stream.end();
  },
  onClose: (gone) => void socket.once('close', gone),
});

export type PortAnswer = (port: number) => string;

/** The same for ports; false where the client speaks another protocol. */
export function portsOverSpdy(request: IncomingMessage, socket: Duplex, head: Buffer, answer: PortAnswer): boolean {
  if (!accept(request, socket, portProtocol)) return false;
  servePorts(socket, head, answer);
  return true;
}

/** The client opens a data stream and an error stream for each connection to a port. There are no errors here. */
export function servePorts(socket: Duplex, head: Buffer, answer: PortAnswer): void {
  const errors = new Map<string, SpdyStream>();
  serveSpdy(socket, head, (stream) => {
    const request = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      stream.resume();
      errors.set(request, stream);
      return;
    }
    const close = (): void => {
      stream.end();
      errors.get(request)?.end();
      errors.delete(request);
    };
    stream.once('data', () => {
      stream.write(answer(Number(stream.headers.get('port'))));
      close();
    });
    stream.once('end', close);
  });
}
