import type { Socket } from 'node:net';

/** A socket's bytes as taken by the operating system. */
export interface SocketQueue {
  readonly queuedBytes: number;
  readonly takenBytes: number;
}

interface Handle {
  readonly writeQueueSize?: number;
  readonly bytesWritten?: number;
  readonly _parent?: Handle;
}

/**
 * Reads what an HTTP/2 session has queued from native handles, as its socket's `writableLength` stays 0. Null once the connection is gone, and where Node
 * differs from releases 20 to 24.
 */
export function socketQueueOf(socket: Socket): SocketQueue | null {
  const { _handle: tls } = socket as unknown as { readonly _handle?: Handle | null };
  const tcp = tls?._parent ?? tls;
  if (tls?.writeQueueSize === undefined || tcp?.writeQueueSize === undefined || tcp.bytesWritten === undefined) return null;
  return { queuedBytes: Math.max(tls.writeQueueSize, tcp.writeQueueSize), takenBytes: tcp.bytesWritten - tcp.writeQueueSize };
}
