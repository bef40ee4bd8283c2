import { expect } from 'chai';
import { createServiceConnections, type ServiceConnections } from '../../../../server/aggregation/connections.js';
import { createMetrics, type Metrics } from '../../../../server/http/metrics.js';
import { createHookClients, type HookClients } from '../../../../server/webhook/hookClients.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { WireBackend } from '../../../fixtures/wireBackend.js';
import { createIdentities, type Identities, type IssueOptions } from '../../../fixtures/identities.js';

const dns = ['s.n.svc'];

describe('certificates of a dated kind', () => {
  let identities: Identities;
  let backend: WireBackend | null = null;
  let hooks: HookClients;
  let services: ServiceConnections;
  let metrics: Metrics;

  before(async () => {
    identities = await createIdentities();
  });
  afterEach(async () => {
    hooks.close();
    services.close();
    await backend?.close();
  });

  async function serve(certificate: Pick<IssueOptions, 'dns' | 'digest'>): Promise<void> {
    metrics = createMetrics();
    const { cert, key } = await identities.issue({ name: 's.n.svc', usage: 'serverAuth', ...certificate });
    // Below this level OpenSSL accepts what it otherwise refuses.
    const running = await WireBackend.start({ cert: cert + identities.ca, key, ciphers: 'DEFAULT@SECLEVEL=0' });
    backend = running;
    const place = (): Promise<{ host: string; port: number }> => Promise.resolve({ host: '127.0.0.1', port: running.port });
    hooks = createHookClients({ resolve: place, identityFor: () => ({}), certificates: metrics.peerCertificates.webhooks });
    services = createServiceConnections({ addresses: place, identity: {}, certificates: metrics.peerCertificates.aggregated });
  }

  const hook = (): Promise<unknown> =>
    hooks.of({ at: { namespace: 'n', name: 's', port: 443, path: '/' }, ca: identities.ca }).post('{}', { timeoutMs: 10_000 });
  const service = async (trusting = false): Promise<void> => {
    const { signal } = new AbortController();
    const asked = { method: 'GET', path: '/', headers: {}, body: null, signal };
    const answer = await services.send(
      {
        name: 'v1.g',
        group: 'g',
        version: 'v1',
        groupPriority: 1,
        versionPriority: 1,
        target: { namespace: 'n', name: 's', port: 443 },
        ca: trusting ? '' : identities.ca,
        trusting,
        availability: null,
      },
      asked,
    );
    if (answer.outcome === 'response') for await (const _chunk of answer.response) continue;
  };
  const counted = async (): Promise<Readonly<Record<string, number | undefined>>> => {
    const names = ['webhooks', 'kube_aggregator'].flatMap((part) => ['missing_san', 'insecure_sha1'].map((what) => `${part}_x509_${what}`));
    const values = names.map(async (name) => [name, (await shownSeries(metrics.registry, `apiserver_${name}_total`))['']] as const);
    return Object.fromEntries(await Promise.all(values));
  };
  const nothing = {
    webhooks_x509_missing_san: 0,
    webhooks_x509_insecure_sha1: 0,
    kube_aggregator_x509_missing_san: 0,
    kube_aggregator_x509_insecure_sha1: 0,
  };

  it('others are none', async () => {
    await serve({ dns });
    await hook();
    await service();
    await service(true);
    expect(await counted()).to.deep.equal(nothing);
  });

  it('name their server as a common name only: counted where they are refused, and where nobody cares, with every request', async () => {
    await serve({});
    const refusal = await Promise.all([hook, hook, service].map((ask) => ask().then(String, (error: unknown) => (error as Error).message)));
    expect(refusal.join()).to.match(/(legacy Common Name.*){3}/);
    await service(true);
    await service(true);
    expect(backend?.requests).to.have.length(2);
    expect(await counted()).to.deep.equal({ ...nothing, webhooks_x509_missing_san: 2, kube_aggregator_x509_missing_san: 3 });
  });

  it('are signed by means of SHA-1: counted where they are refused, and where nobody cares', async () => {
    await serve({ dns, digest: 'SHA-1' });
    const refusal = await Promise.all([hook, service].map((ask) => ask().then(String, (error: unknown) => (error as Error).message)));
    expect(refusal.join()).to.match(/digest algorithm too weak.*digest algorithm too weak/);
    await service(true);
    expect(await counted()).to.deep.equal({ ...nothing, webhooks_x509_insecure_sha1: 1, kube_aggregator_x509_insecure_sha1: 2 });
  });

  it('of another authority are refused for another reason', async () => {
    await serve({ dns });
    const other = await createIdentities('other');
    const client = hooks.of({ at: { namespace: 'n', name: 's', port: 443, path: '/' }, ca: other.ca });
    expect(await client.post('{}', { timeoutMs: 10_000 }).catch((error: unknown) => (error as Error).message)).to.contain(
      'x509: certificate signed by unknown authority',
    );
    expect(await counted()).to.deep.equal(nothing);
  });
});
