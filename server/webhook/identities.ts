import type { ConnectionSettings } from '../../program/kubeconfig.js';
import type { IdentityFor } from './hookClients.js';

type Identity = Pick<ConnectionSettings, 'cert' | 'key' | 'token'>;

const httpsPort = ':443';

/**
 * Client certificates for webhooks, by users of a kubeconfig: a user is named after the webhook's `host:port`, or a suffix with a star (`*.ns.svc:8443`,
 * `*.svc`); the default port is optional. The most specific name counts.
 */
export function namedIdentities(users: ReadonlyMap<string, Identity>, otherwise: Identity = {}): IdentityFor {
  return (hostPort) => {
    const names = [...patternsFor(hostPort), ...(hostPort.endsWith(httpsPort) ? patternsFor(hostPort.slice(0, -httpsPort.length)) : [])];
    const name = names.find((each) => users.has(each));
    return (name === undefined ? undefined : users.get(name)) ?? otherwise;
  };
}

function patternsFor(target: string): string[] {
  const parts = target.split('.');
  return [target, ...parts.slice(1).map((_, position) => `*.${parts.slice(position + 1).join('.')}`)];
}
