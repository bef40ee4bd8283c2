/**
 * The protocol by which a launcher hands accepted connections to servers that it started, over the channel between them (`deploy/handOver.ts`):
 *
 *     server    { takesConnections: true }            once it listens
 *     launcher  { handsOver: 7 } and the socket       nothing has been read from it
 *     server    { taken: 7 }                          it is served
 *               { refused: 7 }                        untouched, because the server stops
 *     server    { closed: 7 }                         it is over, or was before it came
 *
 * The launcher never reuses a number for this server.
 */
export interface HandedConnection {
  readonly handsOver: number;
}

export type HandOverAnswer =
  | { readonly takesConnections: true }
  | { readonly taken: number }
  | { readonly refused: number }
  | { readonly closed: number };

const has = (message: unknown, name: string, type: 'number' | 'boolean'): boolean =>
  typeof message === 'object' && message !== null && typeof (message as Record<string, unknown>)[name] === type;

export const isHandedConnection = (message: unknown): message is HandedConnection => has(message, 'handsOver', 'number');

export const isHandOverAnswer = (message: unknown): message is HandOverAnswer =>
  has(message, 'takesConnections', 'boolean') || ['taken', 'refused', 'closed'].some((name) => has(message, name, 'number'));
