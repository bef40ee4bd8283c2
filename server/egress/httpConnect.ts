import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { tlsClientOptions } from '../../program/tls/tlsClient.js';
import type { Transport } from './configuration.js';

const answerBytesMax = 16 * 1024;
const timeoutMs = 30_000;
const endOfHead = '\r\n\r\n';

function reach(transport: Transport): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket =
      'path' in transport
        ? connect({ path: transport.path })
        : transport.tls === null
          ? connect({ host: transport.host, port: transport.port })
          : connectTls({
              host: transport.host,
              port: transport.port,
              ...(isIP(transport.host) > 0 ? {} : { servername: transport.host }),
              ...tlsClientOptions(transport.tls),
            });
    const ready = 'path' in transport || transport.tls === null ? 'connect' : 'secureConnect';
    const failed = (cause: Error): void => {
      reject(new Error(`the egress proxy cannot be reached: ${cause.message}`, { cause }));
    };
    socket.once('error', failed);
    socket.once(ready, () => {
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

/** Opens a tunnel through a proxy by CONNECT (RFC 9110, section 9.3.6). */
export async function dialByConnect(transport: Transport, host: string, port: number): Promise<Duplex> {
  const socket = await reach(transport);
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  try {
    const { code, rest } = await answerOn(socket);
    if (code !== 200) throw new Error(`the egress proxy refuses a way to ${target}: it answered ${code}`);
    if (rest.length > 0) socket.unshift(rest);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function answerOn(socket: Socket): Promise<{ readonly code: number; readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const timer = setTimeout(() => {
      fail(new Error(`the egress proxy does not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const leave = (): void => {
      clearTimeout(timer);
      socket.off('data', take);
      socket.off('error', fail);
      socket.off('close', gone);
    };
    const fail = (error: Error): void => {
      leave();
      reject(error);
    };
    const gone = (): void => {
      fail(new Error('the egress proxy ended the connection'));
    };
    const take = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(endOfHead);
      if (end < 0) {
        if (head.length > answerBytesMax) fail(new Error('the egress proxy answers with too long a head'));
        return;
      }
      socket.pause();
      leave();
      const [, code] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, end)) ?? [];
      resolve({ code: Number(code ?? 0), rest: head.subarray(end + endOfHead.length) });
    };
    socket.on('data', take);
    socket.once('error', fail);
    socket.once('close', gone);
  });
}
