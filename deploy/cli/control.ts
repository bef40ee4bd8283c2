import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { makeFolder } from '../files.js';

/**
 * The command socket of a launcher. A request is one JSON line; the response is lines of progress, then a result or an error. The folder of the socket is
 * closed to other users before the socket exists.
 */

export interface ControlRequest {
  readonly command:
    | 'status'
    | 'stop'
    | 'kill'
    | 'pause'
    | 'resume'
    | 'restart'
    | 'partition'
    | 'heal'
    | 'reset'
    | 'restore'
    | 'managers'
    | 'link'
    | 'redeem';
  /** The member or program; for `restore` a file, for `redeem` a link's code. */
  readonly target?: string | undefined;
}
type ControlLine = { readonly progress: string } | { readonly result: unknown } | { readonly error: string; readonly isRefusal: boolean };

const requestCharactersMax = 4_096;

export const controlSocket = (directory: string): string => path.join(directory, 'run', 'control.sock');

/** A refused command: the message says what to do instead. */
export class CommandRefused extends Error {}

export async function serveControl(
  directory: string,
  carryOut: (request: ControlRequest, say: (line: string) => void) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const socket = controlSocket(directory);
  makeFolder(path.dirname(socket), 0o700);
  fs.chmodSync(path.dirname(socket), 0o700);
  // The holder of the folder's lock is alone, so a killed launcher left this file.
  fs.rmSync(socket, { force: true });
  const open = new Set<net.Socket>();
  const server = net.createServer((connection) => {
    open.add(connection.on('error', () => undefined).on('close', () => open.delete(connection)));
    void answer(connection, carryOut);
  });
  server.listen(socket);
  await once(server, 'listening');
  fs.chmodSync(socket, 0o600);
  return async () => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const connection of open) connection.end();
    await closed;
  };
}

async function answer(
  connection: net.Socket,
  carryOut: (request: ControlRequest, say: (line: string) => void) => Promise<unknown>,
): Promise<void> {
  const send = (line: ControlLine): void => {
    if (connection.writable) connection.write(`${JSON.stringify(line)}\n`);
  };
  try {
    const request = JSON.parse(await firstLine(connection)) as ControlRequest;
    send({ result: (await carryOut(request, (progress) => send({ progress }))) ?? null });
  } catch (error) {
    send({ error: error instanceof Error ? error.message : String(error), isRefusal: error instanceof CommandRefused });
  }
  connection.end();
}

function firstLine(connection: net.Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    connection
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        const end = text.indexOf('\n');
        if (end >= 0) resolve(text.slice(0, end));
        else if (text.length > requestCharactersMax) reject(new Error('the request is too long'));
      })
      .on('close', () => reject(new Error('no request came')));
  });
}

/** Sends a command to the launcher of a directory. Rejects with its error, or with `CommandRefused` when none runs. */
export async function askLauncher(
  directory: string,
  request: ControlRequest,
  say: (line: string) => void = () => undefined,
): Promise<unknown> {
  const connection = net.connect(controlSocket(directory));
  try {
    await once(connection, 'connect');
  } catch {
    throw new CommandRefused(`no cluster runs in ${directory}: start it with "raftplane up"`);
  }
  connection.write(`${JSON.stringify(request)}\n`);
  for await (const text of readline.createInterface({ input: connection })) {
    const line = JSON.parse(text) as ControlLine;
    if ('progress' in line) say(line.progress);
    else if ('error' in line) throw line.isRefusal ? new CommandRefused(line.error) : new Error(line.error);
    else return line.result;
  }
  throw new Error('the launcher ended before it answered');
}
