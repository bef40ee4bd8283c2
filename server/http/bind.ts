import type { Http2SecureServer } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type AnyServer = Http2SecureServer | HttpsServer;

/** A listener that could not start: the message names the address and what to do. */
export class ListenError extends Error {}

const ignore = (): void => {};

/** All families where there are several; IPv4 alone on machines without IPv6. */
export async function bind(server: AnyServer, { host, port }: { readonly host: string; readonly port: number }): Promise<AddressInfo> {
  const everywhere = host === '' || host === '0.0.0.0' || host === '::';
  try {
    return await tryBind(server, everywhere ? '::' : host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (everywhere && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL'))
      return tryBind(server, '0.0.0.0', port).catch((second: unknown) => {
        throw explain(second, host, port);
      });
    throw explain(error, host, port);
  }
}

function tryBind(server: AnyServer, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', ignore);
      resolve(server.address() as AddressInfo);
    });
  });
}

const causes: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another process listens there already; stop it, or choose another --secure-port'],
  ['EACCES', 'this user may not listen there; choose a --secure-port above 1023'],
  ['EADDRNOTAVAIL', 'this machine has no such address; check --bind-address'],
  ['ENOTFOUND', 'this name has no address; check --bind-address'],
]);

function explain(error: unknown, host: string, port: number): ListenError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new ListenError(`cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}: ${causes.get(code ?? '') ?? message}`, {
    cause: error,
  });
}
