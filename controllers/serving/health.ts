import fs from 'node:fs';
import { tlsVersions } from '../../server/catalogue/flags/tls.js';
import type { Clock } from '../client/clock.js';
import { Connection } from '../client/connection.js';
import { loadKubeconfig } from '../client/kubeconfig.js';
import { RestApi } from '../client/rest.js';
import type { ControllerManagerOptions } from '../options/read.js';
import { delegatedAccess } from './access.js';
import type { Metrics } from './metrics.js';
import { servingPair } from './selfSigned.js';
import { serve, type Page, type Serving } from './server.js';

/** Starts the secure port as options say; null when there is none. */
export async function serveHealth({ options, metrics, clock }: { readonly options: ControllerManagerOptions; readonly metrics: Metrics; readonly clock: Clock }): Promise<Serving | null> {
  if (options['secure-port'] === 0) return null;
  const ok = (): Page => ({ status: 200, type: 'text/plain; charset=utf-8', body: 'ok' });
  const apiOf = (file: string | null): RestApi | null => (file ? new RestApi({ connection: new Connection(loadKubeconfig(file), { clock }), userAgent: 'kube-controller-manager/access', clock }) : null);
  const minVersion = tlsVersions[options['tls-min-version'] ?? ''];
  return serve({
    host: options['bind-address'], port: options['secure-port'],
    pair: await servingPair({ cert: options['tls-cert-file'], key: options['tls-private-key-file'] }, options['cert-dir']),
    ...(options['client-ca-file'] ? { clientCa: fs.readFileSync(options['client-ca-file'], 'utf8') } : {}),
    ...(minVersion ? { minVersion } : {}),
    openPaths: options['authorization-always-allow-paths'],
    mayRead: delegatedAccess(apiOf(options['authentication-kubeconfig']), apiOf(options['authorization-kubeconfig'])),
    routes: {
      '/healthz': ok, '/livez': ok, '/readyz': ok,
      '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    },
  });
}
