import fs from 'node:fs';
import { ciphers, tlsVersions } from '../../server/catalogue/flags/tls.js';
import type { Clock } from '../client/clock.js';
import { Connection } from '../client/connection.js';
import { loadKubeconfig } from '../client/kubeconfig.js';
import { RestApi } from '../client/rest.js';
import type { ControllerManagerOptions } from '../options/read.js';
import { delegatedAccess } from './access.js';
import type { Checks } from './checks.js';
import type { Metrics } from './metrics.js';
import { servingPair } from './selfSigned.js';
import { serve, type Route, type Serving } from './server.js';

/** Starts the secure port as options say; null when there is none. */
export async function serveHealth({
  options,
  metrics,
  checks,
  clock,
}: {
  readonly options: ControllerManagerOptions;
  readonly metrics: Metrics;
  readonly checks: Checks;
  readonly clock: Clock;
}): Promise<Serving | null> {
  if (options['secure-port'] === 0) return null;
  const all: Route = (query, path) => checks.all(path.slice(1), query);
  const one: Route = (_, path) => checks.one(path.slice(path.lastIndexOf('/') + 1));
  const suites = options['tls-cipher-suites'].map((name) => ciphers[name] ?? name);
  const apiOf = (file: string | null): RestApi | null =>
    file
      ? new RestApi({ connection: new Connection(loadKubeconfig(file), { clock }), userAgent: 'kube-controller-manager/access', clock })
      : null;
  const minVersion = tlsVersions[options['tls-min-version'] ?? ''];
  return serve({
    host: options['bind-address'],
    port: options['secure-port'],
    pair: await servingPair({ cert: options['tls-cert-file'], key: options['tls-private-key-file'] }, options['cert-dir']),
    ...(options['client-ca-file'] ? { clientCa: fs.readFileSync(options['client-ca-file'], 'utf8') } : {}),
    ...(minVersion ? { minVersion } : {}),
    ...(suites.length > 0 ? { ciphers: suites.join(':') } : {}),
    openPaths: options['authorization-always-allow-paths'],
    mayRead: delegatedAccess({
      authentication: apiOf(options['authentication-kubeconfig']),
      authorization: apiOf(options['authorization-kubeconfig']),
      clock,
      tokenMs: options['authentication-token-webhook-cache-ttl'],
      allowedMs: options['authorization-webhook-cache-authorized-ttl'],
      refusedMs: options['authorization-webhook-cache-unauthorized-ttl'],
    }),
    routes: {
      '/healthz': all,
      '/livez': all,
      '/readyz': all,
      '/healthz/': one,
      '/livez/': one,
      '/readyz/': one,
      '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    },
  });
}
