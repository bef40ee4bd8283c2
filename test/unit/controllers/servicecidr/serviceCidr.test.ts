import { expect } from 'chai';
import { ipAddresses, type ServiceCIDR, serviceCIDRs } from '../../../../api/types/networking/v1.js';
import { stranded } from '../../../../controllers/servicecidr/plan.js';
import { serviceCidrController } from '../../../../controllers/servicecidr/serviceCidrController.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const finalizer = 'networking.k8s.io/service-cidr-finalizer';
const of = (name: string, cidr: string, going = false): ServiceCIDR => ({
  metadata: { name, ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] } : {}) },
  spec: { cidrs: [cidr] },
});
const address = (name: string): { metadata: { name: string }; spec: object } => ({ metadata: { name }, spec: {} });

describe('addresses of a range that goes', () => {
  it('are stranded unless another range has them', () => {
    const going = of('a', '10.0.0.0/24', true);
    const addresses = [address('10.0.0.1'), address('10.0.0.200'), address('10.1.0.1')];
    expect(stranded(going, [going], addresses)).to.deep.equal(['10.0.0.1', '10.0.0.200']);
    expect(stranded(going, [going, of('b', '10.0.0.128/25')], addresses)).to.deep.equal(['10.0.0.1']);
    expect(stranded(going, [going, of('b', '10.0.0.0/8', true)], addresses)).to.have.length(2);
  });
});

describe('the service cidr controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('protects a range and says that it is ready', async () => {
    world.api.seed(serviceCIDRs, of('a', '10.0.0.0/24'));
    await world.start(serviceCidrController);
    const { metadata, status } = world.api.peek(serviceCIDRs, 'a') ?? { metadata: {} };
    expect(metadata.finalizers).to.deep.equal([finalizer]);
    expect(status?.conditions?.[0]).to.include({ type: 'Ready', status: 'True', message: 'Kubernetes Service CIDR is ready' });
  });

  it('lets it go when its addresses are free, and not at once', async () => {
    world.api.seed(serviceCIDRs, of('a', '10.0.0.0/24', true));
    world.api.seed(ipAddresses, address('10.0.0.1'));
    await world.start(serviceCidrController);
    await world.advance(30_000);
    expect(world.api.peek(serviceCIDRs, 'a')?.status?.conditions?.[0]).to.include({ status: 'False', reason: 'Terminating' });
    world.api.evaporate(ipAddresses, '10.0.0.1');
    await world.settled();
    expect(world.api.peek(serviceCIDRs, 'a')).to.equal(undefined);
    world.api.seed(serviceCIDRs, {
      ...of('b', '10.0.0.0/24', true),
      metadata: { name: 'b', finalizers: [finalizer], deletionTimestamp: '2026-01-01T00:00:30Z' },
    });
    await world.advance(9_000);
    expect(world.api.peek(serviceCIDRs, 'b')).to.not.equal(undefined);
    await world.advance(2_000);
    expect(world.api.peek(serviceCIDRs, 'b')).to.equal(undefined);
  });
});
