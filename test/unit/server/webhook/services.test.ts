import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { isOwnService } from '../../../../server/assembly/loopback.js';
import { clusterAddresses, endpointAddresses, loopbackAddresses } from '../../../../server/registry/serviceAddresses.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import type { Storage } from '../../../../server/storage/contract.js';
import { createHookClients } from '../../../../server/webhook/hookClients.js';
import { namedIdentities } from '../../../../server/webhook/identities.js';
import { startHookService } from '../../../fixtures/hookService.js';
import { createIdentities } from '../../../fixtures/identities.js';

const terms = { timeoutMs: 1000 };

async function holding(objects: readonly (readonly [resource: string, group: string, object: JsonObject])[]): Promise<Storage> {
  const storage = createMemoryStorage({ selectableFields: () => null });
  for (const [resource, group, object] of objects) {
    const { name = '' } = (object as ApiObject).metadata;
    await storage.create(
      { resource: { group, resource }, namespace: 'n', name },
      { ...object, metadata: { ...(object as ApiObject).metadata, namespace: 'n' } },
      terms,
    );
  }
  return storage;
}
const service = (spec: JsonObject): readonly ['services', '', JsonObject] => [
  'services',
  '',
  {
    apiVersion: 'v1',
    metadata: { name: 's' },
    spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [{ name: 'https', port: 443, targetPort: 8443 }], ...spec },
  },
];
const slice = (name: string, endpoints: JsonObject[], of = 's'): readonly ['endpointslices', 'discovery.k8s.io', JsonObject] => [
  'endpointslices',
  'discovery.k8s.io',
  {
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name, labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    endpoints,
    ports: [
      { name: 'https', port: 8443 },
      { name: 'other', port: 1 },
    ],
  },
];
const wanted = { namespace: 'n', name: 's', port: 443 };

describe('where services are reached', () => {
  const rows: readonly (readonly [what: string, spec: JsonObject | null, port: number, result: unknown])[] = [
    ['at their own address', {}, 443, { host: '10.0.0.7', port: 443 }],
    [
      'at the name they stand for',
      { type: 'ExternalName', externalName: 'out.example.com' },
      8080,
      { host: 'out.example.com', port: 8080 },
    ],
    ['nowhere without an address', { clusterIP: 'None' }, 443, 'cannot route to service with ClusterIP "None"'],
    ['nowhere at other ports', {}, 444, 'no service port 444 found for service "s"'],
    ['nowhere when they are not there', null, 443, 'service "s" not found'],
  ];
  for (const [what, spec, port, result] of rows) {
    it(what, async () => {
      const storage = await holding(spec === null ? [] : [service(spec)]);
      expect(await clusterAddresses(storage)({ ...wanted, port }).catch((error: unknown) => (error as Error).message)).to.deep.equal(
        result,
      );
    });
  }

  it('at one of their ready endpoints', async () => {
    const storage = await holding([
      service({ clusterIP: 'None' }),
      slice('a', [{ addresses: ['10.1.0.1'] }, { addresses: ['10.1.0.2'], conditions: { ready: false } }]),
      slice('b', [{ addresses: ['10.1.0.3'], conditions: { ready: true } }]),
      slice('c', [{ addresses: ['10.9.9.9'] }], 'other'),
    ]);
    const at = (random: number): unknown => endpointAddresses(storage, () => random)(wanted);
    expect(await Promise.all([at(0), at(0.99)])).to.deep.equal([
      { host: '10.1.0.1', port: 8443 },
      { host: '10.1.0.3', port: 8443 },
    ]);
  });

  it('this server for the service of the API at its usual port, with or without an object', async () => {
    const others = clusterAddresses(await holding([]));
    const addresses = loopbackAddresses(others, isOwnService, () => ({ host: '127.0.0.1', port: 6443 }));
    const own = { namespace: 'default', name: 'kubernetes', port: 443 };
    expect(await addresses(own)).to.deep.equal({ host: '127.0.0.1', port: 6443 });
    for (const other of [{ port: 6443 }, { namespace: 'n' }, { name: 's' }]) {
      const refused = await addresses({ ...own, ...other }).catch((error: unknown) => (error as Error).message);
      expect(refused).to.match(/^service "\w+" not found$/);
    }
  });

  it('nowhere without endpoints', async () => {
    const storage = await holding([service({}), slice('a', [{ addresses: ['10.1.0.2'], conditions: { ready: false } }])]);
    expect(await endpointAddresses(storage)(wanted).catch((error: unknown) => (error as Error).message)).to.equal(
      'no endpoints available for service "s"',
    );
  });

  it('under the name of the service, whatever their address', async () => {
    const hook = await startHookService(await createIdentities(), { dns: ['s.n.svc'] });
    const clients = createHookClients({ resolve: () => Promise.resolve({ host: '127.0.0.1', port: hook.port }), identityFor: () => ({}) });
    const client = clients.of({
      at: { namespace: 'n', name: 's', port: 443, path: '/x' },
      ca: Buffer.from(hook.caBundle, 'base64').toString(),
    });
    await client.post('{}', terms);
    expect(hook.paths).to.deep.equal(['/x?timeout=1s']);
    expect(client.urlFor(90_000)).to.equal('https://s.n.svc:443/x?timeout=1m30s');
    clients.close();
    hook.close();
  });
});

describe('as whom webhooks see this server', () => {
  const users = new Map(['hook.example.com:8443', '*.n.svc', '*.example.com', '*.com:8443'].map((name) => [name, { token: () => name }]));
  const tokenFor = (hostPort: string): string => namedIdentities(users, { token: () => 'nobody' })(hostPort).token?.() ?? '';
  for (const [hostPort, expected] of [
    ['hook.example.com:8443', 'hook.example.com:8443'],
    ['other.example.com:8443', '*.com:8443'],
    ['s.n.svc:443', '*.n.svc'],
    ['s.m.svc:443', 'nobody'],
    ['a.b.example.com:443', '*.example.com'],
    ['s.n.svc:8443', 'nobody'],
  ] as const)
    it(`${hostPort}: ${expected}`, () => {
      expect(tokenFor(hostPort)).to.equal(expected);
    });
});
