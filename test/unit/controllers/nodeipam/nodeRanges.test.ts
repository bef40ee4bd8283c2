import { expect } from 'chai';
import fc from 'fast-check';
import { type Node, nodes } from '../../../../api/types/core/v1.js';
import { addressText, cidrText, contains, overlap, parseAddress, parseCidr, type Cidr } from '../../../../controllers/addresses/cidr.js';
import { nodeRangeController } from '../../../../controllers/nodeipam/nodeRanges.js';
import { RangePool } from '../../../../controllers/nodeipam/rangePool.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const cidr = (text: string): Cidr => parseCidr(text) ?? expect.fail(text);
const node = (name: string, podCIDRs: readonly string[] = []): Node => ({
  metadata: { name },
  spec: podCIDRs.length > 0 ? { podCIDR: podCIDRs[0]!, podCIDRs } : {},
});

describe('ranges of addresses', () => {
  it('are read and written', () => {
    for (const text of ['10.0.0.0/8', 'fd00::/64', '::/0', '0.0.0.0/0', '2001:db8:0:1::/112', 'fd00:1:2:3:4:5:6:0/127'])
      expect(cidrText(cidr(text))).to.equal(text);
    expect(cidrText(cidr('10.1.2.3/8'))).to.equal('10.0.0.0/8');
    for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '::ffff:1.2.3.4/96', 'x/8'])
      expect(parseCidr(text), text).to.equal(null);
  });
  it('say the same of an address as it does', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = parseAddress(text);
        fc.pre(address !== null);
        expect(parseAddress(addressText(address!))).to.deep.equal(address);
      }),
    );
  });
  it('contain and overlap', () => {
    expect(contains(cidr('10.0.0.0/24'), parseAddress('10.0.0.255')!)).to.equal(true);
    expect(contains(cidr('10.0.0.0/24'), parseAddress('10.0.1.0')!)).to.equal(false);
    expect(contains(cidr('::/0'), parseAddress('10.0.1.0')!)).to.equal(false);
    expect(overlap(cidr('10.0.0.0/24'), cidr('10.0.0.128/25'))).to.equal(true);
    expect(overlap(cidr('10.0.0.0/25'), cidr('10.0.0.128/25'))).to.equal(false);
  });
});

describe('a pool of ranges', () => {
  it('refuses what it cannot hold', () => {
    expect(() => new RangePool(cidr('10.0.0.0/24'), 16)).to.throw();
    expect(() => new RangePool(cidr('fd00::/40'), 64)).to.throw('too many');
  });
  it('never gives anything twice, nor what is taken', () => {
    const step = fc.record({
      do: fc.constantFrom('take', 'take', 'release', 'occupy'),
      index: fc.nat(31),
      prefix: fc.integer({ min: 18, max: 26 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pool = new RangePool(cidr('10.0.0.0/19'), 24);
        const given: Cidr[] = [];
        const occupied: Cidr[] = [];
        for (const { do: what, index, prefix } of steps) {
          if (what === 'take') {
            const range = pool.take();
            if (!range) {
              expect(given.length + occupied.length).to.be.greaterThan(0);
              continue;
            }
            expect(
              [...given, ...occupied].some((other) => overlap(other, range)),
              cidrText(range),
            ).to.equal(false);
            expect(overlap(range, pool.range)).to.equal(true);
            given.push(range);
          } else if (what === 'release') {
            const [range] = given.splice(index % Math.max(1, given.length), 1);
            if (range && !occupied.some((other) => overlap(other, range))) pool.release(range);
            else if (range) given.push(range);
          } else {
            const range = cidr(`10.0.${index}.0/${prefix}`);
            occupied.push(range);
            pool.occupy(range);
          }
        }
        expect(pool.taken).to.be.at.most(pool.count);
      }),
    );
  });
});

describe('the node ipam controller', () => {
  const ranges = (world: ReturnType<typeof controllerWorld>): Readonly<Record<string, string>> =>
    Object.fromEntries(world.api.all(nodes).map(({ metadata, spec }) => [metadata.name ?? '', (spec?.podCIDRs ?? []).join(',')] as const));

  it('gives each node one, and not what others have', async () => {
    const world = controllerWorld({
      flags: ['--allocate-node-cidrs', '--cluster-cidr=10.244.0.0/16', '--service-cluster-ip-range=10.244.0.0/24'],
    });
    world.api.seed(nodes, node('a'), node('b', ['10.244.1.0/24']));
    await world.start(nodeRangeController);
    expect(ranges(world)).to.deep.equal({ a: '10.244.2.0/24', b: '10.244.1.0/24' });
    await world.stop();
  });

  it('gives one of each family', async () => {
    const world = controllerWorld({
      flags: ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16,fd00::/60', '--node-cidr-mask-size-ipv4=20'],
    });
    world.api.seed(nodes, node('a'), node('b'));
    await world.start(nodeRangeController);
    expect(ranges(world)).to.deep.equal({ a: '10.0.0.0/20,fd00::/64', b: '10.0.16.0/20,fd00:0:0:1::/64' });
    await world.stop();
  });

  it('gives one once, also where a node changes before what was written is seen', async () => {
    const world = controllerWorld({ flags: ['--allocate-node-cidrs', '--cluster-cidr=10.244.0.0/16'] });
    world.api.seed(nodes, node('a'));
    const patched: unknown[] = [];
    await world.start((environment) => {
      // The server accepts the patch, but the watch shows only another change.
      environment.api.patch = (_type, _key, { body }) => {
        patched.push(body);
        if (patched.length < 5)
          world.api.change(nodes, 'a', (before) => ({
            ...before,
            metadata: { ...before.metadata, labels: { n: String(patched.length) } },
          }));
        return Promise.resolve(node('a') as never);
      };
      return nodeRangeController(environment);
    });
    expect(patched).to.deep.equal([{ spec: { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] } }]);
    await world.stop();
  });

  it('says when none is left, and gives it when one is', async () => {
    const world = controllerWorld({ flags: ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/24', '--node-cidr-mask-size=24'] });
    world.api.seed(nodes, node('a'), node('b'));
    await world.start(nodeRangeController);
    expect(ranges(world)).to.deep.equal({ a: '10.0.0.0/24', b: '' });
    expect(world.events[0]).to.equal('Normal CIDRNotAvailable b: Node b status is now: CIDRNotAvailable');
    world.api.evaporate(nodes, 'a');
    await world.settled();
    expect(ranges(world)).to.deep.equal({ b: '10.0.0.0/24' });
    await world.stop();
  });

  it('has nothing to do unless it is asked', () => expect(nodeRangeController(controllerWorld().environment)).to.equal(null));
});
