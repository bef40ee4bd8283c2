import { expect } from 'chai';
import { endpointSliceController } from '../../../../controllers/endpointslice/endpointSliceController.js';
import { nodes, type Pod, pods, services } from '../../../../api/types/core/v1.js';
import { type EndpointSlice, endpointSlices } from '../../../../api/types/discovery/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal } from '../../../fixtures/memoryApi.js';

describe('the endpoint slice controller', () => {
  let world: ControllerWorld;
  const pod = (name: string, ip: string, node = 'n1'): Pod => ({
    metadata: { name, namespace: 'n', labels: { app: 'x' } },
    spec: { nodeName: node },
    status: {
      phase: 'Running',
      podIPs: [{ ip }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  });
  const start = async (): Promise<void> => {
    world.api.seed(services, {
      metadata: { name: 's', namespace: 'n' },
      spec: { clusterIP: '10.0.0.1', selector: { app: 'x' }, ports: [{ port: 80 }] },
    });
    world.api.seed(nodes, { metadata: { name: 'n1' } });
    await world.start(endpointSliceController);
  };
  const summary = async (): Promise<unknown> =>
    (await world.writes()).map(({ verb, key, body }) => [
      verb,
      key,
      (body as EndpointSlice | undefined)?.endpoints?.map(({ addresses }) => addresses?.[0]),
    ]);

  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('follows pods that come, change and go', async () => {
    world.api.seed(pods, pod('a', '10.9.0.1'));
    await start();
    expect(await summary()).to.deep.equal([['create', 'n/s-', ['10.9.0.1']]]);
    world.api.seed(pods, pod('b', '10.9.0.2'));
    expect(await summary()).to.deep.equal([['update', 'n/s-00001', ['10.9.0.1', '10.9.0.2']]]);
    world.api.change(pods, 'n/a', (one) => ({ ...one, metadata: { ...one.metadata, annotations: { any: 'thing' } } }));
    expect(await summary()).to.deep.equal([]);
    world.api.change(pods, 'n/a', (one) => ({ ...one, metadata: { ...one.metadata, labels: {} } }));
    expect(await summary()).to.deep.equal([['update', 'n/s-00001', ['10.9.0.2']]]);
    world.api.evaporate(pods, 'n/b');
    expect(await summary()).to.deep.equal([['update', 'n/s-00001', undefined]]);
  });

  it('puts back what others change or delete, and leaves the slices of others alone', async () => {
    world.api.seed(pods, pod('a', '10.9.0.1'));
    await start();
    await world.writes();
    world.api.change(endpointSlices, 'n/s-00001', (slice) => ({ ...slice, endpoints: [{ addresses: ['10.9.9.9'] }] }));
    expect(await summary()).to.deep.equal([['update', 'n/s-00001', ['10.9.0.1']]]);
    world.api.evaporate(endpointSlices, 'n/s-00001');
    expect(await summary()).to.deep.equal([['create', 'n/s-', ['10.9.0.1']]]);
    world.api.seed(endpointSlices, {
      metadata: {
        name: 'mine',
        namespace: 'n',
        labels: { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'me' },
      },
      addressType: 'IPv4',
      endpoints: [],
    });
    expect(await summary()).to.deep.equal([]);
  });

  it('waits for the node of a pod', async () => {
    world.api.seed(pods, pod('a', '10.9.0.1', 'later'));
    await start();
    expect(await summary()).to.deep.equal([['create', 'n/s-', undefined]]);
    expect(world.events).to.deep.equal([
      'Warning FailedToUpdateEndpointSlices n/s: Error updating Endpoint Slices for Service n/s: skipping Pod a for Service n/s: Node later Not Found',
    ]);
    world.api.seed(pods, pod('b', '10.9.0.2', 'later'));
    await summary();
    expect(world.events.at(-1)).to.match(/n\/s: \[skipping Pod a for .* Not Found, skipping Pod b for .* Not Found\]$/);
    world.api.seed(nodes, { metadata: { name: 'later' } });
    expect(await summary()).to.deep.equal([['update', 'n/s-00001', ['10.9.0.1', '10.9.0.2']]]);
  });

  it('collects changes of pods for the time that is asked for', async () => {
    world = controllerWorld({ flags: ['--endpointslice-updates-batch-period=1s'] });
    await start();
    await world.writes();
    world.api.seed(pods, pod('a', '10.9.0.1'), pod('b', '10.9.0.2'));
    expect(await summary()).to.deep.equal([]);
    await world.advance(1_000);
    expect(await summary()).to.deep.equal([['update', 'n/s-00001', ['10.9.0.1', '10.9.0.2']]]);
  });

  it('does not make a slice twice when its cache lags', async () => {
    // The change arrives during the create request, before the cache shows the slice.
    let once = false;
    world.api.before = ({ verb, type }) => {
      if (verb !== 'create' || type !== 'endpointslices.discovery.k8s.io' || once) return;
      once = true;
      world.api.seed(pods, pod('b', '10.9.0.2'));
    };
    await start();
    await world.advance(10_000);
    expect(world.api.all(endpointSlices)).to.have.length(1);
  });

  it('leaves Services without selectors, and of external names, alone', async () => {
    world.api.seed(
      services,
      { metadata: { name: 't', namespace: 'n' }, spec: { clusterIP: '10.0.0.2' } },
      { metadata: { name: 'e', namespace: 'n' }, spec: { type: 'ExternalName', selector: { app: 'x' } } },
    );
    await start();
    expect(await summary()).to.deep.equal([['create', 'n/s-', undefined]]);
  });

  it('tells of a refusal, and tries again', async () => {
    world.api.before = ({ verb }) => {
      if (verb === 'create') throw refusal(403, 'Forbidden', 'no');
    };
    await start();
    expect(world.events).to.deep.equal(['Warning FailedToUpdateEndpointSlices n/s: Error updating Endpoint Slices for Service n/s: no']);
    world.api.before = () => undefined;
    await world.writes();
    await world.advance(1_000);
    expect(await summary()).to.deep.equal([['create', 'n/s-', undefined]]);
  });
});
