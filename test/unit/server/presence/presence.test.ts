import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { MasterLeases, masterLeaseResource } from '../../../../server/presence/masterLeases.js';
import { goneAfterMs, nextTurnMs, Presence, renewIntervalMs } from '../../../../server/presence/presence.js';
import { leaseName, leaseOf, readLease, type ServerAddress, type ServerIdentity } from '../../../../server/presence/serverLease.js';
import { countedAddresses, endpointsFor, says, sliceFor } from '../../../../server/presence/serviceEndpoints.js';
import { createSample, type Sample } from '../registry/sample.js';

const address = fc.record({
  ip: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.10', 'fd00::1'),
  port: fc.integer({ min: 1, max: 65_535 }),
});

describe('the endpoints of the kubernetes service', () => {
  it('hold each address once, at its lowest port, whatever the order of the servers', () => {
    fc.assert(
      fc.property(fc.array(address, { maxLength: 8 }), fc.nat(), (servers, seed) => {
        const shuffled = servers
          .map((server, index) => ({ server, at: (index * 7919 + seed) % 11 }))
          .sort((a, b) => a.at - b.at)
          .map(({ server }) => server);
        expect(endpointsFor(shuffled)).to.deep.equal(endpointsFor(servers));
        expect(sliceFor(shuffled)).to.deep.equal(sliceFor(servers));
        const reported = (endpointsFor(servers)['subsets'] as { addresses: { ip: string }[]; ports: { port: number }[] }[]).flatMap(
          ({ addresses, ports }) => addresses.map(({ ip }) => [ip, ports[0]?.port ?? 0] as const),
        );
        const lowest = new Map<string, number>();
        for (const { ip, port } of servers) lowest.set(ip, Math.min(lowest.get(ip) ?? 65_536, port));
        expect(new Map(reported)).to.deep.equal(lowest);
        expect(reported).to.have.length(lowest.size);
      }),
    );
  });

  it('are the same in Endpoints and slice where all servers share a port and a family', () => {
    const servers = [
      { ip: '10.0.0.2', port: 6443 },
      { ip: '10.0.0.1', port: 6443 },
    ];
    const [subset] = endpointsFor(servers)['subsets'] as [{ addresses: { ip: string }[]; ports: JsonObject[] }];
    const slice = sliceFor(servers);
    expect((slice['endpoints'] as { addresses: string[] }[]).map(({ addresses }) => addresses[0])).to.deep.equal(
      subset.addresses.map(({ ip }) => ip),
    );
    expect(slice['ports']).to.deep.equal(subset.ports);
    expect(slice['addressType']).to.equal('IPv4');
  });

  it('come in the order of their addresses, whichever their ports', () => {
    const [first, second] = endpointsFor([
      { ip: '10.0.0.2', port: 6443 },
      { ip: '10.0.0.1', port: 7443 },
    ])['subsets'] as { addresses: { ip: string }[] }[];
    expect([first?.addresses, second?.addresses]).to.deep.equal([[{ ip: '10.0.0.1' }], [{ ip: '10.0.0.2' }]]);
  });

  it('are compared by what they say, not by what others wrote beside it', () => {
    const wanted = endpointsFor([{ ip: '10.0.0.1', port: 1 }]);
    const there = { ...wanted, metadata: { ...wanted.metadata, uid: 'u', labels: { ...wanted.metadata.labels, mine: 'x' } } };
    expect(says(there, wanted)).to.equal(true);
    const { apiVersion: _apiVersion, kind: _kind, ...stored } = there;
    expect(says(stored, wanted), 'as it comes out of the store').to.equal(true);
    expect(says({ ...there, metadata: { ...there.metadata, labels: {} } }, wanted)).to.equal(false);
    expect(says(endpointsFor([{ ip: '10.0.0.2', port: 1 }]), wanted)).to.equal(false);
  });
});

describe('the addresses of a counted number of servers', () => {
  it('stay as they are where the own one is among no more than there are servers', () => {
    expect(countedAddresses(['10.0.0.2', '10.0.0.1'], '10.0.0.1', 2)).to.deep.equal(['10.0.0.2', '10.0.0.1']);
  });

  it('take the own one in, and leave out those that follow it, around the end', () => {
    expect(countedAddresses(['10.0.0.1', '10.0.0.3'], '10.0.0.2', 3)).to.deep.equal(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(countedAddresses(['10.0.0.1', '10.0.0.3'], '10.0.0.2', 2)).to.deep.equal(['10.0.0.1', '10.0.0.2']);
    expect(countedAddresses(['10.0.0.1', '10.0.0.2'], '10.0.0.3', 2)).to.deep.equal(['10.0.0.2', '10.0.0.3']);
    expect(countedAddresses(['10.0.0.1', '10.0.0.2', '10.0.0.3'], '10.0.0.2', 1)).to.deep.equal(['10.0.0.2']);
  });

  it('come to be those of the servers that take turns, whatever was there before', () => {
    const ips = fc.uniqueArray(
      fc.integer({ min: 1, max: 250 }).map((last) => `10.0.0.${last}`),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(ips, ips, (servers, before) => {
        let listed: readonly string[] = before;
        for (let turn = 0; turn < 10; turn++) for (const own of servers) listed = countedAddresses(listed, own, servers.length);
        expect([...listed].sort()).to.deep.equal([...servers].sort());
      }),
    );
  });
});

describe('the lease of a server', () => {
  const identity = (address: ServerAddress): ServerIdentity => ({ hostname: 'h', memberId: 'r1', processUid: 'p', address });

  it('tells the address that was written, of either family, and has a name that DNS takes', () => {
    fc.assert(
      fc.property(address, fc.option(address), fc.string(), fc.string(), (reported, peerAddress, hostname, memberId) => {
        const lease = leaseOf({ ...identity(reported), peerAddress, hostname, memberId }, 1_000);
        expect(readLease(lease)).to.deep.equal({ address: reported, peerAddress: peerAddress ?? reported, memberId, renewedAt: 1_000 });
        expect(lease.metadata.name).to.match(/^apiserver-[a-z2-7]{26}$/);
      }),
    );
  });
  it('is named as the reference names it, unless there may be others on the machine', () => {
    expect(leaseName({ hostname: 'node-1', memberId: 'a' })).to.equal('apiserver-lgabes5ywnaqeagh5dny4zlzs4');
    const names = ['a', 'b', 'c'].map((memberId) => leaseName({ hostname: 'node-1', memberId }));
    expect(new Set(names).size).to.equal(3);
  });

  it('is nothing where others wrote it', () => {
    expect(readLease({ metadata: { name: 'apiserver-x' } })).to.equal(null);
    const lease = leaseOf(identity({ ip: '10.0.0.1', port: 1 }), 0);
    expect(readLease({ ...lease, metadata: { ...lease.metadata, annotations: {} } })).to.equal(null);
    expect(readLease({ ...lease, spec: { renewTime: 'soon' } })?.renewedAt).to.equal(null);
  });
});

describe('when a server says that it is there', () => {
  it('is the same for all whose clocks agree, once an interval, and soon enough after whatever went before', () => {
    fc.assert(
      fc.property(fc.nat(4_000_000_000), fc.integer({ min: 0, max: renewIntervalMs / 2 - 1 }), (now, lateMs) => {
        const next = now + nextTurnMs(now);
        expect(next % renewIntervalMs).to.equal(0);
        expect(nextTurnMs(now)).to.be.within(renewIntervalMs / 2, 1.5 * renewIntervalMs);
        expect(next + lateMs + nextTurnMs(next + lateMs)).to.equal(next + renewIntervalMs);
      }),
    );
  });
});

describe('API servers beside each other', () => {
  const catalogue = createCatalogue({ serves: () => true });
  let sample: Sample;
  let elapsed: number;
  let running: Presence[];
  const clock = { elapsed: () => elapsed, now: () => Date.UTC(2026, 0, 1) + elapsed };
  const server = (memberId: string, ip: string, reconciles = true, count: number | null = null): Presence => {
    const made = new Presence({
      storage: sample.storage,
      registry: sample.registry,
      catalogue,
      clock,
      reconciles,
      count,
      identity: { hostname: 'h', memberId, processUid: memberId, address: { ip, port: 6443 } },
      report: (what, error) => {
        throw new Error(what, { cause: error });
      },
    });
    running.push(made);
    return made;
  };
  /** Waits until all have seen the writes. */
  const settle = async (...servers: readonly Presence[]): Promise<void> => {
    for (const each of [...servers, ...servers]) await each.turn();
  };
  const reported = async (): Promise<string[]> => {
    const { subsets = [] } = (await sample.get('v1/Endpoints', 'kubernetes')) as { subsets?: { addresses: { ip: string }[] }[] };
    const { endpoints } = (await sample.get('discovery.k8s.io/v1/EndpointSlice', 'kubernetes')) as {
      endpoints?: { addresses: string[] }[];
    };
    const [old, modern] = [
      subsets.flatMap(({ addresses }) => addresses.map(({ ip }) => ip)),
      (endpoints ?? []).flatMap(({ addresses }) => addresses),
    ];
    expect(modern).to.deep.equal(old);
    return old;
  };

  beforeEach(async () => {
    sample = await createSample();
    [elapsed, running] = [5_000_000, []];
  });
  afterEach(async () => {
    for (const each of running) await each.stop();
  });

  it('are all published while they are there, and a silent one no more', async () => {
    const [a, b, c] = [server('a', '10.0.0.1'), server('b', '10.0.0.2'), server('c', '10.0.0.3')];
    await settle(a, b, c);
    expect(await reported()).to.deep.equal(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    for (let passed = 0; passed <= goneAfterMs; passed += renewIntervalMs) {
      elapsed += renewIntervalMs;
      await settle(a, c);
    }
    expect(await reported()).to.deep.equal(['10.0.0.1', '10.0.0.3']);
    await settle(b, a);
    expect(await reported()).to.deep.equal(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  });

  it('write the endpoints only where these change', async () => {
    const [a, b] = [server('a', '10.0.0.1'), server('b', '10.0.0.2')];
    await settle(a, b);
    const versions = async (): Promise<unknown[]> => {
      const objects = [await sample.get('v1/Endpoints', 'kubernetes'), await sample.get('discovery.k8s.io/v1/EndpointSlice', 'kubernetes')];
      return objects.map(({ metadata }) => metadata.resourceVersion);
    };
    const before = await versions();
    for (let turns = 0; turns < 3; turns += 1) {
      elapsed += renewIntervalMs;
      await settle(a, b);
    }
    expect(await versions()).to.deep.equal(before);
    await settle(a, b, server('c', '10.0.0.3'));
    expect(await versions()).to.not.deep.equal(before);
  });

  it('that are counted stay listed when they are silent, until others need the room, or when they stop', async () => {
    const [a, b] = [server('a', '10.0.0.1', true, 2), server('b', '10.0.0.2', true, 2)];
    a.start();
    b.start();
    await settle(a, b);
    elapsed += goneAfterMs * 2;
    await settle(a);
    expect(await reported()).to.deep.equal(['10.0.0.1', '10.0.0.2']);
    await settle(a, server('c', '10.0.0.3', true, 2), a);
    expect(await reported()).to.deep.equal(['10.0.0.1', '10.0.0.3']);
    await a.stop();
    expect(await reported()).to.deep.equal(['10.0.0.3']);
  });

  it('take themselves out when they stop', async () => {
    const [a, b] = [server('a', '10.0.0.1'), server('b', '10.0.0.2')];
    a.start();
    b.start();
    await settle(a, b);
    await b.stop();
    expect(await reported()).to.deep.equal(['10.0.0.1']);
    const lease = await sample.registry
      .get(
        {
          resource: catalogue.resource('coordination.k8s.io', 'v1', 'leases')!,
          namespace: 'kube-system',
          name: leaseName({ hostname: 'h', memberId: 'b' }),
        },
        { at: 'any' },
      )
      .catch((error: Error) => error.message);
    expect(lease).to.match(/not found/);
  });

  it('that were gone before this one came are not published, and in the end forgotten', async () => {
    const gone = server('gone', '10.0.0.9', false);
    await settle(gone);
    elapsed += goneAfterMs * 2;
    const late = server('late', '10.0.0.1');
    await settle(late);
    expect(await reported()).to.deep.equal(['10.0.0.1']);
    elapsed += 3_600_001;
    await settle(late);
    const leases = await sample.storage.list({
      resource: { group: 'coordination.k8s.io', resource: 'leases' },
      namespace: 'kube-system',
      labels: [],
      fields: [],
      consistency: { at: 'mostRecent' },
      limit: null,
      after: null,
    });
    expect(leases.outcome === 'found' && leases.items.map(({ name }) => name)).to.deep.equal([
      leaseName({ hostname: 'h', memberId: 'late' }),
    ]);
  });

  it('leave endpoints alone when they are told to', async () => {
    await settle(server('a', '10.0.0.1', false));
    expect(await sample.get('v1/Endpoints', 'kubernetes').catch((error: Error) => error.message)).to.match(/not found/);
  });
});

describe('the addresses that servers of both programs tell each other', () => {
  const masters = (sample: Sample, ip: string): MasterLeases => new MasterLeases(sample.storage, ip);
  const ipsIn = async (sample: Sample): Promise<unknown> => {
    const reported = (await sample.get('Endpoints', 'kubernetes')) as { subsets?: { addresses: { ip: string }[] }[] };
    return reported.subsets?.flatMap(({ addresses }) => addresses.map(({ ip }) => ip));
  };

  it('are all in the endpoints, as long as they are there', async () => {
    const sample = await createSample();
    const presence = new Presence({
      storage: sample.storage,
      registry: sample.registry,
      catalogue: createCatalogue({ serves: () => true }),
      identity: { hostname: 'h', memberId: 'm', processUid: 'p', address: { ip: '10.0.0.1', port: 6443 } },
      reconciles: true,
      masters: masters(sample, '10.0.0.1'),
      report: (_, error) => {
        throw error;
      },
    });
    await presence.turn();
    expect(await ipsIn(sample)).to.deep.equal(['10.0.0.1']);
    const other = masters(sample, '10.0.0.7');
    await other.synced;
    await other.renew();
    await presence.turn();
    expect(await ipsIn(sample)).to.deep.equal(['10.0.0.1', '10.0.0.7']);
    const key = { resource: masterLeaseResource, namespace: '', name: '10.0.0.1' };
    const found = await sample.storage.get(key, { at: 'mostRecent' });
    const lease = found.outcome === 'found' ? found.object.decode() : null;
    expect(lease?.['subsets']).to.deep.equal([{ addresses: [{ ip: '10.0.0.1' }] }]);
    expect(lease?.metadata.generation, 'counts on with each turn').to.equal(2);
    await other.remove();
    await presence.turn();
    expect(await ipsIn(sample)).to.deep.equal(['10.0.0.1']);
    other.stop();
    presence.start();
    await presence.stop();
    expect((await sample.storage.get(key, { at: 'mostRecent' })).outcome).to.equal('absent');
  });
});
