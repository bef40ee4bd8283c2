import { randomUUID } from 'node:crypto';
import type { Live } from '../../program/files/liveFile.js';
import { groupAuthenticated, groupMasters, type Authenticator } from '../../program/authentication/authenticator.js';
import type { ListenerCredentials } from '../../program/port/listener.js';
import type { User } from '../../api/user.js';
import { sameSecret } from '../authentication/tokens/sameSecret.js';
import { bearerToken } from '../authentication/tokens/token.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { ServiceAddress, ServicePort } from '../registry/serviceAddresses.js';
import type { OwnServer } from '../webhook/hookClients.js';

/** The server's way to itself, for the Service `default/kubernetes` (cmd/kube-apiserver/app/server.go). */
export interface Loopback {
  readonly host: string;
  /** 0 until the server listens on a free port. */
  port: number;
  readonly token: string;
  readonly uid: string;
}

const loopbackHosts: Readonly<Record<string, string>> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };

export const createLoopback = (options: Pick<ApiServerOptions, 'bind-address' | 'secure-port'>): Loopback => ({
  host: loopbackHosts[options['bind-address']] ?? options['bind-address'],
  port: options['secure-port'],
  token: randomUUID(),
  uid: randomUUID(),
});

/** The token's user is privileged (`AuthorizeClientBearerToken`). */
export function loopbackAuthenticator({ token, uid }: Loopback): Authenticator {
  const user: User = { name: 'system:apiserver', uid, groups: [groupAuthenticated, groupMasters], extra: {} };
  return ({ headers }) => {
    const given = bearerToken(headers.authorization);
    return given?.length === token.length && sameSecret(given, token) ? { outcome: 'user', user } : { outcome: 'absent' };
  };
}

export const isOwnService = ({ namespace, name, port }: ServicePort): boolean =>
  namespace === 'default' && name === 'kubernetes' && port === 443;

export const addressOf = ({ host, port }: Loopback): ServiceAddress => ({ host, port });

/** Trusts only the listener's current certificate. */
export const ownServerOf = (loopback: Loopback, { current }: Pick<Live<ListenerCredentials>, 'current'>): OwnServer => ({
  address: addressOf(loopback),
  settings: { ca: current.certificate.cert.toString(), token: () => loopback.token, anyServerName: true },
});
