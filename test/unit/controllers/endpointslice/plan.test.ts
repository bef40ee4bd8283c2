import { expect } from 'chai';
import type { Node, Pod, Service } from '../../../../api/types/core/v1.js';
import type { EndpointSlice } from '../../../../api/types/discovery/v1.js';
import { planSlices, type SlicesObserved } from '../../../../controllers/endpointslice/plan.js';
import { inOrder } from '../../../../controllers/slices/portKey.js';
import { nextTrigger } from '../../../../controllers/services/triggerTimes.js';

const service = (spec: Service['spec'] = {}, metadata: Service['metadata'] = {}): Service => ({
  metadata: { name: 's', namespace: 'n', uid: 'u-s', ...metadata },
  spec: {
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4'],
    selector: { app: 'x' },
    ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
    ...spec,
  },
});

interface PodFacts {
  readonly ip?: string;
  readonly ips?: readonly string[];
  readonly ready?: boolean;
  readonly node?: string;
  readonly phase?: string;
  readonly ending?: boolean;
  readonly spec?: Pod['spec'];
}

const pod = (
  name: string,
  { ip = '10.9.0.1', ips = [ip], ready = true, node = 'n1', phase = 'Running', ending = false, spec = {} }: PodFacts = {},
): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    uid: `u-${name}`,
    labels: { app: 'x' },
    ...(ending ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
  },
  spec: { nodeName: node, ...spec },
  status: {
    phase,
    podIPs: ips.map((address) => ({ ip: address })),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
});

const nodes: Readonly<Record<string, Node>> = {
  n1: { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'za' } } },
  n2: { metadata: { name: 'n2' } },
};
const observed = (facts: Partial<SlicesObserved>): SlicesObserved => ({
  service: service(),
  pods: [],
  slices: [],
  nodeOf: (name) => nodes[name],
  zoneShares: () => null,
  endpointsMax: 100,
  triggerTime: null,
  ...facts,
});
const target = (name: string): object => ({ kind: 'Pod', namespace: 'n', name, uid: `u-${name}` });

const owner = { apiVersion: 'v1', kind: 'Service', name: 's', uid: 'u-s', controller: true, blockOwnerDeletion: true };
const labels = { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' };
const stored = (name: string, slice: Partial<EndpointSlice>): EndpointSlice => ({
  metadata: {
    name,
    namespace: 'n',
    uid: `u-${name}`,
    resourceVersion: '7',
    generateName: 's-',
    labels,
    ownerReferences: [owner],
    annotations: {},
  },
  addressType: 'IPv4',
  endpoints: [],
  ports: [{ name: '', port: 8080, protocol: 'TCP' }],
  ...slice,
});
const endpoint = (name: string, ip: string): NonNullable<EndpointSlice['endpoints']>[number] => ({
  addresses: [ip],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: target(name),
  nodeName: 'n2',
});

describe('the plan of endpoint slices', () => {
  it('makes a slice with an endpoint for each pod', () => {
    const plan = planSlices(
      observed({
        service: service({}, { labels: { sl: 'v', 'kubernetes.io/service-name': 'other' } }),
        pods: [pod('a')],
        triggerTime: '2026-01-01T00:00:00Z',
      }),
    );
    expect(plan).to.deep.equal({
      create: [
        {
          metadata: {
            generateName: 's-',
            namespace: 'n',
            labels: { sl: 'v', ...labels },
            ownerReferences: [owner],
            annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' },
          },
          addressType: 'IPv4',
          ports: [{ name: '', port: 8080, protocol: 'TCP' }],
          endpoints: [
            {
              addresses: ['10.9.0.1'],
              conditions: { ready: true, serving: true, terminating: false },
              targetRef: target('a'),
              nodeName: 'n1',
              zone: 'za',
            },
          ],
        },
      ],
      update: [],
      remove: [],
      stranded: [],
      topology: [],
    });
  });

  const conditions: readonly (readonly [string, PodFacts, Service['spec'], object | null])[] = [
    ['ready', {}, {}, { ready: true, serving: true, terminating: false }],
    ['not ready', { ready: false }, {}, { ready: false, serving: false, terminating: false }],
    ['terminating and ready', { ending: true }, {}, { ready: false, serving: true, terminating: true }],
    ['not ready but published', { ready: false }, { publishNotReadyAddresses: true }, { ready: true, serving: false, terminating: false }],
    ['terminating but published', { ending: true }, { publishNotReadyAddresses: true }, { ready: true, serving: true, terminating: true }],
    ['failed', { phase: 'Failed' }, {}, null],
    ['succeeded', { phase: 'Succeeded' }, {}, null],
    ['without an address', { ips: [] }, {}, null],
    ['of another family', { ip: 'fd00::1' }, {}, null],
  ];
  for (const [what, facts, spec, wanted] of conditions) {
    it(`tells of a pod that is ${what}`, () => {
      const { create } = planSlices(observed({ service: service(spec), pods: [pod('a', facts)] }));
      expect(create.flatMap(({ endpoints }) => endpoints ?? []).map(({ conditions: given }) => given)).to.deep.equal(
        wanted ? [wanted] : [],
      );
    });
  }

  it('leaves out a pod on a node that nobody knows, unless all pods are to be published', () => {
    const lost = pod('a', { node: 'gone' });
    const plan = planSlices(observed({ pods: [lost] }));
    expect(plan.stranded).to.deep.equal([lost]);
    expect(plan.create.map(({ endpoints, ports }) => [endpoints, ports])).to.deep.equal([[[], []]]);
    expect(
      planSlices(observed({ service: service({ publishNotReadyAddresses: true }), pods: [lost] })).create[0]?.endpoints,
    ).to.have.length(1);
  });

  it('makes one slice for each family that the Service has', () => {
    const { create } = planSlices(
      observed({ service: service({ ipFamilies: ['IPv6', 'IPv4'] }), pods: [pod('a', { ips: ['10.9.0.1', 'fd00::1'] })] }),
    );
    expect(create.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses])).to.deep.equal([
      ['IPv6', ['fd00::1']],
      ['IPv4', ['10.9.0.1']],
    ]);
  });

  it('deletes slices of a family that the Service has no more', () => {
    const old = stored('s-6', { addressType: 'IPv6', endpoints: [endpoint('a', 'fd00::1')] });
    const plan = planSlices(observed({ slices: [old] }));
    expect(plan.remove).to.deep.equal([old]);
    expect(plan.create.map(({ addressType }) => addressType)).to.deep.equal(['IPv4']);
  });

  it('resolves a named port on each pod, sidecars included', () => {
    const web = (port: number): Pod['spec'] => ({ containers: [{ name: 'c', ports: [{ name: 'web', containerPort: port }] }] });
    const sidecar: Pod['spec'] = {
      initContainers: [
        { name: 's', restartPolicy: 'Always', ports: [{ name: 'web', containerPort: 8003 }] },
        { name: 'i', ports: [{ name: 'web', containerPort: 9 }] },
      ],
    };
    const spec: Service['spec'] = { ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP', appProtocol: 'h2c' }] };
    const { create } = planSlices(
      observed({
        service: service(spec),
        pods: [pod('a', { spec: web(8001) }), pod('b', { spec: web(8002) }), pod('c', { spec: sidecar }), pod('d')],
      }),
    );
    expect(
      create.map(({ ports, endpoints }) => [ports?.map(({ port }) => port), endpoints?.map(({ targetRef }) => targetRef?.name)]),
    ).to.deep.equal([
      [[8001], ['a']],
      [[8002], ['b']],
      [[8003], ['c']],
      [[], ['d']],
    ]);
    expect(create[0]?.ports).to.deep.equal([{ name: 'http', port: 8001, protocol: 'TCP', appProtocol: 'h2c' }]);
  });

  it('orders ports as the reference does', () => {
    const ports = [
      { name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'http' },
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'sig', port: 9900, protocol: 'SCTP' },
    ];
    expect(inOrder(ports).map(({ name }) => name)).to.deep.equal(['dns', 'sig', 'http']);
  });

  it('marks headless Services, and names pods of their domain', () => {
    const { create } = planSlices(
      observed({
        service: service({ clusterIP: 'None', ports: [] }),
        pods: [pod('a', { spec: { hostname: 'h', subdomain: 's' } }), pod('b', { spec: { hostname: 'g', subdomain: 'other' } })],
      }),
    );
    expect(create[0]?.metadata.labels).to.deep.equal({ ...labels, 'service.kubernetes.io/headless': '' });
    expect(create[0]?.endpoints?.map(({ hostname }) => hostname)).to.deep.equal(['h', undefined]);
  });

  it('keeps a slice without endpoints where there is nothing else, and only one', () => {
    const [placeholder] = planSlices(observed({})).create;
    expect(placeholder).to.include({ addressType: 'IPv4' });
    expect([placeholder?.endpoints, placeholder?.ports]).to.deep.equal([[], []]);
    expect(planSlices(observed({ slices: [stored('s-1', { ports: [] })] }))).to.deep.equal({
      create: [],
      update: [],
      remove: [],
      stranded: [],
      topology: [],
    });
  });

  it('empties the last slice rather than replacing it', () => {
    const plan = planSlices(observed({ slices: [stored('s-1', { endpoints: [endpoint('a', '10.9.0.1')] })] }));
    expect([plan.create, plan.remove]).to.deep.equal([[], []]);
    expect(plan.update.map(({ metadata, endpoints, ports }) => [metadata.name, metadata.resourceVersion, endpoints, ports])).to.deep.equal([
      ['s-1', '7', [], []],
    ]);
  });

  it('writes nothing when all is well, whatever the order', () => {
    const slices = [stored('s-1', { endpoints: [endpoint('b', '10.9.0.2'), endpoint('a', '10.9.0.1')] })];
    expect(
      planSlices(
        observed({
          pods: [pod('a', { node: 'n2' }), pod('b', { node: 'n2', ip: '10.9.0.2' })],
          slices,
          triggerTime: '2026-01-01T00:00:00Z',
        }),
      ),
    ).to.deep.equal({ create: [], update: [], remove: [], stranded: [], topology: [] });
  });

  it('follows labels of the Service, and takes an old time away', () => {
    const slice = stored('s-1', { endpoints: [endpoint('a', '10.9.0.1')] });
    const dated = {
      ...slice,
      metadata: {
        ...slice.metadata,
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2025-01-01T00:00:00Z', mine: 'x' },
      },
    };
    const { update } = planSlices(
      observed({ service: service({}, { labels: { sl: 'v' } }), pods: [pod('a', { node: 'n2' })], slices: [dated] }),
    );
    expect(update.map(({ metadata }) => [metadata.labels, metadata.annotations])).to.deep.equal([[{ sl: 'v', ...labels }, { mine: 'x' }]]);
  });

  it('leaves slices alone that are being deleted, and replaces those of a former Service of that name', () => {
    const ending = stored('s-1', {});
    const former = stored('s-2', {});
    const slices = [
      { ...ending, metadata: { ...ending.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      { ...former, metadata: { ...former.metadata, ownerReferences: [{ ...owner, uid: 'u-old' }] } },
    ];
    const plan = planSlices(observed({ slices }));
    expect(plan.remove.map(({ metadata }) => metadata.name)).to.deep.equal(['s-2']);
    expect(plan.create).to.have.length(1);
  });

  describe('with more endpoints than a slice takes', () => {
    const many = (count: number, from = 0): Pod[] =>
      Array.from({ length: count }, (_, index) => pod(`p${from + index}`, { ip: `10.9.0.${from + index}`, node: 'n2' }));
    const full = (name: string, count: number, from = 0): EndpointSlice =>
      stored(name, { endpoints: many(count, from).map((one, index) => endpoint(one.metadata.name ?? '', `10.9.0.${from + index}`)) });
    const sizes = (slices: readonly EndpointSlice[]): readonly unknown[] =>
      slices.map(({ metadata, endpoints }) => [metadata.name, endpoints?.length]);

    const cases: readonly (readonly [
      string,
      readonly Pod[],
      readonly EndpointSlice[],
      { create: unknown; update: unknown; remove: unknown },
    ])[] = [
      [
        'fills one slice after another',
        many(7),
        [],
        {
          create: [
            [undefined, 3],
            [undefined, 3],
            [undefined, 1],
          ],
          update: [],
          remove: [],
        },
      ],
      [
        'puts the rest into the fullest slice that takes all of it',
        many(4),
        [full('s-1', 1), full('s-2', 2, 1)],
        { create: [], update: [['s-2', 3]], remove: [] },
      ],
      [
        'takes a new slice rather than two that have some room',
        many(6),
        [full('s-1', 2), full('s-2', 2, 2)],
        { create: [[undefined, 2]], update: [], remove: [] },
      ],
      [
        'fills slices first that change anyway',
        [...many(2), ...many(2, 6)],
        [full('s-1', 3), full('s-2', 1, 6)],
        { create: [], update: [['s-1', 3]], remove: [] },
      ],
      ['deletes a slice that has become empty', many(3), [full('s-1', 3), full('s-2', 2, 3)], { create: [], update: [], remove: ['s-2'] }],
      [
        'reuses a slice that would be deleted',
        [...many(3), ...many(2, 9)],
        [full('s-1', 3), full('s-2', 2, 3)],
        { create: [], update: [['s-2', 2]], remove: [] },
      ],
    ];
    for (const [what, pods, slices, { create, update, remove }] of cases) {
      it(what, () => {
        const plan = planSlices(observed({ pods, slices, endpointsMax: 3 }));
        expect(sizes(plan.create)).to.deep.equal(create);
        expect(sizes(plan.update)).to.deep.equal(update);
        expect(plan.remove.map(({ metadata }) => metadata.name)).to.deep.equal(remove);
      });
    }
  });

  describe('hints of traffic distribution', () => {
    const hints = (distribution: string | undefined, facts: PodFacts, before?: object): unknown => {
      const known = planSlices(observed({ pods: [pod('a', facts)] })).create[0];
      const slices =
        before && known ? [stored('s-1', { endpoints: (known.endpoints ?? []).map((one) => ({ ...one, hints: before })) })] : [];
      const plan = planSlices(
        observed({ service: service(distribution ? { trafficDistribution: distribution } : {}), pods: [pod('a', facts)], slices }),
      );
      const [slice] = [...plan.create, ...plan.update];
      return slice ? (slice.endpoints?.[0]?.hints ?? null) : 'unchanged';
    };
    const za = { forZones: [{ name: 'za' }] };
    const cases: readonly (readonly [string | undefined, PodFacts, object | undefined, unknown])[] = [
      [undefined, {}, undefined, null],
      ['PreferClose', {}, undefined, za],
      ['PreferSameZone', {}, undefined, za],
      ['PreferSameNode', {}, undefined, { ...za, forNodes: [{ name: 'n1' }] }],
      ['PreferClose', { node: 'n2' }, undefined, null],
      ['PreferClose', { ready: false }, undefined, null],
      ['Other', {}, undefined, null],
      [undefined, {}, za, null],
      ['PreferClose', {}, za, 'unchanged'],
      ['PreferSameNode', {}, za, { ...za, forNodes: [{ name: 'n1' }] }],
      ['PreferClose', { ready: false }, za, 'unchanged'],
    ];
    for (const [distribution, facts, before, wanted] of cases) {
      it(`${distribution ?? 'none'} for ${JSON.stringify(facts)} with ${JSON.stringify(before)}`, () =>
        expect(hints(distribution, facts, before)).to.deep.equal(wanted));
    }
  });
});

describe('the time of the change that endpoints tell of', () => {
  const dated = (name: string, time: string): Pod => ({
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] },
  });
  const created = service({}, { creationTimestamp: '2026-01-01T00:00:00Z' });
  const at = (time: string): number => Date.parse(time);

  it('is the creation of a Service seen first, then the earliest change of readiness that is new', () => {
    const first = nextTrigger(undefined, created, [dated('a', '2026-01-01T00:00:05Z')]);
    expect(first.at).to.equal(at('2026-01-01T00:00:00Z'));
    const same = nextTrigger(first.seen, created, [dated('a', '2026-01-01T00:00:05Z')]);
    expect(same.at).to.equal(null);
    const later = nextTrigger(same.seen, created, [dated('a', '2026-01-01T00:00:09Z'), dated('b', '2026-01-01T00:00:07Z')]);
    expect(later.at).to.equal(at('2026-01-01T00:00:07Z'));
  });

  it('is that of a new Service of the same name', () => {
    const { seen } = nextTrigger(undefined, created, []);
    expect(nextTrigger(seen, service({}, { creationTimestamp: '2026-01-02T00:00:00Z' }), []).at).to.equal(at('2026-01-02T00:00:00Z'));
  });
});
