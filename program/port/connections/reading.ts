import type { Socket } from 'node:net';

/** What Node reads the bytes of a connection from. It has no public way to make it wait, nor to go on. */
export interface Reading {
  readStop(): void;
  readStart(): void;
}

/** Null once the connection is gone. */
export function readingOf(socket: Socket): Reading | null {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Partial<Reading> | null };
  return typeof handle?.readStop === 'function' && typeof handle.readStart === 'function' ? (handle as Reading) : null;
}
