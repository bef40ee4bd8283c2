import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { ensurePki, type PkiFiles } from '../../../../deploy/pki.js';
import type { RequestContext } from '../../../../server/endpoints/context.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { PeerAddresses } from '../../../../server/peers/addresses.js';
import { dialByConnect } from '../../../../server/egress/httpConnect.js';
import { connectProxy } from '../../../fixtures/egressProxies.js';
import { Peers } from '../../../../server/peers/peers.js';
import { leaseOf, readLease, serverLeases } from '../../../../server/presence/serverLease.js';
import type { ObjectKey } from '../../../../server/storage/contract.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

describe('other API servers', () => {
  it('are known up to a bound, by addresses that are some', () => {
    const addresses = new PeerAddresses();
    for (let each = 0; each < 1_000; each++) addresses.put(`apiserver-${each}`, { ip: '192.0.2.1', port: each + 1 });
    expect(addresses.all()).to.have.length(64);
    addresses.put('apiserver-0', { ip: '192.0.2.2', port: 1 });
    expect(addresses.all()[0], 'one that has moved').to.deep.equal({ ip: '192.0.2.2', port: 1 });
    addresses.remove('apiserver-0');
    addresses.put('apiserver-999', { ip: '192.0.2.3', port: 1 });
    expect(addresses.all()).to.have.length(64);
    const leaseAt = (ip: string, port: number) =>
      readLease(leaseOf({ hostname: 'h', memberId: 'm', processUid: 'u', address: { ip, port } }, 0));
    expect([leaseAt('192.0.2.1', 443)?.address, leaseAt('2001:db8::1', 65_535)?.address.ip]).to.deep.equal([
      { ip: '192.0.2.1', port: 443 },
      '2001:db8::1',
    ]);
    for (const [ip, port] of [
      ['1.2.3', 443],
      ['999.0.2.1', 443],
      ['192.0.2.1', 0],
      ['192.0.2.1', 70_000],
    ] as const)
      expect(leaseAt(ip, port), `${ip}:${port}`).to.equal(null);
  });

  describe('that may serve what this one does not', () => {
    let pki: PkiFiles;
    let storage: MemoryStorage;
    let peers: Peers;
    const closing: (() => void)[] = [];
    before(async () => {
      pki = await ensurePki(path.join(temporaryDirectory('peers'), 'pki'), [], { tokenKeys: 'ec' });
    });
    beforeEach(() => {
      storage = createMemoryStorage();
      peers = new Peers({ storage, catalogue: createCatalogue(), own: 'own', identity: {}, ca: fs.readFileSync(pki.caFile) });
      closing.push(() => peers.stop());
    });
    afterEach(() => {
      for (const close of closing.splice(0)) close();
    });

    const portOf = async (server: net.Server): Promise<number> => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    };
    const advertise = async (memberId: string, port: number): Promise<ObjectKey> => {
      const lease = leaseOf({ hostname: 'h', memberId, processUid: 'u', address: { ip: '127.0.0.1', port } }, Date.now());
      const { group, resource, namespace } = serverLeases;
      const key = { resource: { group, resource }, namespace, name: lease.metadata.name ?? '' };
      await storage.create(key, lease, { timeoutMs: 1_000 });
      return key;
    };

    it('are asked for the groups that they serve themselves, for as long as they are there', async () => {
      const groups = [{ metadata: { name: 'batch' }, versions: [{ version: 'v1', resources: [{ resource: 'jobs' }] }] }];
      const asked: (string | undefined)[] = [];
      const good = https.createServer(
        { cert: fs.readFileSync(pki.apiserver.certFile), key: fs.readFileSync(pki.apiserver.keyFile) },
        (request, response) => {
          asked.push(`${request.url ?? ''} ${request.headers.accept?.split(';').at(-1) ?? ''} ${String(request.headers['x-remote-user'])}`);
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ items: groups }));
        },
      );
      closing.push(() => {
        good.close();
        good.closeAllConnections();
      });
      const lease = await advertise('good', await portOf(good));
      while (peers.groups()[0]?.length !== 1) await new Promise(setImmediate);
      expect(peers.groups()).to.deep.equal([groups]);
      expect(asked).to.deep.equal(['/apis profile=nopeer system:apiserver']);
      const stored = await storage.get(lease, { at: 'any' });
      if (stored.outcome !== 'found') throw new Error('the lease is gone');
      await storage.delete(lease, stored.object.version, { timeoutMs: 1_000 });
      while (peers.groups().length > 0) await new Promise(setImmediate);
    });

    it('are reached by the way that the configuration of egress names', async () => {
      const proxy = await connectProxy(null);
      const good = https.createServer(
        { cert: fs.readFileSync(pki.apiserver.certFile), key: fs.readFileSync(pki.apiserver.keyFile) },
        (_, response) => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ resources: [{ name: 'things' }] }));
        },
      );
      const through = new Peers({
        storage,
        catalogue: createCatalogue(),
        own: 'own',
        identity: {},
        ca: fs.readFileSync(pki.caFile),
        dial: (host, port) => dialByConnect({ path: proxy.address }, host, port),
      });
      closing.push(() => {
        through.stop();
        good.close();
        good.closeAllConnections();
        proxy.stop();
      });
      const port = await portOf(good);
      await advertise('good', port);
      expect((await answer(through))[0]).to.equal(true);
      expect(new Set(proxy.asked)).to.deep.equal(new Set([`127.0.0.1:${port}`]));
    });

    it('are asked together: one that says nothing does not keep the others from answering', async () => {
      const held: net.Socket[] = [];
      const silent = net.createServer((socket) => {
        held.push(socket);
      });
      const good = https.createServer(
        { cert: fs.readFileSync(pki.apiserver.certFile), key: fs.readFileSync(pki.apiserver.keyFile) },
        (request, response) => {
          response.setHeader('content-type', 'application/json');
          response.end(
            JSON.stringify(request.url === '/apis/other.example/v1' ? { resources: [{ name: 'things' }] } : { answered: request.url }),
          );
        },
      );
      closing.push(() => {
        for (const socket of held) socket.destroy();
        silent.close();
        good.close();
        good.closeAllConnections();
      });
      await advertise('silent', await portOf(silent));
      await advertise('good', await portOf(good));
      const [answered, body] = await answer(peers);
      expect(answered).to.equal(true);
      expect(JSON.parse(body)).to.deep.equal({ answered: '/apis/other.example/v1/things' });
      expect(held.every((socket) => !socket.destroyed)).to.equal(true);
    });
  });
});

/** The answer to a request for a type of other servers, through its own server. */
async function answer(peers: Peers): Promise<[boolean, string]> {
  const url = '/apis/other.example/v1/things';
  let answered = false;
  const server = createServer((request, response) => {
    const context = {
      request,
      response,
      query: new URLSearchParams(),
      user: { name: 'u', uid: '', groups: [], extra: {} },
      signal: new AbortController().signal,
      info: {
        isResource: true,
        path: url,
        verb: 'list',
        group: 'other.example',
        version: 'v1',
        resource: 'things',
        namespace: '',
        name: '',
        subresource: '',
        rest: [],
      },
      onClose: () => undefined,
    } as unknown as RequestContext;
    void peers.answers(context).then((result) => {
      answered = result;
      if (!result) response.end('nobody');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${url}`);
    const body = await response.text();
    return [answered, body];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
