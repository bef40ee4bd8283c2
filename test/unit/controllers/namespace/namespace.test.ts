import { expect } from 'chai';
import { resource } from '../../../../api/meta/resource.js';
import { deployments } from '../../../../api/types/apps/v1.js';
import { configMaps, type Namespace, namespaces, pods } from '../../../../api/types/core/v1.js';
import { deletionConditions, type Findings } from '../../../../controllers/namespace/conditions.js';
import { namespaceController } from '../../../../controllers/namespace/namespaceController.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal, type Write } from '../../../fixtures/memoryApi.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const nothing: Findings = { discoveryFailures: [], deletionFailures: [], remaining: new Map(), finalizers: new Map() };

describe('controllers/namespace/conditions', () => {
  const reported = (findings: Partial<Findings>): readonly string[] =>
    (deletionConditions([], { ...nothing, ...findings }, now) ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type, reason, message }) => `${type} ${reason ?? ''}: ${message ?? ''}`);

  it('says of each of five things that it is well', () =>
    expect(deletionConditions([], nothing, now)?.map(({ type, status, reason, message }) => [type, status, reason, message])).to.deep.equal(
      [
        ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
        ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
        ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
        ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed'],
        ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
      ],
    ));

  const cases: readonly (readonly [string, Partial<Findings>, string])[] = [
    [
      'groups that do not answer',
      { discoveryFailures: ['a/v1', 'b/v1'] },
      'NamespaceDeletionDiscoveryFailure DiscoveryFailed: Discovery failed for some groups, 2 failing: a/v1, b/v1',
    ],
    [
      'failed deletions',
      { deletionFailures: ['z', 'a'] },
      'NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, z',
    ],
    [
      'what remains',
      {
        remaining: new Map([
          ['pods.', 2],
          ['deployments.apps', 1],
        ]),
      },
      'NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
    ],
    [
      'finalizers',
      { finalizers: new Map([['x/y', 2]]) },
      'NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: x/y in 2 resource instances',
    ],
  ];
  for (const [about, findings, wanted] of cases) it(`tells of ${about}`, () => expect(reported(findings)).to.deep.equal([wanted]));

  it('says nothing twice, and keeps the time while only the reason changes', () => {
    const first = deletionConditions([], { ...nothing, remaining: new Map([['pods.', 2]]) }, now) ?? [];
    expect(deletionConditions(first, { ...nothing, remaining: new Map([['pods.', 2]]) }, now + 5_000)).to.equal(null);
    const second = deletionConditions(first, { ...nothing, remaining: new Map([['pods.', 1]]) }, now + 5_000);
    expect(second?.find(({ type }) => type === 'NamespaceContentRemaining')?.lastTransitionTime).to.equal('2026-01-01T00:00:00Z');
    const third = deletionConditions(second ?? [], nothing, now + 9_000);
    expect(third?.find(({ type }) => type === 'NamespaceContentRemaining')?.lastTransitionTime).to.equal('2026-01-01T00:00:09Z');
  });
});

describe('controllers/namespace/namespaceController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  const things = resource({ apiVersion: 'example.com/v1', resource: 'things', kind: 'Thing' });
  const deleted = (): Namespace => ({
    metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  });
  const lines = (writes: readonly Write[]): readonly string[] =>
    writes.map(({ verb, type, key, subresource }) => [verb, type, key, subresource].filter(Boolean).join(' '));
  const status = (type: string) =>
    world.api.peek(namespaces, 'n')?.status?.conditions?.find((condition) => condition.type === type)?.status;

  it('leaves namespaces alone that nobody deletes', async () => {
    world.api.seed(namespaces, { metadata: { name: 'n' }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    await world.start(namespaceController);
    await world.advance(60_000);
    expect(await world.writes()).to.deep.equal([]);
  });

  it('waits a little, empties every type, and lets the namespace go', async () => {
    world.api.seed(namespaces, { ...deleted(), status: { phase: 'Active' } });
    world.api.seed(configMaps, { metadata: { name: 'a', namespace: 'n' } }, { metadata: { name: 'a', namespace: 'other' } });
    world.api.seed(deployments, { metadata: { name: 'd', namespace: 'n' } });
    world.api.seed(things, { metadata: { name: 't', namespace: 'n' } });
    await world.start(namespaceController);
    await world.advance(4_999);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(1);
    const writes = await world.writes();
    expect(lines(writes)[0]).to.equal('update namespaces n status');
    expect(
      lines(writes)
        .filter((line) => line.startsWith('deleteCollection'))
        .sort(),
    ).to.deep.equal(['deleteCollection configmaps n', 'deleteCollection deployments.apps n', 'deleteCollection things.example.com n']);
    expect(lines(writes).slice(-2)).to.deep.equal(['update namespaces n status', 'update namespaces n finalize']);
    expect([world.api.peek(namespaces, 'n'), world.api.all(configMaps).map(({ metadata }) => metadata.namespace)]).to.deep.equal([
      undefined,
      ['other'],
    ]);
  });

  it('removes nothing else while pods end: what protects them goes after them', async () => {
    world.api.seed(namespaces, deleted());
    world.api.seed(pods, {
      metadata: { name: 'p', namespace: 'n' },
      spec: { nodeName: 'x', ...{ terminationGracePeriodSeconds: 20 } },
      status: { phase: 'Running' },
    });
    world.api.seed(configMaps, { metadata: { name: 'a', namespace: 'n' } });
    await world.start(namespaceController);
    await world.advance(5_000);
    expect(lines(await world.writes()).filter((line) => line.startsWith('delete'))).to.deep.equal(['deleteCollection pods n']);
    // The reference does not report remaining content while pods remain.
    expect([status('NamespaceContentRemaining'), status('NamespaceDeletionContentFailure')]).to.deep.equal(['False', 'False']);
    world.api.evaporate(pods, 'n/p');
    // Its own write is a change of the namespace, which is synced after a delay.
    await world.advance(4_999);
    expect(world.api.all(configMaps)).to.have.length(1);
    await world.advance(1);
    expect([world.api.all(configMaps), world.api.peek(namespaces, 'n')]).to.deep.equal([[], undefined]);
  });

  it('tells of finalizers, and looks again', async () => {
    world.api.seed(namespaces, deleted());
    world.api.seed(configMaps, { metadata: { name: 'a', namespace: 'n', finalizers: ['x/hold'] } });
    await world.start(namespaceController);
    await world.advance(5_000);
    expect([
      status('NamespaceFinalizersRemaining'),
      status('NamespaceContentRemaining'),
      status('NamespaceDeletionContentFailure'),
    ]).to.deep.equal(['True', 'True', 'False']);
    world.api.evaporate(configMaps, 'n/a');
    await world.advance(8_000);
    expect(world.api.peek(namespaces, 'n')).to.equal(undefined);
  });

  it('tells of a type that cannot be emptied, and tries again', async () => {
    world.api.seed(namespaces, deleted());
    world.api.seed(configMaps, { metadata: { name: 'a', namespace: 'n' } });
    let refusals = 1;
    world.api.before = ({ verb }) => {
      if (verb === 'deleteCollection' && refusals-- > 0) throw refusal(500, 'InternalError', 'broken');
    };
    await world.start(namespaceController);
    await world.advance(5_000);
    expect(status('NamespaceDeletionContentFailure')).to.equal('True');
    await world.advance(10);
    expect(world.api.peek(namespaces, 'n')).to.equal(undefined);
  });

  it('keeps the finalizers of others', async () => {
    world.api.seed(namespaces, { ...deleted(), spec: { finalizers: ['kubernetes', 'x/mine'] } });
    await world.start(namespaceController);
    await world.advance(5_000);
    expect(world.api.peek(namespaces, 'n')?.spec?.finalizers).to.deep.equal(['x/mine']);
  });
});
