import { Socket } from 'node:net';
import { isHandedConnection, type HandOverAnswer } from './handOverMessages.js';

/**
 * Serves the connections that whoever started this process has accepted in its place (`handOverMessages.ts`). Nothing, where there is no channel to hand
 * sockets over: in a process that nobody listens to, and in a thread. `take` answers false, and leaves the socket alone, while the server stops.
 */
export function takeHandedConnections(take: (socket: Socket) => boolean): void {
  if (process.channel === undefined) return;
  process.on('message', (message: unknown, handle: unknown) => {
    if (!isHandedConnection(message)) return;
    const { handsOver: id } = message;
    // A client that has gone meanwhile leaves no socket behind.
    if (!(handle instanceof Socket)) return tell({ closed: id });
    // Until this turn ends nothing is read from it, so that it can still go to another server.
    if (!take(handle)) {
      handle.destroy();
      return tell({ refused: id });
    }
    tell({ taken: id });
    handle.once('close', () => tell({ closed: id }));
  });
  // To be spoken to is no reason to live.
  process.channel.unref();
  tell({ takesConnections: true });
}

/** A launcher that is gone needs no answers. */
function tell(answer: HandOverAnswer): void {
  if (process.connected) process.send?.(answer, undefined, undefined, () => undefined);
}
