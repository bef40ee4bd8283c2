import { expect } from 'chai';
import { configMaps, type Pod, pods, type Secret, secrets, serviceAccounts } from '../../../../api/types/core/v1.js';
import { knowsEnough, secretsOf, verdictOn } from '../../../../controllers/legacytokencleaner/plan.js';
import { entryOf } from '../../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { refusal } from '../../../fixtures/memoryApi.js';

const dayMs = 24 * 3_600_000;
/** The world's clock begins at 2026-01-01T00:00:00Z. */
const now = Date.parse('2026-01-01T00:00:00Z');
const judged = { periodMs: 30 * dayMs, now };
const secret = (labels: Record<string, string> = {}, creationTimestamp = '2025-01-01T00:00:00Z'): Secret => ({
  metadata: {
    name: 's',
    namespace: 'n',
    uid: 'us',
    creationTimestamp,
    labels,
    annotations: { 'kubernetes.io/service-account.name': 'bot' },
  },
  type: 'kubernetes.io/service-account-token',
});
const used = (day: string) => ({ 'kubernetes.io/legacy-token-last-used': day });
const invalid = (day: string) => ({ 'kubernetes.io/legacy-token-invalid-since': day });
const account = { metadata: { name: 'bot', namespace: 'n', uid: 'ub' }, secrets: [{ name: 's' }] };

describe('controllers/legacytokencleaner/plan', () => {
  const none: ReadonlySet<string> = new Set();
  const cases: readonly (readonly [string, Secret, Parameters<typeof verdictOn>[1], string])[] = [
    ['never used', secret(), { account, mounted: none }, 'mark'],
    ['not used for long', secret(used('2025-12-01')), { account, mounted: none }, 'mark'],
    ['used within the period', secret(used('2025-12-02')), { account, mounted: none }, 'keep'],
    ['a label that is no day', secret(used('yesterday')), { account, mounted: none }, 'keep'],
    ['young', secret({}, '2025-12-02T00:00:00Z'), { account, mounted: none }, 'keep'],
    ['made by hand', secret(), { account: { ...account, secrets: [] }, mounted: none }, 'keep'],
    ['of no account', secret(), { account: null, mounted: none }, 'keep'],
    ['used by a pod', secret(), { account, mounted: new Set(['s']) }, 'keep'],
    ['marked lately', secret(invalid('2025-12-20')), { account, mounted: none }, 'keep'],
    ['marked long ago', secret(invalid('2025-11-30')), { account, mounted: none }, 'delete'],
    ['marked with what is no day', secret(invalid('x')), { account, mounted: none }, 'mark'],
    ['marked long ago, and used again', secret({ ...invalid('2025-11-30'), ...used('2025-12-31') }), { account, mounted: none }, 'keep'],
  ];
  for (const [about, given, usage, wanted] of cases)
    it(`${about}: ${wanted}`, () => expect(verdictOn(given, usage, judged)).to.equal(wanted));

  const since: readonly (readonly [string, boolean])[] = [
    ['2025-12-01', false],
    ['2025-11-30', true],
    ['', false],
    ['soon', false],
    ['2025-02-30', false],
  ];
  for (const [day, wanted] of since)
    it(`${wanted ? 'knows' : 'does not know'} enough since '${day}'`, () => expect(knowsEnough(day, 31 * dayMs, now)).to.equal(wanted));

  it('finds the secrets that a pod uses', () => {
    const container = {
      name: 'c',
      env: [{ name: 'e', valueFrom: { secretKeyRef: { name: 'variable', key: 'k' } } }],
      envFrom: [{ secretRef: { name: 'all' } }],
    };
    const volumes = [
      { name: 'a', secret: { secretName: 'volume' } },
      { name: 'b', projected: { sources: [{ secret: { name: 'projected' } }] } },
      { name: 'c', csi: { driver: 'd', nodePublishSecretRef: {} } },
      { name: 'e', csi: { driver: 'd', nodePublishSecretRef: { name: 'node' } } },
      { name: 'f', azureFile: { secretName: 'share', shareName: 's' } },
      { name: 'd', cephfs: { monitors: [], secretRef: { name: 'driver' } } },
    ];
    const pod = { metadata: {}, spec: { volumes, containers: [container], imagePullSecrets: [{ name: 'images' }] } } as Pod;
    expect(secretsOf(pod)).to.have.members(['volume', 'projected', 'node', 'share', 'driver', 'variable', 'all', 'images']);
  });
});

describe('controllers/legacytokencleaner/tokenCleaner', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld({ flags: ['--legacy-service-account-token-clean-up-period=720h'] });
  });
  afterEach(() => world.stop());
  const start = () => world.start(entryOf('legacy-serviceaccount-token-cleaner-controller').make);
  const seed = (given: Secret, day = '2025-01-01') => {
    world.api.seed(configMaps, {
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since: day },
    });
    world.api.seed(serviceAccounts, account);
    return world.api.seed(secrets, given)[0]?.metadata.resourceVersion ?? '';
  };

  it('marks what is not used, on the version that it saw, and deletes it after the same time again', async () => {
    const resourceVersion = seed(secret());
    await start();
    expect(await world.writes()).to.deep.equal([
      {
        verb: 'patch',
        type: 'secrets',
        key: 'n/s',
        patchType: 'application/merge-patch+json',
        body: { metadata: { uid: 'us', resourceVersion, labels: invalid('2026-01-01') } },
      },
    ]);
    await world.advance(30 * dayMs);
    expect(await world.writes()).to.deep.equal([]);
    const marked = world.api.peek(secrets, 'n/s')?.metadata.resourceVersion ?? '';
    await world.advance(dayMs);
    expect(await world.writes()).to.deep.equal([
      { verb: 'delete', type: 'secrets', key: 'n/s', options: { preconditions: { uid: 'us', resourceVersion: marked } } },
    ]);
  });

  it('leaves a secret alone that is used in the same moment', async () => {
    seed(secret(invalid('2025-01-02')));
    world.api.before = ({ verb }) => {
      if (verb === 'delete')
        world.api.change(secrets, 'n/s', (each) => ({ ...each, metadata: { ...each.metadata, labels: used('2026-01-01') } }));
    };
    await start();
    expect([world.api.peek(secrets, 'n/s')?.metadata.labels, world.errors]).to.deep.equal([used('2026-01-01'), []]);
  });

  it('does nothing before uses have been noted for the whole period, or when it cannot find out', async () => {
    seed(secret(), '2025-12-20');
    await start();
    expect(await world.writes()).to.deep.equal([]);
    world.api.before = ({ verb, type }) => {
      if (verb === 'get' && type === 'configmaps') throw refusal(500, 'InternalError', 'broken');
    };
    await world.advance(60 * dayMs);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.errors[0]).to.include('cannot find out since when uses of tokens are noted: broken');
  });

  it('keeps what a pod mounts', async () => {
    seed(secret());
    world.api.seed(pods, { metadata: { name: 'p', namespace: 'n' }, spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } });
    await start();
    expect(await world.writes()).to.deep.equal([]);
  });
});
