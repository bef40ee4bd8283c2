import { expect } from 'chai';
import fc from 'fast-check';
import { endpointsController } from '../../../../controllers/endpoints/endpointsController.js';
import { planEndpoints } from '../../../../controllers/endpoints/plan.js';
import { canonical, truncated } from '../../../../controllers/endpoints/subsets.js';
import { endpoints, type Endpoints, type EndpointSubset, type Pod, pods, type Service, services } from '../../../../api/types/core/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const service = (spec: Service['spec'] = {}, labels: Readonly<Record<string, string>> = {}): Service => ({
  metadata: { name: 's', namespace: 'n', uid: 'u-s', labels },
  spec: {
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4'],
    selector: { app: 'x' },
    ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
    ...spec,
  },
});
const pod = (
  name: string,
  ip: string,
  { ready = true, ending = false, spec = {} }: { ready?: boolean; ending?: boolean; spec?: Pod['spec'] } = {},
): Pod => ({
  metadata: {
    name,
    namespace: 'n',
    uid: `u-${name}`,
    labels: { app: 'x' },
    ...(ending ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
  },
  spec: { nodeName: 'n1', ...spec },
  status: { phase: 'Running', podIPs: [{ ip }], conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const address = (name: string, ip: string): object => ({
  ip,
  nodeName: 'n1',
  targetRef: { kind: 'Pod', namespace: 'n', name, uid: `u-${name}` },
});
const plan = (
  of: Service,
  selected: readonly Pod[],
  current: Endpoints | null = null,
  triggerTime: string | null = null,
): Endpoints | null => planEndpoints({ service: of, pods: selected, current, triggerTime });

describe('the plan of Endpoints', () => {
  it('lists ready and other addresses with their ports', () => {
    expect(
      plan(
        service({}, { l: 'v' }),
        [pod('b', '10.9.0.2'), pod('a', '10.9.0.1'), pod('c', '10.9.0.3', { ready: false }), pod('d', '10.9.0.4', { ending: true })],
        null,
        '2026-01-01T00:00:00Z',
      ),
    ).to.deep.equal({
      metadata: {
        name: 's',
        namespace: 'n',
        labels: { l: 'v', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' },
      },
      subsets: [
        {
          addresses: [address('a', '10.9.0.1'), address('b', '10.9.0.2')],
          notReadyAddresses: [address('c', '10.9.0.3')],
          ports: [{ port: 8080, protocol: 'TCP' }],
        },
      ],
    });
  });

  it('publishes all pods where it is asked to', () => {
    expect(
      plan(service({ publishNotReadyAddresses: true }), [pod('c', '10.9.0.3', { ready: false }), pod('d', '10.9.0.4', { ending: true })])
        ?.subsets,
    ).to.deep.equal([{ addresses: [address('c', '10.9.0.3'), address('d', '10.9.0.4')], ports: [{ port: 8080, protocol: 'TCP' }] }]);
  });

  it('lists pods of a headless Service without ports, and names them', () => {
    const wanted = plan(service({ clusterIP: 'None', ports: [] }), [pod('a', '10.9.0.1', { spec: { hostname: 'h', subdomain: 's' } })]);
    expect(wanted?.subsets).to.deep.equal([{ addresses: [{ ...address('a', '10.9.0.1'), hostname: 'h' }] }]);
    expect(wanted?.metadata.labels).to.deep.equal({
      'service.kubernetes.io/headless': '',
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    });
  });

  it('takes the first family of the Service', () => {
    const dual: Pod = {
      ...pod('a', ''),
      status: { phase: 'Running', podIPs: [{ ip: '10.9.0.1' }, { ip: 'fd00::1' }], conditions: [{ type: 'Ready', status: 'True' }] },
    };
    expect(plan(service({ ipFamilies: ['IPv6', 'IPv4'] }), [dual])?.subsets?.[0]?.addresses?.map(({ ip }) => ip)).to.deep.equal([
      'fd00::1',
    ]);
  });

  it('writes nothing when all is well, and keeps what others annotate', () => {
    const current = {
      ...plan(service(), [pod('a', '10.9.0.1')]),
      metadata: {
        name: 's',
        namespace: 'n',
        resourceVersion: '5',
        labels: { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
        annotations: { mine: 'x', 'endpoints.kubernetes.io/last-change-trigger-time': 'old' },
      },
    };
    expect(plan(service(), [pod('a', '10.9.0.1')], current)).to.equal(null);
    const next = plan(service(), [], current);
    expect([next?.subsets, next?.metadata.annotations, next?.metadata.resourceVersion]).to.deep.equal([[], { mine: 'x' }, '5']);
  });

  it('cuts off at a thousand addresses, says so, and takes the word back', () => {
    const crowd = Array.from({ length: 1001 }, (_, index) =>
      pod(`p${index}`, `10.1.${index >> 8}.${index & 255}`, { ready: index % 2 === 0 }),
    );
    const wanted = plan(service(), crowd);
    expect(wanted?.metadata.annotations).to.deep.equal({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
    expect([wanted?.subsets?.[0]?.addresses?.length, wanted?.subsets?.[0]?.notReadyAddresses?.length]).to.deep.equal([501, 499]);
    const after = plan(service(), crowd.slice(0, 3), wanted);
    expect(after?.metadata.annotations).to.deep.equal({});
    expect(after?.subsets?.[0]?.addresses).to.have.length(2);
  });
});

describe('subsets', () => {
  const tcp = (port: number): { port: number; protocol: string } => ({ port, protocol: 'TCP' });

  it('are canonical when addresses with the same ports share one', () => {
    const form = canonical([
      { addresses: [{ ip: '1.1.1.1' }], ports: [tcp(80), tcp(443)] },
      { addresses: [{ ip: '2.2.2.2' }], ports: [tcp(443)] },
      { addresses: [{ ip: '2.2.2.2' }], ports: [tcp(80)] },
      { notReadyAddresses: [{ ip: '1.1.1.1' }], ports: [tcp(8)] },
    ]);
    expect(
      form.map(({ addresses, notReadyAddresses, ports }) => [
        addresses?.map(({ ip }) => ip),
        notReadyAddresses?.map(({ ip }) => ip),
        ports?.map(({ port }) => port).sort(),
      ]),
    ).to.have.deep.members([
      [['1.1.1.1', '2.2.2.2'], undefined, [443, 80]],
      [undefined, ['1.1.1.1'], [8]],
    ]);
  });

  it('hold an address that is both ready and not as not ready', () => {
    expect(
      canonical([
        { addresses: [{ ip: '1.1.1.1' }], ports: [tcp(80)] },
        { notReadyAddresses: [{ ip: '1.1.1.1' }], ports: [tcp(80)] },
      ]),
    ).to.deep.equal([{ notReadyAddresses: [{ ip: '1.1.1.1' }], ports: [tcp(80)] }]);
  });

  const anySubsets = fc.array(
    fc.record({
      addresses: fc.array(
        fc.constantFrom('1.1.1.1', '2.2.2.2', '3.3.3.3').map((ip) => ({ ip })),
        { minLength: 1 },
      ),
      ports: fc.array(fc.constantFrom(80, 443, 53).map(tcp), { minLength: 1 }),
    }),
  );
  const pairs = (subsets: readonly EndpointSubset[]): string[] =>
    [
      ...new Set(
        subsets.flatMap(({ addresses = [], ports = [] }) => addresses.flatMap(({ ip }) => ports.map(({ port }) => `${ip}:${port}`))),
      ),
    ].sort();

  it('mean the same in canonical form, which is the same in any order and stays as it is', () => {
    fc.assert(
      fc.property(anySubsets, (subsets) => {
        const form = canonical(subsets);
        expect(pairs(form)).to.deep.equal(pairs(subsets));
        expect(form.reduce((sum, { addresses = [], ports = [] }) => sum + addresses.length * ports.length, 0)).to.equal(
          pairs(subsets).length,
        );
        expect(canonical([...subsets].reverse())).to.deep.equal(form);
        expect(canonical(form)).to.deep.equal(form);
      }),
    );
  });

  it('are cut off in proportion, ready addresses before others', () => {
    const crowd = (count: number, from: number): { ip: string }[] =>
      Array.from({ length: count }, (_, index) => ({ ip: `10.${from}.${index >> 8}.${index & 255}` }));
    const sizes = (subsets: readonly EndpointSubset[]): unknown =>
      truncated(subsets).subsets.map(({ addresses = [], notReadyAddresses = [] }) => [addresses.length, notReadyAddresses.length]);
    expect(sizes([{ addresses: crowd(900, 1) }, { notReadyAddresses: crowd(100, 2) }])).to.deep.equal([
      [900, 0],
      [0, 100],
    ]);
    expect(sizes([{ addresses: crowd(900, 1), notReadyAddresses: crowd(30, 3) }, { notReadyAddresses: crowd(270, 2) }])).to.deep.equal([
      [900, 10],
      [0, 90],
    ]);
    expect(
      sizes([
        { addresses: crowd(1500, 1), notReadyAddresses: crowd(30, 3) },
        { addresses: crowd(500, 4) },
        { notReadyAddresses: crowd(5, 5) },
      ]),
    ).to.deep.equal([
      [750, 0],
      [250, 0],
    ]);
  });
});

describe('the endpoints controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const own = (name: string, annotations: Readonly<Record<string, string>> = {}): Endpoints => ({
    metadata: { name, namespace: 'n', annotations },
    subsets: [{ addresses: [{ ip: '10.0.0.9' }] }],
  });
  const summary = async (): Promise<unknown> =>
    (await world.writes()).map(({ verb, key, body }) => [
      verb,
      key,
      (body as Endpoints | undefined)?.subsets?.[0]?.addresses?.map(({ ip }) => ip),
    ]);

  it('makes, changes, repairs and deletes', async () => {
    world.api.seed(services, service());
    world.api.seed(pods, pod('a', '10.9.0.1'));
    await world.start(endpointsController);
    expect(await summary()).to.deep.equal([['create', 'n/s', ['10.9.0.1']]]);
    world.api.seed(pods, pod('b', '10.9.0.2'));
    expect(await summary()).to.deep.equal([['update', 'n/s', ['10.9.0.1', '10.9.0.2']]]);
    world.api.change(endpoints, 'n/s', (object) => ({ ...object, subsets: [] }));
    expect(await summary()).to.deep.equal([['update', 'n/s', ['10.9.0.1', '10.9.0.2']]]);
    world.api.evaporate(services, 'n/s');
    expect(await summary()).to.deep.equal([['delete', 'n/s', undefined]]);
  });

  it('makes the Endpoints once when its cache lags, and keeps the time of what triggered the change', async () => {
    // The test decides when the cache shows the created object.
    let seen = (): void => undefined;
    const held = new Promise<void>((resolve) => (seen = resolve));
    const watch = world.api.watch.bind(world.api);
    world.api.watch = async (type, how) => {
      const opened = await watch(type, how);
      async function* late(): AsyncGenerator<typeof opened extends AsyncIterable<infer Event> ? Event : never> {
        for await (const event of opened) {
          if (type.resource === 'endpoints' && event.type === 'ADDED') await held;
          yield event;
        }
      }
      return { close: () => opened.close(), [Symbol.asyncIterator]: late };
    };
    world.api.seed(services, service());
    await world.start(endpointsController);
    expect(await summary()).to.deep.equal([['create', 'n/s', undefined]]);
    world.api.seed(pods, { ...pod('a', '10.9.0.1') });
    expect(await summary()).to.deep.equal([]);
    seen();
    expect(await summary()).to.deep.equal([['update', 'n/s', ['10.9.0.1']]]);
    expect(world.events).to.deep.equal([]);
  });

  it('deletes at its start what has no Service, and later nothing of that kind', async () => {
    world.api.seed(endpoints, own('left'), own('lock', { 'control-plane.alpha.kubernetes.io/leader': '{}' }));
    await world.start(endpointsController);
    expect(await summary()).to.deep.equal([['delete', 'n/left', undefined]]);
    world.api.seed(endpoints, own('mine'));
    world.api.change(endpoints, 'n/mine', (object) => ({ ...object, subsets: [] }));
    expect(await summary()).to.deep.equal([]);
  });

  it('leaves the Endpoints of a Service without selector to their owner', async () => {
    const { selector: _, ...spec } = service().spec ?? {};
    world.api.seed(services, { ...service(), spec });
    world.api.seed(endpoints, own('s'));
    await world.start(endpointsController);
    expect(await summary()).to.deep.equal([]);
  });
});
