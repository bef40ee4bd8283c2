import { expect } from 'chai';
import { deployments } from '../../../../api/types/apps/v1.js';
import { type Pod, pods, type ResourceQuota, resourceQuotas, secrets, services } from '../../../../api/types/core/v1.js';
import { resource } from '../../../../api/meta/resource.js';
import { quotaController } from '../../../../controllers/resourcequota/quotaController.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const quota = (hard: Record<string, string>): ResourceQuota => ({ metadata: { name: 'q', namespace: 'n' }, spec: { hard } });
const named = (name: string, namespace = 'n') => ({ metadata: { name, namespace } });
const pod = (name: string): Pod => ({
  ...named(name),
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
  status: { phase: 'Running' },
});

describe('controllers/resourcequota/quotaController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const status = () => world.api.peek(resourceQuotas, 'n/q')?.status;
  const lines = async () =>
    (await world.writes()).map(({ verb, type, key, subresource, refused }) =>
      [verb, type, key, subresource, refused].filter(Boolean).join(' '),
    );

  it('counts what is there, in its own namespace', async () => {
    world.api.seed(resourceQuotas, quota({ secrets: '5', 'count/deployments.apps': '1', cpu: '9', services: '1' }));
    world.api.seed(secrets, named('a'), named('b'), named('c', 'other'));
    world.api.seed(deployments, named('d'));
    world.api.seed(pods, pod('p'));
    world.api.seed(services);
    await world.api.list(services);
    await world.start(quotaController);
    expect(await lines()).to.deep.equal(['update resourcequotas n/q status']);
    expect(status()?.used).to.deep.equal({ secrets: '2', 'count/deployments.apps': '1', cpu: '1', services: '0' });
  });

  it('gives back what is deleted and what ends, and leaves creations to admission', async () => {
    world.api.seed(resourceQuotas, quota({ secrets: '5', pods: '9' }));
    world.api.seed(secrets, named('a'), named('b'));
    world.api.seed(pods, pod('p'));
    await world.start(quotaController);
    await world.writes();
    world.api.seed(secrets, named('c'));
    world.api.change(resourceQuotas, 'n/q', (object) => ({
      ...object,
      status: { hard: { secrets: '5', pods: '9' }, used: { secrets: '3', pods: '1' } },
    }));
    expect(await lines()).to.deep.equal([]);
    world.api.evaporate(secrets, 'n/a');
    expect(await lines()).to.deep.equal(['update resourcequotas n/q status']);
    expect(status()?.used).to.deep.equal({ secrets: '2', pods: '1' });
    world.api.change(pods, 'n/p', (object) => ({ ...object, status: { phase: 'Succeeded' } }));
    await world.settled();
    expect(status()?.used).to.deep.equal({ secrets: '2', pods: '0' });
    world.api.change(pods, 'n/p', (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } }));
    expect(await lines()).to.deep.equal(['update resourcequotas n/q status']);
  });

  it('counts what was there before it, however late that becomes known, and what admission did not know it for', async () => {
    for (const type of [secrets, pods]) await world.api.list(type);
    world.api.seed(resourceQuotas, quota({ secrets: '5', pods: '9' }));
    await world.start(quotaController);
    expect(status()?.used).to.deep.equal({ secrets: '0', pods: '0' });
    world.api.seed(secrets, named('a'));
    await world.advance(1_000);
    expect(status()?.used).to.deep.equal({ secrets: '1', pods: '0' });
    world.api.seed(pods, pod('p'));
    await world.advance(1_000);
    expect(status()?.used).to.deep.equal({ secrets: '1', pods: '1' });
    await world.writes();
    // By then every server counts it in the admitting write.
    await world.advance(60_000);
    world.api.seed(secrets, named('b'));
    await world.advance(10_000);
    expect(await lines()).to.deep.equal([]);
  });

  it('never takes back what admission has counted because something appeared: it may be on its way here', async () => {
    await world.api.list(secrets);
    world.api.seed(resourceQuotas, quota({ secrets: '5' }));
    await world.start(quotaController);
    world.api.change(resourceQuotas, 'n/q', (object) => ({ ...object, status: { hard: { secrets: '5' }, used: { secrets: '2' } } }));
    world.api.seed(secrets, named('a'));
    await world.advance(1_000);
    expect(status()?.used).to.deep.equal({ secrets: '2' });
  });

  it('asks the server for the first count, whatever is known here by then', async () => {
    world.api.seed(secrets, named('x', 'other'));
    world.api.seed(resourceQuotas, { ...quota({ secrets: '5' }), metadata: { name: 'q', namespace: 'other' } });
    await world.start(quotaController);
    const asked: string[] = [];
    world.api.before = ({ verb, type, key }) => {
      if (verb === 'list') asked.push(`${type} in ${key.split('/')[0] ?? ''}`);
    };
    world.api.seed(secrets, named('a'));
    world.api.seed(resourceQuotas, quota({ secrets: '5' }));
    await world.settled();
    expect([asked, status()?.used]).to.deep.equal([['secrets in n'], { secrets: '1' }]);
  });

  it('counts what becomes known while its first count is written', async () => {
    await world.api.list(secrets);
    world.api.seed(resourceQuotas, quota({ secrets: '5' }));
    let first = true;
    world.api.before = ({ verb }) => {
      if (verb === 'update' && first) world.api.seed(secrets, named('a'));
      if (verb === 'update') first = false;
    };
    await world.start(quotaController);
    await world.advance(1_000);
    expect(status()?.used).to.deep.equal({ secrets: '1' });
  });

  it('follows a changed limit, and counts all anew now and then', async () => {
    world.api.seed(resourceQuotas, quota({ secrets: '5' }));
    world.api.seed(secrets, named('a'));
    await world.start(quotaController);
    await world.advance(1_000);
    await world.writes();
    world.api.change(resourceQuotas, 'n/q', (object) => ({ ...object, spec: { hard: { secrets: '6' } } }));
    await world.settled();
    expect(status()).to.deep.equal({ hard: { secrets: '6' }, used: { secrets: '1' } });
    world.api.change(resourceQuotas, 'n/q', (object) => ({ ...object, status: { hard: { secrets: '6' }, used: { secrets: '3' } } }));
    await world.writes();
    await world.advance(298_000);
    expect(status()?.used).to.deep.equal({ secrets: '3' });
    await world.advance(1_000);
    expect(status()?.used).to.deep.equal({ secrets: '1' });
  });

  it('does not overwrite what admission counted meanwhile', async () => {
    world.api.seed(resourceQuotas, quota({ secrets: '5' }));
    world.api.seed(secrets, named('a'));
    let races = 1;
    world.api.before = ({ verb }) => {
      if (verb === 'update' && races-- > 0)
        world.api.change(resourceQuotas, 'n/q', (object) => ({ ...object, status: { hard: { secrets: '5' }, used: { secrets: '4' } } }));
    };
    await world.start(quotaController);
    await world.advance(10);
    expect(await lines()).to.deep.equal(['update resourcequotas n/q status Conflict', 'update resourcequotas n/q status']);
    expect(status()?.used).to.deep.equal({ secrets: '1' });
  });

  it('counts a type as soon as it is served', async () => {
    const things = resource({ apiVersion: 'example.com/v1', resource: 'things', kind: 'Thing' });
    world.api.seed(resourceQuotas, quota({ 'count/things.example.com': '5' }));
    await world.start(quotaController);
    expect(status()).to.deep.equal({ hard: { 'count/things.example.com': '5' }, used: {} });
    world.api.seed(things, named('t'));
    await world.advance(60_000);
    expect(status()?.used).to.deep.equal({ 'count/things.example.com': '1' });
    world.api.evaporate(things, 'n/t');
    await world.settled();
    expect(status()?.used).to.deep.equal({ 'count/things.example.com': '0' });
  });

  it('follows the metadata of a type that is only numbered, and only once it is asked for', async () => {
    const asked: string[] = [];
    world.api.before = ({ verb, type }) => {
      if (verb === 'watch' || verb === 'list') asked.push(type);
    };
    world.api.seed(secrets, named('a'));
    world.api.seed(deployments, named('d'));
    await world.start(quotaController);
    expect(new Set(asked)).to.deep.equal(new Set(['resourcequotas']));
    world.api.seed(resourceQuotas, quota({ secrets: '5' }));
    await world.settled();
    expect(new Set(asked)).to.deep.equal(new Set(['resourcequotas', 'secrets']));
  });
});
