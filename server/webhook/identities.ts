import type { ConnectionSettings } from '../../program/kubeconfig.js';
import type { IdentityFor } from './hookClients.js';

type Identity = Pick<ConnectionSettings, 'cert' | 'key' | 'token'>;

const httpsPort = ':443';

/**
 * How to show oneself to webhooks, by the names of users in a kubeconfig: a user is called after the `host:port` of the webhook, or after the end of
 * it behind a star (`*.ns.svc:8443`, `*.svc`); the usual port may be left out. The most exact name counts.
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
