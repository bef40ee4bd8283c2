import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';

/** Lets a TLS program end a connection first, so that its own side keeps the addresses in TIME_WAIT. */
export async function endedByProgram(port: number): Promise<void> {
  const connection = net.connect(port, '127.0.0.1').resume();
  connection.write('this is no handshake\r\n\r\n');
  await once(connection, 'close');
}

/** Number of connections of a local port in TIME_WAIT (Linux). */
export function lingering(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return fs
    .readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = '', , state]) => address.endsWith(local) && state === '06').length;
}
