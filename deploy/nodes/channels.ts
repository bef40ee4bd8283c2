import type { WebSocket } from 'ws';
import type { Ran } from './output.js';

/**
 * The streams of `exec`, `attach` and `portforward` over one WebSocket: the first byte of a message says which stream it belongs to
 * (`v4.channel.k8s.io`); version 5 adds a message that closes a stream.
 */
export const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** Input beyond this is not kept: whoever sends more is cut off. */
const inputBytesMax = 8 * 1024 * 1024;
/** RFC 6455, section 7.4.1. */
const closeCodes = { normal: 1000, policy: 1008 } as const;

export function send(socket: WebSocket, channel: number, data: string | Uint8Array): void {
  const bytes = Buffer.from(data as string);
  if (socket.readyState === socket.OPEN && bytes.length > 0) socket.send(Buffer.concat([Buffer.of(channel), bytes]));
}

/** How the program ended, as clients read it from the error stream (`metav1.Status`); then everything closes. */
export function finish(socket: WebSocket, { exitCode }: Pick<Ran, 'exitCode'>): void {
  const failure = {
    status: 'Failure',
    message: `command terminated with exit code ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
  send(socket, channels.error, JSON.stringify({ metadata: {}, ...(exitCode === 0 ? { status: 'Success' } : failure) }));
  socket.close(closeCodes.normal);
}

/** A message, taken apart. */
export function received(data: unknown): { readonly channel: number; readonly bytes: Buffer } | null {
  const bytes = Array.isArray(data) ? Buffer.concat(data as Buffer[]) : Buffer.from(data as Uint8Array);
  const channel = bytes[0];
  return channel === undefined ? null : { channel, bytes: bytes.subarray(1) };
}

/**
 * All input of a program, once the client closes it, or says nothing for `quietMs`: clients of version 4 cannot say that it is all.
 * Resolves with null when the client has gone.
 */
export function inputOf(socket: WebSocket, quietMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const done = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString());
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
