import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { Dial } from '../webhook/dialed.js';

/** A local socket for clients that connect themselves; each connection is tunnelled. */
export interface Relay {
  readonly path: string;
  close(): void;
}

/** Tunnels connections to a Unix socket, for this user alone, through `dial` to host and port. */
export async function openRelay(dial: Dial, host: string, port: number): Promise<Relay> {
  const directory = mkdtempSync(path.join(tmpdir(), 'egress-'));
  const open = new Set<Duplex>();
  const server = createServer((client) => {
    keep(open, client);
    dial(host, port).then(
      (way) => {
        if (client.destroyed) return void way.destroy();
        keep(open, way);
        join(client, way);
      },
      // The client sees a broken connection; its next attempt may report the reason.
      () => client.destroy(),
    );
  });
  const socket = path.join(directory, 'socket');
  server.listen(socket);
  await once(server, 'listening');
  server.unref();
  return {
    path: socket,
    close: () => {
      server.close();
      for (const each of open) each.destroy();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function keep(open: Set<Duplex>, stream: Duplex): void {
  open.add(stream);
  stream.on('error', () => stream.destroy());
  stream.once('close', () => open.delete(stream));
}

function join(client: Socket, way: Duplex): void {
  client.once('close', () => way.destroy());
  way.once('close', () => client.destroy());
  client.pipe(way).pipe(client);
}
