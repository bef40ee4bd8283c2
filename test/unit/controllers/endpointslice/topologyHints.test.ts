import { expect } from 'chai';
import { endpointSliceController } from '../../../../controllers/endpointslice/endpointSliceController.js';
import { asksForTopology, withTopologyHints } from '../../../../controllers/endpointslice/topologyHints.js';
import { zoneShares } from '../../../../controllers/endpointslice/zoneShares.js';
import { type Node, nodes, pods, services } from '../../../../api/types/core/v1.js';
import { type EndpointSlice, endpointSlices } from '../../../../api/types/discovery/v1.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const node = (
  name: string,
  zone: string | undefined,
  cpu: string | undefined,
  ready = 'True',
  labels: Readonly<Record<string, string>> = {},
): Node =>
  ({
    metadata: { name, labels: { ...(zone ? { 'topology.kubernetes.io/zone': zone } : {}), ...labels } },
    status: { conditions: [{ type: 'Ready', status: ready }], ...(cpu ? { allocatable: { cpu } } : {}) },
  }) as Node;

describe('the shares of zones', () => {
  const control = { 'node-role.kubernetes.io/control-plane': '' };
  const cases: readonly (readonly [string, readonly Node[], object | null])[] = [
    ['by their processors', [node('a', 'za', '1'), node('b', 'zb', '2500m'), node('c', 'zb', '500m')], { za: 0.25, zb: 0.75 }],
    [
      'without nodes that are not ready, or for control',
      [node('a', 'za', '1'), node('b', 'zb', '1'), node('c', undefined, '1', 'False'), node('d', 'zc', '9', 'True', control)],
      { za: 0.5, zb: 0.5 },
    ],
    ['unknown with a node without a zone', [node('a', 'za', '1'), node('b', 'zb', '1'), node('c', undefined, '1')], null],
    ['unknown with a node without processors', [node('a', 'za', '1'), node('b', 'zb', undefined)], null],
    ['unknown in one zone', [node('a', 'za', '1'), node('b', 'za', '1')], null],
  ];
  for (const [what, given, wanted] of cases)
    it(what, () => {
      const shares = zoneShares(given);
      expect(shares && Object.fromEntries(shares)).to.deep.equal(wanted);
    });
});

describe('hints of topology', () => {
  /** `a` in zone za without a hint, `a>b` hinted to zb, `!a` not ready, `?` without a zone. */
  const slice = (words: string): EndpointSlice => ({
    metadata: { name: words },
    addressType: 'IPv4',
    endpoints: words.split(' ').map((word) => {
      const [, not = '', zone = '', hint] = /^(!?)([a-z?])(?:>([a-z]))?$/.exec(word) ?? [];
      return {
        addresses: [word],
        conditions: { ready: not === '' },
        ...(zone === '?' ? {} : { zone: `z${zone}` }),
        ...(hint ? { hints: { forZones: [{ name: `z${hint}` }] } } : {}),
      };
    }),
  });
  const hints = (of: EndpointSlice): string =>
    (of.endpoints ?? []).map(({ hints: given }) => given?.forZones?.map(({ name }) => name.slice(1)).join('') ?? '-').join(' ');
  const half = new Map([
    ['za', 0.5],
    ['zb', 0.5],
  ]);
  const quarter = new Map([
    ['za', 0.25],
    ['zb', 0.75],
  ]);

  const cases: readonly (readonly [string, readonly string[], readonly string[], ReadonlyMap<string, number>, readonly string[]])[] = [
    ['each zone keeps its own', ['a b'], [], half, ['a b']],
    ['a zone with too many gives', ['a a a b'], [], half, ['b a a b']],
    ['also to one that has none', ['a a a a'], [], half, ['b b a a']],
    ['by the size of zones', ['a a b b'], [], quarter, ['b a b b']],
    ['what is not ready gets none', ['a !a b'], [], half, ['a - b']],
    ['what is settled stays', ['a'], ['b>b'], half, ['a', 'b']],
    ['what has no hints is settled anew', [], ['a b'], half, ['a b']],
    ['a hint for a zone that is gone is settled anew', [], ['a>c b>b'], half, ['a b']],
    ['hints that burden one zone too much are settled anew', [], ['a>a a>a a>a b>a'], half, ['b a a b']],
  ];
  for (const [what, changing, settled, shares, wanted] of cases) {
    it(what, () => {
      const result = withTopologyHints(changing.map(slice), settled.map(slice), shares);
      expect([result.refusal, result.slices.map(hints)]).to.deep.equal([null, wanted]);
    });
  }

  it('leave settled slices untouched', () => {
    const settled = slice('a>a b>b');
    expect(withTopologyHints([], [settled], half).slices[0]).to.equal(settled);
  });

  const refusals: readonly (readonly [string, string, ReadonlyMap<string, number> | null])[] = [
    ['Insufficient Node information: allocatable CPU or zone not specified on one or more nodes', 'a>a b>b', null],
    ['Insufficient number of endpoints (1 endpoints, 2 zones)', 'a>a !b', half],
    [
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)',
      'a>a a>a b>b',
      half,
    ],
    ['One or more endpoints do not have a zone specified', 'a>a ?', half],
  ];
  for (const [message, words, shares] of refusals) {
    it(`are removed: ${message}`, () => {
      const { slices, refusal } = withTopologyHints([], [slice(words)], shares);
      expect([refusal, slices.map(hints)]).to.deep.equal([
        message,
        [
          words
            .split(' ')
            .map(() => '-')
            .join(' '),
        ],
      ]);
    });
  }

  it('are asked for by either annotation', () => {
    const asks = (annotations: Readonly<Record<string, string>>): boolean => asksForTopology({ metadata: { annotations } });
    const modes: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'service.kubernetes.io/topology-mode': 'Auto' },
      { 'service.kubernetes.io/topology-mode': 'other' },
      { 'service.kubernetes.io/topology-aware-hints': 'auto' },
      { 'service.kubernetes.io/topology-aware-hints': 'disabled', 'service.kubernetes.io/topology-mode': 'Auto' },
    ];
    expect(modes.map(asks)).to.deep.equal([false, true, false, true, false]);
  });

  it('are written, follow the nodes, and are reported', async () => {
    const world = controllerWorld();
    world.api.seed(nodes, node('a', 'za', '1'), node('b', 'zb', '1'));
    world.api.seed(services, {
      metadata: { name: 's', namespace: 'n', annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
      spec: { clusterIP: '10.0.0.1', selector: { app: 'x' }, ports: [{ port: 80 }] },
    });
    for (const [index, on] of ['a', 'a', 'b', 'b'].entries())
      world.api.seed(pods, {
        metadata: { name: `p${index}`, namespace: 'n', labels: { app: 'x' } },
        spec: { nodeName: on },
        status: { phase: 'Running', podIPs: [{ ip: `10.9.0.${index}` }], conditions: [{ type: 'Ready', status: 'True' }] },
      });
    await world.start(endpointSliceController);
    const shown = (): readonly string[] => world.api.all(endpointSlices).map(hints);
    expect([shown(), world.events.splice(0)]).to.deep.equal([
      ['a a b b'],
      ['Normal TopologyAwareHintsEnabled n/s: Topology Aware Hints has been enabled, addressType: IPv4'],
    ]);
    world.api.change(nodes, 'b', (before) => ({ ...before, metadata: { ...before.metadata, labels: {} } }));
    await world.settled();
    expect(shown()).to.deep.equal(['- - - -']);
    expect(world.events[0]).to.equal(
      'Warning TopologyAwareHintsDisabled n/s: Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
    );
    await world.stop();
  });
});
