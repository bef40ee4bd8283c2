import type { Duplex, Transform } from 'node:stream';

/**
 * Joins the connection of a client with that of a backend, each direction by way of what `between` makes for it. Resolves when there is nothing more to pass:
 * the client is gone, the backend has broken off, or it has ended and all that it sent before is with the client, however slowly that goes. A backend that
 * has ended takes nothing more; that must not cut off what it said.
 */
export function joined(client: Duplex, backend: Duplex, between: () => readonly Transform[]): Promise<void> {
  return new Promise((resolve) => {
    // Who breaks off closes as well.
    for (const side of [client, backend]) side.on('error', ignore);
    client.once('close', resolve).once('finish', resolve);
    backend.once('close', () => {
      if (!backend.readableEnded) resolve();
      // Nobody takes it, but only who reads hears of the client's end.
      else client.resume();
    });
    through(client, between(), backend);
    through(backend, between(), client);
    if (client.destroyed || (backend.destroyed && !backend.readableEnded)) resolve();
  });
}

function through(from: Duplex, steps: readonly Transform[], to: Duplex): void {
  let last = from;
  for (const step of [...steps, to]) last = last.pipe(step);
}

const ignore = (): void => {};
