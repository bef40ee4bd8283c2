import { expect } from 'chai';
import { configMaps, type Namespace, namespaces, serviceAccounts } from '../../../../api/types/core/v1.js';
import { defaultAccountController } from '../../../../controllers/serviceaccount/defaultAccounts.js';
import { rootCaPublisher } from '../../../../controllers/serviceaccount/rootCaPublisher.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal, type Write } from '../../../fixtures/memoryApi.js';

const namespace = (name: string, phase = 'Active'): Namespace => ({ metadata: { name }, status: { phase } });
const lines = (writes: readonly Write[]): readonly string[] =>
  writes.map(({ verb, type, key, refused }) => [verb, type, key, refused].filter(Boolean).join(' '));

describe('controllers/serviceaccount/defaultAccounts', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('makes the account where it is missing, again after its deletion, and not in a namespace that goes away', async () => {
    world.api.seed(namespaces, namespace('a'), namespace('b'), namespace('c', 'Terminating'));
    world.api.seed(serviceAccounts, { metadata: { name: 'default', namespace: 'b' } }, { metadata: { name: 'other', namespace: 'b' } });
    await world.start(defaultAccountController);
    expect(await world.writes()).to.deep.equal([
      { verb: 'create', type: 'serviceaccounts', key: 'a/default', body: { metadata: { name: 'default', namespace: 'a' } } },
    ]);
    world.api.evaporate(serviceAccounts, 'b/default');
    world.api.evaporate(serviceAccounts, 'b/other');
    expect(lines(await world.writes())).to.deep.equal(['create serviceaccounts b/default']);
    world.api.seed(namespaces, namespace('d'));
    expect(lines(await world.writes())).to.deep.equal(['create serviceaccounts d/default']);
  });

  const expected = [
    ['somebody was faster', refusal(409, 'AlreadyExists')],
    ['the namespace goes away', refusal(403, 'Forbidden', 'no', { causes: [{ reason: 'NamespaceTerminating' }] })],
  ] as const;
  for (const [about, answer] of expected) {
    it(`is content when ${about}`, async () => {
      world.api.seed(namespaces, namespace('a'));
      world.api.before = ({ verb }) => {
        if (verb === 'create') throw answer;
      };
      await world.start(defaultAccountController);
      await world.advance(60_000);
      expect(lines(await world.writes())).to.deep.equal([`create serviceaccounts a/default ${answer.reason}`]);
      expect(world.errors).to.deep.equal([]);
    });
  }

  it('tries again after any other refusal', async () => {
    let refusals = 2;
    world.api.seed(namespaces, namespace('a'));
    world.api.before = ({ verb }) => {
      if (verb === 'create' && refusals-- > 0) throw refusal(500, 'InternalError');
    };
    await world.start(defaultAccountController);
    await world.advance(100);
    expect(world.api.all(serviceAccounts)).to.have.length(1);
    expect(world.errors).to.have.length(2);
  });
});

describe('controllers/serviceaccount/rootCaPublisher', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld({ rootCa: 'PEM' });
  });
  afterEach(() => world.stop());
  const data = () => world.api.peek(configMaps, 'a/kube-root-ca.crt')?.data;

  it('has nothing to do when nobody knows the authority', async () => {
    const other = controllerWorld();
    expect(rootCaPublisher(other.environment)).to.equal(null);
    await other.stop();
  });

  it('publishes, mends what is changed, and makes anew what is deleted', async () => {
    world.api.seed(namespaces, namespace('a'));
    await world.start(rootCaPublisher);
    expect(lines(await world.writes())).to.deep.equal(['create configmaps a/kube-root-ca.crt']);
    expect(world.api.peek(configMaps, 'a/kube-root-ca.crt')?.metadata.annotations)
      .to.have.property('kubernetes.io/description')
      .that.includes('CA bundle');
    const spoilt: readonly Record<string, string>[] = [{ 'ca.crt': 'other' }, { 'ca.crt': 'PEM', more: 'x' }, {}];
    for (const other of spoilt) {
      world.api.change(configMaps, 'a/kube-root-ca.crt', (map) => ({ ...map, data: other }));
      await world.settled();
      expect(data()).to.deep.equal({ 'ca.crt': 'PEM' });
    }
    await world.writes();
    world.api.change(configMaps, 'a/kube-root-ca.crt', (map) => ({ ...map, metadata: { ...map.metadata, labels: { a: 'b' } } }));
    expect(lines(await world.writes())).to.deep.equal([]);
    world.api.evaporate(configMaps, 'a/kube-root-ca.crt');
    await world.settled();
    expect(data()).to.deep.equal({ 'ca.crt': 'PEM' });
  });
});
