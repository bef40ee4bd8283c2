import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../api/object.js';
import { emptyBits, portBits, portsOf, textOf, withBits, withoutBits } from '../../../../server/serviceAddresses/portBits.js';
import { allocationOf, bitsOf, portAllocationKey, portBitmap } from '../../../../server/serviceAddresses/portRecord.js';
import { parsePortRange } from '../../../../server/serviceAddresses/ranges.js';
import { PortRepair } from '../../../../server/serviceAddresses/repair.js';
import { selectableFieldsOf, storedKinds, storedResourceTypes } from '../../../../server/kinds/index.js';
import { itemOf, decodeItem } from '../../../../server/storage/encoding.js';
import { referenceLayout } from '../../../../server/storage/keyLayout.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { FakeReplica } from '../storage/fakeReplica.js';
import { createSample, type Sample } from '../registry/sample.js';

const range = parsePortRange('30000-30099');
const anyPorts = fc.uniqueArray(fc.integer({ min: range.first, max: range.last }));
const key = '/registry/ranges/servicenodeports';

/** A number in Go's format: big-endian bytes without leading zeros. */
function numberOf(ports: readonly number[], first: number): string {
  const number = ports.reduce((sum, port) => sum | (1n << BigInt(port - first)), 0n);
  const digits = number === 0n ? '' : number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').toString('base64');
}

const service = (name: string, nodePort?: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { type: 'NodePort', ports: [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }] },
});
const portOf = (object: JsonObject): number => Number(((object['spec'] as JsonObject)['ports'] as JsonObject[])[0]?.['nodePort']);

describe('ranges of node ports', () => {
  for (const [text, first, last] of [
    ['30000-32767', 30_000, 32_767],
    ['30000+99', 30_000, 30_099],
    ['31000', 31_000, 31_000],
  ] as const)
    it(`are read from ${text}`, () => {
      expect(parsePortRange(text)).to.deep.include({ first, last });
    });
});

describe('registry/node ports in one object', () => {
  const stored: RaftStorage[] = [];

  afterEach(() => {
    for (const storage of stored.splice(0)) storage.close();
  });

  /** A server over a store in the reference's form. */
  async function serverOver(store: FakeReplica): Promise<Sample> {
    const kind = storedKinds();
    const storage = createRaftStorage({
      replica: store,
      selectableFields: selectableFieldsOf,
      layout: referenceLayout(storedResourceTypes()),
      storedForm: {
        mediaType: 'application/vnd.kubernetes.protobuf',
        kindOf: (resource) => ({ kind: kind(resource) ?? '', builtIn: true }),
      },
    });
    stored.push(storage);
    await storage.ready();
    return createSample({ storage, ports: '30000-30099', portRecord: (kept) => portBitmap(kept, range) });
  }

  /** The content of the key: the range as text, and the stored bits. */
  async function kept(store: FakeReplica): Promise<{ readonly range: unknown; readonly data: unknown }> {
    const found = await store.range({ start: key, end: `${key}\0`, revision: null, limit: 1 });
    const item = found.outcome === 'found' ? found.items[0] : undefined;
    if (item === undefined) throw new Error('there is no such key');
    const read = itemOf(portAllocationKey, Buffer.from(item.value), item.modRevision);
    expect(read.apiVersion).to.equal('v1');
    const object = decodeItem(read.bytes, read.bigIntegers);
    return { range: object['range'], data: object['data'] ?? '' };
  }

  it('are the number that Go would write', () => {
    fc.assert(
      fc.property(anyPorts, anyPorts, (taken, given) => {
        const bits = withBits(emptyBits(range), range, taken);
        expect(textOf(bits)).to.equal(numberOf(taken, range.first));
        const left = taken.filter((port) => !given.includes(port));
        expect(textOf(withoutBits(bits, range, given))).to.equal(numberOf(left, range.first));
        expect(portsOf(portBits({ range: '30000-30099', data: textOf(bits) }, range), range)).to.deep.equal(
          [...taken].sort((a, b) => a - b),
        );
      }),
    );
  });

  it('mean the same ports when the range changes', () => {
    fc.assert(
      fc.property(anyPorts, fc.integer({ min: 29_900, max: 30_200 }), fc.nat(200), (taken, first, size) => {
        const wanted = { first, last: first + size, reserved: 0 };
        const bits = portBits({ range: '30000-30099', data: numberOf(taken, range.first) }, wanted);
        const both = taken.filter((port) => port >= first && port <= wanted.last).sort((a, b) => a - b);
        expect(portsOf(bits, wanted)).to.deep.equal(both);
      }),
    );
  });

  it('are handed out once by two servers and another program, and given back', async () => {
    const store = new FakeReplica();
    const servers = [await serverOver(store), await serverOver(store)];
    /** Like kube-apiserver: updates only the object, compared by version. */
    const elsewhere = async (port: number): Promise<number> => {
      for (;;) {
        const { storage } = servers[0]!;
        const found = await storage.get(portAllocationKey, { at: 'mostRecent' });
        const current = found.outcome === 'found' ? found.object : null;
        const next = allocationOf(withBits(bitsOf(current?.decode() ?? null, range), range, [port]), range, null);
        const { outcome } = await storage.update(portAllocationKey, next, current?.version ?? 0, { timeoutMs: 1_000 });
        if (outcome === 'applied') return port;
      }
    };
    const made = Array.from({ length: 40 }, async (_, n) => portOf(await servers[n % 2]!.create(service(`s${n}`))));
    // Ports at the beginning of the range are reserved for explicit requests.
    const ports = await Promise.all([...made, elsewhere(30_000), elsewhere(30_001)]);
    const own = ports.slice(0, 40);
    expect(new Set(own).size).to.equal(40);
    expect(await kept(store)).to.deep.equal({ range: '30000-30099', data: numberOf(ports, range.first) });
    for (const [n, server] of [servers[1]!, servers[0]!].entries()) await server.remove('v1/Service', `s${n}`);
    const moved = await servers[1]!.update(service('s2'), (object) => {
      ((object['spec'] as JsonObject)['ports'] as JsonObject[])[0]!['nodePort'] = own[0]!;
    });
    expect(portOf(moved)).to.equal(own[0]);
    const left = ports.filter((_, n) => n > 2).concat(own[0]!);
    expect((await kept(store)).data).to.equal(numberOf(left, range.first));
    // A used port is refused, whichever server gave it.
    const refused = await servers[0]!.create(service('late', 30_001)).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(refused).to.contain('provided port is already allocated');
  });

  it('are repaired: what services have at once, what nobody has after three turns', async () => {
    const store = new FakeReplica();
    const server = await serverOver(store);
    const [a, b] = [portOf(await server.create(service('a'))), portOf(await server.create(service('b')))];
    const spare = [30_001, 30_002, 30_003].find((port) => port !== a && port !== b)!;
    const found = await server.storage.get(portAllocationKey, { at: 'mostRecent' });
    const version = found.outcome === 'found' ? found.object.version : 0;
    const wrong = allocationOf(withBits(emptyBits(range), range, [a, spare]), range, null);
    await server.storage.update(portAllocationKey, wrong, version, { timeoutMs: 1_000 });
    const repair = new PortRepair({ storage: server.storage, range });
    expect(await repair.turn()).to.deep.equal({ added: 1, removed: 0 });
    expect((await kept(store)).data).to.equal(numberOf([a, b, spare], range.first));
    expect(await repair.turn()).to.deep.equal({ added: 0, removed: 0 });
    expect(await repair.turn()).to.deep.equal({ added: 0, removed: 1 });
    expect((await kept(store)).data).to.equal(numberOf([a, b], range.first));
    // A server with another range converts the existing one.
    await new PortRepair({ storage: server.storage, range: parsePortRange('29000-31000') }).turn();
    expect(await kept(store)).to.deep.equal({ range: '29000-31000', data: numberOf([a, b], 29_000) });
  });
});
