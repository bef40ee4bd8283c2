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
import { configz, flagz, statusz } from './pages.js';
import { servingPair } from './selfSigned.js';
import { serve, type Route, type Serving } from './server.js';
import { Slis } from './slis.js';

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
  const slis = new Slis(checks);
  const startedAt = clock.now();
  const { 'requestheader-client-ca-file': proxyCaFile } = options;
  const routes: Readonly<Record<string, Route>> = {
    '/healthz': all,
    '/livez': all,
    '/readyz': all,
    '/healthz/': one,
    '/livez/': one,
    '/readyz/': one,
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    '/metrics/slis': async () => ({ status: 200, type: slis.contentType, body: await slis.text() }),
    '/configz': () => configz(options),
    '/flagz': () => flagz(options),
    '/statusz': () => statusz(startedAt, clock.now(), Object.keys(routes)),
  };
  return serve({
    host: options['bind-address'],
    port: options['secure-port'],
    pair: await servingPair({ cert: options['tls-cert-file'], key: options['tls-private-key-file'] }, options['cert-dir']),
    ...(options['client-ca-file'] ? { clientCa: fs.readFileSync(options['client-ca-file'], 'utf8') } : {}),
    ...(proxyCaFile
      ? {
          proxies: {
            authorities: fs.readFileSync(proxyCaFile, 'utf8'),
            names: options['requestheader-allowed-names'],
            userHeaders: options['requestheader-username-headers'],
            groupHeaders: options['requestheader-group-headers'],
          },
        }
      : {}),
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
    routes,
  });
}
