import { Socket } from 'node:net';
import { isHandedConnection, type HandOverAnswer } from './handOverMessages.js';

/**
 * Serves connections of `handOverMessages.ts`; no effect without a channel, or in a thread. `take` returns false, without touching the socket, while the
 * server stops.
 */
export function takeHandedConnections(take: (socket: Socket) => boolean): void {
  if (process.channel === undefined) return;
  process.on('message', (message: unknown, handle: unknown) => {
    if (!isHandedConnection(message)) return;
    const { handsOver: id } = message;
    if (!(handle instanceof Socket)) return tell({ closed: id });
    // Nothing was read, so it can still go to another server.
    if (!take(handle)) {
      handle.destroy();
      return tell({ refused: id });
    }
    tell({ taken: id });
    handle.once('close', () => tell({ closed: id }));
  });
  process.channel.unref();
  tell({ takesConnections: true });
}

function tell(answer: HandOverAnswer): void {
  if (process.connected) process.send?.(answer, undefined, undefined, () => undefined);
}
