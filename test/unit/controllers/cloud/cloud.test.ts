import { expect } from 'chai';
import { type Node, nodes, type Service, services } from '../../../../api/types/core/v1.js';
import { parseCidr } from '../../../../controllers/addresses/cidr.js';
import { nodeFactsController, nodeStatusPeriodMs } from '../../../../controllers/cloud/nodeFacts.js';
import { cloudNodeController } from '../../../../controllers/cloud/nodeStates.js';
import { routeController, routePlan } from '../../../../controllers/cloud/routes.js';
import { serviceBalancerController } from '../../../../controllers/cloud/serviceBalancers.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';
import { MemoryCloud } from '../../../fixtures/memoryCloud.js';

const node = (name: string, ready = 'True', podCIDRs: readonly string[] = []): Node => ({
  metadata: { name },
  spec: { podCIDRs },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const reasons = (events: readonly string[]): string[] => events.map((event) => event.split(' ')[1] ?? '');

describe('balancers of services', () => {
  const service = (spec: Service['spec'] = { type: 'LoadBalancer' }): Service => ({ metadata: { name: 's', namespace: 'n' }, spec });

  it('come, follow the nodes, and go', async () => {
    const cloud = new MemoryCloud();
    const world = controllerWorld({ cloud });
    world.api.seed(nodes, node('a'), node('sick', 'False'));
    world.api.seed(services, service());
    await world.start(serviceBalancerController);
    expect(cloud.balancers.get('s')).to.deep.equal(['a']);
    expect(world.api.peek(services, 'n/s')?.status?.loadBalancer).to.deep.equal({ ingress: [{ ip: '203.0.113.1' }] });
    world.api.seed(nodes, node('b'));
    await world.settled();
    expect(cloud.balancers.get('s')).to.deep.equal(['a', 'b']);
    world.api.change(services, 'n/s', (before) => ({
      ...before,
      metadata: { ...before.metadata, finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
    }));
    world.api.change(services, 'n/s', (before) => ({ ...before, spec: { type: 'ClusterIP' } }));
    await world.settled();
    expect([...cloud.balancers.keys()]).to.deep.equal([]);
    expect(reasons(world.events)).to.deep.equal([
      'EnsuringLoadBalancer',
      'EnsuredLoadBalancer',
      'UpdatedLoadBalancer',
      'DeletingLoadBalancer',
      'DeletedLoadBalancer',
    ]);
    await world.stop();
  });

  it('are not made for services of a class of their own, and failures are reported', async () => {
    const cloud = new MemoryCloud();
    cloud.broken = true;
    const world = controllerWorld({ cloud });
    world.api.seed(services, service(), {
      ...service({ type: 'LoadBalancer', loadBalancerClass: 'mine' }),
      metadata: { name: 't', namespace: 'n' },
    });
    await world.start(serviceBalancerController);
    expect(reasons(world.events)).to.include('SyncLoadBalancerFailed');
    cloud.broken = false;
    await world.advance(1_000);
    expect([...cloud.balancers.keys()]).to.deep.equal(['s']);
    await world.stop();
  });
});

describe('routes to nodes', () => {
  it('are made for those that lack, and removed within the cluster alone', () => {
    const cluster = [parseCidr('10.0.0.0/16')!];
    const routes = [
      { node: 'a', range: '10.0.0.0/24' },
      { node: 'gone', range: '10.0.9.0/24' },
      { node: 'other', range: '192.168.0.0/24' },
    ];
    expect(routePlan([node('a', 'True', ['10.0.0.0/24']), node('b', 'True', ['10.0.1.0/24'])], routes, cluster)).to.deep.equal({
      create: [{ node: 'b', range: '10.0.1.0/24' }],
      remove: [{ node: 'gone', range: '10.0.9.0/24' }],
    });
  });

  it('are shown in the condition of the node', async () => {
    const cloud = new MemoryCloud();
    const world = controllerWorld({ cloud, flags: ['--allocate-node-cidrs', '--cluster-cidr=10.0.0.0/16'] });
    const networkOf = (): string | undefined =>
      world.api.peek(nodes, 'a')?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.reason;
    world.api.seed(nodes, node('a', 'True', ['10.0.0.0/24']));
    cloud.broken = true;
    await world.start(routeController);
    expect([networkOf(), reasons(world.events)]).to.deep.equal(['NoRouteCreated', ['FailedToCreateRoute']]);
    cloud.broken = false;
    await world.advance(10_000);
    expect([networkOf(), cloud.ways]).to.deep.equal(['RouteCreated', [{ node: 'a', range: '10.0.0.0/24' }]]);
    await world.stop();
  });
});

describe('machines of nodes', () => {
  it('that are gone take their nodes with them, those that are shut down taint them', async () => {
    const cloud = new MemoryCloud();
    cloud.machines.set('well', 'runs').set('asleep', 'is shut down');
    const world = controllerWorld({ cloud });
    world.api.seed(nodes, node('well'), node('asleep', 'Unknown'), node('gone', 'Unknown'));
    await world.start(cloudNodeController);
    await world.settled();
    expect(world.api.all(nodes).map(({ metadata, spec }) => [metadata.name, (spec?.taints ?? []).map(({ key }) => key)])).to.deep.equal([
      ['asleep', ['node.cloudprovider.kubernetes.io/shutdown']],
      ['well', []],
    ]);
    expect(reasons(world.events)).to.deep.equal(['DeletingNode']);
    world.api.change(nodes, 'asleep', (before) => ({ ...before, status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
    await world.advance(5_000);
    expect(world.api.peek(nodes, 'asleep')?.spec?.taints).to.deep.equal([]);
    await world.stop();
  });
});

describe('controllers of a cloud', () => {
  it('have nothing to do without one', () => {
    const { environment } = controllerWorld();
    for (const make of [serviceBalancerController, routeController, cloudNodeController]) expect(make(environment)).to.equal(null);
  });
});

describe('what a cloud says of nodes', () => {
  const waiting = (name: string): Node => ({
    metadata: { name },
    spec: {
      taints: [
        { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
        { key: 'own', effect: 'NoExecute' },
      ],
    },
  });

  it('initialises those that wait for it, and keeps their addresses', async () => {
    const cloud = new MemoryCloud();
    const world = controllerWorld({ cloud });
    world.api.seed(nodes, waiting('a'), node('old'));
    cloud.addresses.set('a', '192.0.2.1').set('old', '192.0.2.2');
    await world.start(nodeFactsController);
    const a = world.api.peek(nodes, 'a');
    expect(a?.spec).to.deep.include({ providerID: 'memory://a', taints: [{ key: 'own', effect: 'NoExecute' }] });
    expect(a?.metadata.labels).to.deep.include({ 'topology.kubernetes.io/zone': 'z', 'node.kubernetes.io/instance-type': 'small' });
    expect(a?.status?.addresses).to.deep.equal([{ type: 'InternalIP', address: '192.0.2.1' }]);
    const old = world.api.peek(nodes, 'old');
    expect(old?.spec?.providerID).to.equal(undefined);
    expect(old?.status?.addresses).to.deep.equal([{ type: 'InternalIP', address: '192.0.2.2' }]);
    cloud.addresses.set('a', '192.0.2.9');
    await world.advance(nodeStatusPeriodMs);
    expect(world.api.peek(nodes, 'a')?.status?.addresses).to.deep.equal([{ type: 'InternalIP', address: '192.0.2.9' }]);
    await world.stop();
  });

  it('is waited for, as long as it has no machine of a node', async () => {
    const cloud = new MemoryCloud();
    const world = controllerWorld({ cloud });
    world.api.seed(nodes, waiting('late'));
    await world.start(nodeFactsController);
    expect(world.api.peek(nodes, 'late')?.spec?.taints).to.have.length(2);
    expect(world.errors.splice(0).join()).to.match(/no machine of this node yet/);
    cloud.addresses.set('late', '192.0.2.3');
    await world.advance(1_000);
    expect(world.api.peek(nodes, 'late')?.spec?.taints).to.have.length(1);
    await world.stop();
  });
});
