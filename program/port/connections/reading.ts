import type { Socket } from 'node:net';

export interface Reading {
  readStop(): void;
  readStart(): void;
}

export function readingOf(socket: Socket): Reading | null {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Partial<Reading> | null };
  return typeof handle?.readStop === 'function' && typeof handle.readStart === 'function' ? (handle as Reading) : null;
}
