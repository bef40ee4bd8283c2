import type { Socket } from 'node:net';

/** What a socket has been given, as the operating system has taken it. */
export interface SocketQueue {
  /** Encrypted and not taken. */
  readonly queuedBytes: number;
  /** Taken so far. */
  readonly takenBytes: number;
}

interface Handle {
  readonly writeQueueSize?: number;
  readonly bytesWritten?: number;
  /** What the encrypted bytes go to. */
  readonly _parent?: Handle;
}

/**
 * Node's streams do not know it: a session of HTTP/2 writes past its socket, whose `writableLength` stays 0, and `bytesWritten` counts what is still in a queue. The native
 * handles do. Null once the connection is gone, and where Node is built otherwise than the releases 20 to 24.
 */
export function socketQueueOf(socket: Socket): SocketQueue | null {
  const { _handle: tls } = socket as unknown as { readonly _handle?: Handle | null };
  const tcp = tls?._parent ?? tls;
  if (tls?.writeQueueSize === undefined || tcp?.writeQueueSize === undefined || tcp.bytesWritten === undefined) return null;
  return { queuedBytes: Math.max(tls.writeQueueSize, tcp.writeQueueSize), takenBytes: tcp.bytesWritten - tcp.writeQueueSize };
}
