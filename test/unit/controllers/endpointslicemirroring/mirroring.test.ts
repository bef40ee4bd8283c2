import { expect } from 'chai';
import { endpointSliceMirroringController } from '../../../../controllers/endpointslicemirroring/mirroringController.js';
import { planMirror } from '../../../../controllers/endpointslicemirroring/plan.js';
import { endpoints, type Endpoints, type EndpointSubset, type Service, services } from '../../../../api/types/core/v1.js';
import { type EndpointSlice, endpointSlices } from '../../../../api/types/discovery/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const source = (subsets: readonly EndpointSubset[], metadata: Endpoints['metadata'] = {}): Endpoints => ({
  metadata: { name: 's', namespace: 'n', uid: 'u-e', ...metadata },
  subsets,
});
const port = { name: 'http', port: 80, protocol: 'TCP' };
const owner = { apiVersion: 'v1', kind: 'Endpoints', name: 's', uid: 'u-e', controller: true, blockOwnerDeletion: true };
const labels = { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' };
const stored = (name: string, rest: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { name, namespace: 'n', uid: `u-${name}`, resourceVersion: '7', labels, ownerReferences: [owner] },
  addressType: 'IPv4',
  ports: [port],
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
  ...rest,
});
const nothing = { create: [], update: [], remove: [], invalid: 0, excess: 0 };

describe('the mirror of Endpoints', () => {
  it('says what they say, with their labels and annotations', () => {
    const target = { kind: 'Pod', name: 'p', namespace: 'n', uid: 'u-p' };
    const written = source(
      [
        {
          addresses: [{ ip: '10.0.0.1', hostname: 'h', nodeName: 'n1', targetRef: target }],
          notReadyAddresses: [{ ip: '10.0.0.2' }],
          ports: [port],
        },
      ],
      {
        labels: { el: 'v' },
        annotations: {
          ea: 'w',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'endpoints.kubernetes.io/last-change-trigger-time': 'x',
        },
      },
    );
    expect(planMirror(written, [], 1_000)).to.deep.equal({
      ...nothing,
      create: [
        {
          metadata: {
            generateName: 's-',
            namespace: 'n',
            labels: { el: 'v', ...labels },
            annotations: { ea: 'w' },
            ownerReferences: [owner],
          },
          addressType: 'IPv4',
          ports: [port],
          endpoints: [
            { addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'h', targetRef: target, nodeName: 'n1' },
            { addresses: ['10.0.0.2'], conditions: { ready: false } },
          ],
        },
      ],
    });
  });

  it('is one slice for each family and each set of ports', () => {
    const { create } = planMirror(
      source([
        { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [port] },
        { addresses: [{ ip: '10.0.0.3' }], ports: [{ port: 1 }] },
        { addresses: [{ ip: '10.0.0.4' }] },
      ]),
      [],
      1_000,
    );
    expect(
      create.map(({ addressType, ports, endpoints: list }) => [addressType, ports?.[0]?.port, list?.[0]?.addresses?.[0]]),
    ).to.have.deep.members([
      ['IPv4', 80, '10.0.0.1'],
      ['IPv6', 80, 'fd00::1'],
      ['IPv4', 1, '10.0.0.3'],
      ['IPv4', undefined, '10.0.0.4'],
    ]);
    expect(create.find(({ ports }) => ports?.[0]?.port === 1)?.ports).to.deep.equal([{ name: '', port: 1 }]);
  });

  it('is left as it is when it is right', () =>
    expect(planMirror(source([{ addresses: [{ ip: '10.0.0.1' }], ports: [port] }]), [stored('a')], 1_000)).to.deep.equal(nothing));

  const summary = ({ create, update, remove }: ReturnType<typeof planMirror>): unknown => ({
    create: create.length,
    update: update.map(({ metadata, endpoints: list }) => [metadata.name, list?.map(({ addresses }) => addresses?.[0])]),
    remove: remove.map(({ metadata }) => metadata.name),
  });
  const cases: readonly (readonly [string, Endpoints, readonly EndpointSlice[], object])[] = [
    [
      'another address',
      source([{ addresses: [{ ip: '10.0.0.2' }], ports: [port] }]),
      [stored('a')],
      { create: 0, update: [['a', ['10.0.0.2']]], remove: [] },
    ],
    [
      'another label',
      source([{ addresses: [{ ip: '10.0.0.1' }], ports: [port] }], { labels: { l: 'v' } }),
      [stored('a')],
      { create: 0, update: [['a', ['10.0.0.1']]], remove: [] },
    ],
    [
      'one slice too many',
      source([{ addresses: [{ ip: '10.0.0.1' }], ports: [port] }]),
      [stored('a'), stored('b')],
      { create: 0, update: [], remove: ['b'] },
    ],
    [
      'other ports take the slice over',
      source([{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 9 }] }]),
      [stored('a')],
      { create: 0, update: [['a', ['10.0.0.1']]], remove: [] },
    ],
    ['no addresses any more', source([]), [stored('a')], { create: 0, update: [], remove: ['a'] }],
    [
      'the slice of former Endpoints',
      source([{ addresses: [{ ip: '10.0.0.1' }], ports: [port] }], { uid: 'u-new' }),
      [stored('a')],
      { create: 1, update: [], remove: ['a'] },
    ],
  ];
  for (const [what, written, slices, wanted] of cases)
    it(`follows: ${what}`, () => expect(summary(planMirror(written, slices, 1_000))).to.deep.equal(wanted));

  it('writes a slice anew by its name alone', () => {
    const slice = stored('s-1');
    const made = { ...slice, metadata: { ...slice.metadata, generateName: 's-' } };
    const { update } = planMirror(source([{ addresses: [{ ip: '10.0.0.2' }], ports: [port] }]), [made], 1_000);
    expect(update.map(({ metadata: { name, generateName } }) => [name, generateName])).to.deep.equal([['s-1', undefined]]);
  });

  it('leaves out what is no address and what is too much, and counts it', () => {
    const { create, invalid, excess } = planMirror(
      source([{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }, { ip: '10.0.0.3' }, { ip: '1.bad' }], ports: [port] }]),
      [],
      2,
    );
    expect([create[0]?.endpoints?.length, invalid, excess]).to.deep.equal([2, 1, 1]);
  });
});

describe('the endpoint slice mirroring controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const service = (spec: Service['spec'] = {}): Service => ({ metadata: { name: 's', namespace: 'n' }, spec });
  const written = (metadata: Endpoints['metadata'] = {}): Endpoints =>
    source([{ addresses: [{ ip: '10.0.0.1' }], ports: [port] }], metadata);
  const verbs = async (): Promise<readonly string[]> => (await world.writes()).map(({ verb, key }) => `${verb} ${key}`);

  it('follows changes, and ends with the Endpoints', async () => {
    world.api.seed(services, service());
    world.api.seed(endpoints, written());
    await world.start(endpointSliceMirroringController);
    expect(await verbs()).to.deep.equal(['create n/s-']);
    world.api.change(endpoints, 'n/s', (object) => ({ ...object, subsets: [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [port] }] }));
    expect(await verbs()).to.deep.equal(['update n/s-00001']);
    world.api.evaporate(endpoints, 'n/s');
    expect(await verbs()).to.deep.equal(['delete n/s-00001']);
  });

  const exceptions: readonly (readonly [string, Service | null, Endpoints])[] = [
    ['a Service with a selector', service({ selector: { app: 'x' } }), written()],
    ['no Service', null, written()],
    ['a label that asks for none', service(), written({ labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } })],
    ['leader election', service(), written({ annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } })],
  ];
  for (const [what, of, object] of exceptions) {
    it(`makes none, and removes those that are there: ${what}`, async () => {
      if (of) world.api.seed(services, of);
      world.api.seed(endpoints, object);
      world.api.seed(
        endpointSlices,
        stored('a'),
        stored('other', {
          metadata: { name: 'other', namespace: 'n', labels: { ...labels, 'endpointslice.kubernetes.io/managed-by': 'me' } },
        }),
      );
      await world.start(endpointSliceMirroringController);
      expect(await verbs()).to.deep.equal(['delete n/a']);
    });
  }

  it('tells of what it leaves out', async () => {
    world = controllerWorld({ flags: ['--mirroring-max-endpoints-per-subset=1'] });
    world.api.seed(services, service());
    world.api.seed(endpoints, source([{ addresses: [{ ip: '1.bad' }, { ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [port] }]));
    await world.start(endpointSliceMirroringController);
    expect([...new Set(world.events)]).to.deep.equal([
      'Warning InvalidIPAddress n/s: Skipped 1 invalid IP addresses when mirroring to EndpointSlices',
      'Warning TooManyAddressesToMirror n/s: A max of 1 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped',
    ]);
  });
});
