import type { WebSocket } from 'ws';
import { closingStatus, inputBytesMax, type ProcessStreams } from './processStreams.js';

/**
 * Carries `exec`, `attach` and `portforward` over one WebSocket: the first byte of a message selects its stream (`v4.channel.k8s.io`); version 5 adds a
 * message that closes a stream.
 */
export const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'SPDY/3.1+portforward.k8s.io'] as const;

/** SPDY's bytes in messages, by which kubectl forwards ports, without channels. */
export const tunnelProtocol = protocols[2];

export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** RFC 6455, section 7.4.1. */
const closeCodes = { normal: 1000, policy: 1008 } as const;

export function send(socket: WebSocket, channel: number, data: string | Uint8Array): void {
  const bytes = Buffer.from(data as string);
  if (socket.readyState === socket.OPEN && bytes.length > 0) socket.send(Buffer.concat([Buffer.of(channel), bytes]));
}

/** Silence after which input ends, for clients that cannot close it. */
const quietMs = 300;

export const overWebSocket = (socket: WebSocket): ProcessStreams => ({
  input: () => inputOf(socket, quietMs),
  write: (to, data) => send(socket, channels[to], data),
  finish: (exitCode) => {
    send(socket, channels.error, closingStatus(exitCode));
    socket.close(closeCodes.normal);
  },
  onClose: (gone) => void socket.once('close', gone),
});

export function received(data: unknown): { readonly channel: number; readonly bytes: Buffer } | null {
  const bytes = Array.isArray(data) ? Buffer.concat(data as Buffer[]) : Buffer.from(data as Uint8Array);
  const channel = bytes[0];
  return channel === undefined ? null : { channel, bytes: bytes.subarray(1) };
}

/**
 * Returns all input of a program once the client closes it, or is silent for `quietMs`: clients of version 4 cannot close it. Null when the client has gone.
 */
function inputOf(socket: WebSocket, quietMs: number): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const done = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts));
    };
    let timer = setTimeout(done, quietMs);
    socket.on('message', (data) => {
      const message = received(data);
      if (message?.channel === channels.close && message.bytes[0] === channels.stdin) return done();
      if (message?.channel !== channels.stdin) return;
      size += message.bytes.length;
      if (size > inputBytesMax) return socket.close(closeCodes.policy, 'too much input');
      parts.push(message.bytes);
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(null);
    });
  });
}
