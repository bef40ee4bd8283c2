import { expect } from 'chai';
import { daemonSetController } from '../../../../controllers/daemonset/daemonSetController.js';
import { controllerRevisions, type DaemonSet, daemonSets, type DaemonSetSpec } from '../../../../api/types/apps/v1.js';
import { nodes, type Pod, pods } from '../../../../api/types/core/v1.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

describe('the daemon set controller', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  const set = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
    metadata: { name: 'd', namespace: 'n', generation: 1 },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
  });
  const seedNodes = (...names: string[]): void => {
    for (const name of names) world.api.seed(nodes, { metadata: { name, labels: { own: 'yes' } } });
  };
  const become = (name: string, phase: string, ready: boolean): void => {
    world.api.change(pods, `n/${name}`, (pod) => ({
      ...pod,
      status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2025-01-01T00:00:00Z' }] },
    }));
  };
  const summary = async (): Promise<readonly string[]> =>
    (await world.writes())
      .filter(({ subresource }) => subresource !== 'status')
      .map(({ verb, type, key }) => `${verb} ${type.split('.')[0] ?? ''} ${key.replace(/n\/d-[a-z0-9]*[a-z][a-z0-9]*$/, 'n/d-HASH')}`);
  const names = (): readonly string[] => world.api.all(pods).map(({ metadata }) => metadata.name ?? '');

  it('follows nodes that come, change and go', async () => {
    seedNodes('a');
    world.api.seed(daemonSets, set({ template: { metadata: { labels: { app: 'x' } }, spec: { nodeSelector: { own: 'yes' } } } }));
    await world.start(daemonSetController);
    expect(await summary()).to.deep.equal(['create controllerrevisions n/d-HASH', 'create pods n/d-']);
    seedNodes('b');
    expect(await summary()).to.deep.equal(['create pods n/d-']);
    world.api.change(nodes, 'b', (node) => ({ ...node, status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
    expect(await world.writes()).to.deep.equal([]);
    world.api.change(nodes, 'a', (node) => ({ ...node, metadata: { ...node.metadata, labels: {} } }));
    expect(await summary()).to.deep.equal([`delete pods n/${names()[0] ?? ''}`.replace('00002', '00001')]);
    world.api.evaporate(nodes, 'b');
    expect((await summary()).map((line) => line.split(' ')[0])).to.deep.equal(['delete']);
    expect(world.api.peek(daemonSets, 'n/d')?.status).to.deep.equal({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
      updatedNumberScheduled: 0,
      numberAvailable: 0,
      numberUnavailable: 0,
      observedGeneration: 1,
    });
    expect(world.events.map((line) => line.replace(/\d+/, 'N'))).to.deep.equal([
      'Normal SuccessfulCreate n/d: Created pod: d-N',
      'Normal SuccessfulCreate n/d: Created pod: d-N',
      'Normal SuccessfulDelete n/d: Deleted pod: d-N',
      'Normal SuccessfulDelete n/d: Deleted pod: d-N',
    ]);
  });

  it('updates one node after another', async () => {
    seedNodes('a', 'b');
    world.api.seed(daemonSets, set());
    await world.start(daemonSetController);
    for (const name of names()) become(name, 'Running', true);
    await summary();
    world.api.change(daemonSets, 'n/d', (of) => ({
      ...of,
      spec: { ...of.spec, template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'img:2' }] } } },
    }));
    expect(await summary()).to.deep.equal(['create controllerrevisions n/d-HASH', 'delete pods n/d-00001', 'create pods n/d-']);
    expect(world.api.peek(daemonSets, 'n/d')?.status).to.deep.include({
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      observedGeneration: 2,
    });
    const fresh = world.api.all(pods).find(({ spec }) => spec?.containers?.[0]?.image === 'img:2')?.metadata.name ?? '';
    become(fresh, 'Running', true);
    expect(await summary()).to.deep.equal(['delete pods n/d-00002', 'create pods n/d-']);
    expect(
      world.api
        .all(controllerRevisions)
        .map(({ revision }) => revision)
        .sort(),
    ).to.deep.equal([1, 2]);
  });

  it('replaces failed pods, with a wait when the next one fails as well', async () => {
    seedNodes('a');
    world.api.seed(daemonSets, set());
    await world.start(daemonSetController);
    await summary();
    become(names()[0] ?? '', 'Failed', false);
    expect((await summary()).map((line) => line.split(' ')[0])).to.deep.equal(['delete', 'create']);
    expect(world.events.at(-3)).to.match(/^Warning FailedDaemonPod n\/d: Found failed daemon pod n\/d-\d+ on node a, will try to kill it$/);
    become(names()[0] ?? '', 'Failed', false);
    expect(await summary()).to.deep.equal([]);
    await world.advance(1_000);
    expect((await summary()).map((line) => line.split(' ')[0])).to.deep.equal(['delete', 'create']);
  });

  it('waits no longer for that when the wall clock goes back by a day', async () => {
    seedNodes('a');
    world.api.seed(daemonSets, set());
    await world.start(daemonSetController);
    await summary();
    become(names()[0] ?? '', 'Failed', false);
    await summary();
    world.clock.setBack(86_400_000);
    become(names()[0] ?? '', 'Failed', false);
    expect(await summary()).to.deep.equal([]);
    await world.advance(1_000);
    expect((await summary()).map((line) => line.split(' ')[0])).to.deep.equal(['delete', 'create']);
  });

  it('refuses a selector that selects everything', async () => {
    seedNodes('a');
    world.api.seed(daemonSets, set({ selector: {} }));
    await world.start(daemonSetController);
    expect([await world.writes(), world.events]).to.deep.equal([
      [],
      ['Warning SelectingAll n/d: This daemon set is selecting all pods. A non-empty selector is required.'],
    ]);
  });

  it('creates a pod once, although its cache lags', async () => {
    seedNodes('a', 'b');
    world.api.seed(daemonSets, set());
    // A node is added during the creation of the first pod.
    let once = false;
    world.api.before = ({ verb, type }) => {
      if (verb !== 'create' || type !== 'pods' || once) return;
      once = true;
      seedNodes('c');
    };
    await world.start(daemonSetController);
    await world.settled();
    const homes = world.api
      .all(pods)
      .map(
        (pod: Pod) =>
          pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]?.matchFields?.[0]
            ?.values?.[0],
      );
    expect(homes.sort()).to.deep.equal(['a', 'b', 'c']);
  });
});
