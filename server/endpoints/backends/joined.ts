import type { Duplex, Transform } from 'node:stream';

/**
 * Resolves when the client is gone, the backend has failed, or the client has received everything. An ended backend accepts nothing more, but its remaining
 * output is delivered.
 */
export function joined(client: Duplex, backend: Duplex, between: () => readonly Transform[]): Promise<void> {
  return new Promise((resolve) => {
    // A side that fails also closes.
    for (const side of [client, backend]) side.on('error', ignore);
    client.once('close', resolve).once('finish', resolve);
    backend.once('close', () => {
      if (!backend.readableEnded) resolve();
      // The data is discarded, but only a reader notices the client's end.
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
