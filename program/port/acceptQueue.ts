import type { Server } from 'node:net';

/** A connection is unlikely to come within so short a turn. */
const shortTurnMs = 0.5;
/** Some connections are cut if they never stop coming. */
const turnsMax = 1_000;

/**
 * Resolves once the kernel's queue of connections is empty: closing the socket would reset queued ones. Node accepts one connection per turn (libuv since
 * 1.45).
 */
export function acceptQueued(server: Server): Promise<void> {
  return new Promise((resolve) => {
    let accepted = true;
    let turns = 0;
    let begunMs = 0;
    const count = (): void => {
      accepted = true;
    };
    const look = (): void => {
      const nowMs = performance.now();
      turns += 1;
      if ((!accepted && nowMs - begunMs < shortTurnMs) || turns > turnsMax) {
        server.off('connection', count);
        resolve();
      } else {
        accepted = false;
        begunMs = nowMs;
        setImmediate(look);
      }
    };
    server.on('connection', count);
    setImmediate(look);
  });
}
