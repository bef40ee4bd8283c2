import type { Http2SecureServer } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';

export type AnyServer = Http2SecureServer | HttpsServer;

/** The message names the address and the remedy. */
export class ListenError extends Error {}

const ignore = (): void => {};

export interface BindOptions {
  readonly host: string;
  readonly port: number;
  readonly sharesPort?: boolean;
  readonly socket?: number;
}

/** Returns whether this Node version can share ports between processes. */
export function canSharePorts(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}

/** Binds IPv4 alone on machines without IPv6. */
export async function bind(server: AnyServer, { host, port, sharesPort = false, socket }: BindOptions): Promise<AddressInfo> {
  if (socket !== undefined) return listening(server, { fd: socket });
  const everywhere = host === '' || host === '0.0.0.0' || host === '::';
  try {
    return await tryBind(server, everywhere ? '::' : host, { port, sharesPort });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (everywhere && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL'))
      return tryBind(server, '0.0.0.0', { port, sharesPort }).catch((second: unknown) => {
        throw explain(second, host, port);
      });
    throw explain(error, host, port);
  }
}

function tryBind(server: AnyServer, host: string, { port, sharesPort = false }: Omit<BindOptions, 'host'>): Promise<AddressInfo> {
  const shared: object = sharesPort ? { reusePort: true } : {};
  return listening(server, { host, port, ...shared });
}

function listening(server: AnyServer, options: ListenOptions & { readonly fd?: number }): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      server.on('error', ignore);
      resolve(server.address() as AddressInfo);
    });
  });
}

/** Not documented by Node; the test of serving threads would fail without it. */
export function socketOf(server: AnyServer): number {
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
  if (!Number.isInteger(fd) || fd < 0) throw new ListenError('this version of Node does not tell of the socket that threads are to share');
  return fd;
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
