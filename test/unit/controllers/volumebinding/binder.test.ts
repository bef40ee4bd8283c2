import fs from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
} from '../../../../api/types/core/v1.js';
import { type StorageClass, storageClasses } from '../../../../api/types/storage/v1.js';
import { bestVolume, isFor } from '../../../../controllers/volumebinding/claims.js';
import { claimStep, unboundVolume, volumeStep, type ClaimContext } from '../../../../controllers/volumebinding/plan.js';
import { provisionerOf } from '../../../../controllers/volumebinding/provisioners.js';
import { defaultTemplate, recyclerPod } from '../../../../controllers/volumebinding/recycling.js';
import { entryOf } from '../../../fixtures/accountRights.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const volume = (
  name: string,
  storage = '1Gi',
  more: Partial<PersistentVolume['spec'] & object> = {},
  phase = 'Available',
): PersistentVolume => ({
  metadata: { name, uid: `uid-of-${name}` },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], storageClassName: 'c', persistentVolumeReclaimPolicy: 'Retain', ...more },
  status: { phase },
});
const claim = (name = 'a', storage = '1Gi', more: Partial<PersistentVolumeClaim['spec'] & object> = {}): PersistentVolumeClaim => ({
  metadata: { name, namespace: 'n', uid: `uid-of-${name}` },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'c', resources: { requests: { storage } }, ...more },
  status: { phase: 'Pending' },
});
const reference = (name: string, uid = `uid-of-${name}`): object => ({
  kind: 'PersistentVolumeClaim',
  namespace: 'n',
  name,
  ...(uid ? { uid } : {}),
});

describe('the volume for a claim', () => {
  const best = (wanted: PersistentVolumeClaim, volumes: readonly PersistentVolume[], waits = false): string | undefined =>
    bestVolume(wanted, volumes, waits)?.metadata.name;
  const cases: readonly (readonly [string, PersistentVolumeClaim, readonly PersistentVolume[], string | undefined])[] = [
    ['is the smallest that fits', claim(), [volume('big', '5Gi'), volume('fit', '2Gi'), volume('small', '500Mi')], 'fit'],
    ['offers what the claim asks for', claim('a', '1Gi', { accessModes: ['ReadOnlyMany'] }), [volume('v')], undefined],
    [
      'offers as little more as can be',
      claim(),
      [volume('wide', '1Gi', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }), volume('narrow', '2Gi')],
      'narrow',
    ],
    ['is of its class', claim(), [volume('v', '1Gi', { storageClassName: 'd' })], undefined],
    ['is of its mode', claim('a', '1Gi', { volumeMode: 'Block' }), [volume('v'), volume('b', '2Gi', { volumeMode: 'Block' })], 'b'],
    ['has its labels', claim('a', '1Gi', { selector: { matchLabels: { x: 'y' } } }), [volume('v')], undefined],
    ['is free', claim(), [volume('v', '1Gi', { claimRef: reference('b') }), volume('w', '1Gi', {}, 'Released')], undefined],
    ['may be set aside by name', claim(), [volume('v'), volume('w', '3Gi', { claimRef: reference('a', '') })], 'w'],
    ['is not one for another claim of the name', claim(), [volume('w', '3Gi', { claimRef: reference('a', 'other') })], undefined],
    ['is not on its way out', claim(), [{ ...volume('v'), metadata: { name: 'v', deletionTimestamp: '2026-01-01T00:00:00Z' } }], undefined],
  ];
  for (const [what, wanted, volumes, name] of cases) it(what, () => expect(best(wanted, volumes)).to.equal(name));
  it('is only one set aside while the first pod is awaited', () => {
    expect(best(claim(), [volume('v')], true)).to.equal(undefined);
    expect(best(claim(), [volume('v', '1Gi', { claimRef: reference('a', '') })], true)).to.equal('v');
  });
});

describe('what becomes of a claim', () => {
  const later: StorageClass = { metadata: { name: 'c' }, provisioner: 'example.com/p', volumeBindingMode: 'WaitForFirstConsumer' };
  const around = (more: Partial<ClaimContext> = {}): ClaimContext => ({
    volumes: [],
    volume: () => undefined,
    class: undefined,
    defaultClass: null,
    pods: [],
    dynamic: true,
    hostPath: false,
    ...more,
  });
  const step = (wanted: PersistentVolumeClaim, more: Partial<ClaimContext> = {}): string => {
    const result = claimStep(wanted, around(more));
    const why = 'event' in result ? (result.event?.reason ?? '') : '';
    return `${result.do} ${result.do === 'bind' ? result.volume.metadata.name : why}`.trim();
  };
  const bound = claim('a', '1Gi', { volumeName: 'v' });
  const completed = { ...bound, metadata: { ...bound.metadata, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } };
  const selected = { ...claim(), metadata: { ...claim().metadata, annotations: { 'volume.kubernetes.io/selected-node': 'n1' } } };
  const named = (found: PersistentVolume): Partial<ClaimContext> => ({ volume: () => found });
  const leaving = { ...volume('v'), metadata: { name: 'v', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const classless: PersistentVolumeClaim = { ...claim(), spec: { accessModes: ['ReadWriteOnce'] } };
  const pod: Pod = { metadata: { name: 'p', namespace: 'n' }, spec: {} };
  const cases: readonly (readonly [string, string, string])[] = [
    ['no class at all', step(claim('a', '1Gi', { storageClassName: '' })), 'wait FailedBinding'],
    ['a class that is not there', step(claim()), 'wait ProvisioningFailed'],
    ['a provisioner', step(claim(), { class: { ...later, volumeBindingMode: 'Immediate' } }), 'ask ExternalProvisioning'],
    ['provisioning switched off', step(claim(), { class: { ...later, volumeBindingMode: 'Immediate' }, dynamic: false }), 'wait'],
    [
      'nobody who provisions',
      step(selected, { class: { ...later, provisioner: 'kubernetes.io/no-provisioner' } }),
      'wait ProvisioningFailed',
    ],
    ['the first pod is awaited', step(claim(), { class: later, volumes: [volume('v')] }), 'wait WaitForFirstConsumer'],
    ['its pod waits for a node', step(claim(), { class: later, pods: [pod] }), 'wait WaitForPodScheduled'],
    ['its pod has a node', step(selected, { class: later }), 'ask ExternalProvisioning'],
    [
      'a volume is free that the scheduler did not choose',
      step(selected, { class: later, volumes: [volume('v')] }),
      'ask ExternalProvisioning',
    ],
    [
      'only pods with a node name it',
      step(claim(), { class: later, pods: [{ ...pod, spec: { nodeName: 'x' } }] }),
      'wait WaitForFirstConsumer',
    ],
    ['a volume fits', step(claim(), { volumes: [volume('v')] }), 'bind v'],
    ['it names one that is not there', step(bound), 'wait'],
    ['it names a free one', step(bound, named(volume('v'))), 'bind v'],
    ['it names one too small', step(bound, named(volume('v', '1Mi'))), 'wait VolumeMismatch'],
    ['it names that of another', step(bound, named(volume('v', '1Gi', { claimRef: reference('b') }))), 'wait FailedBinding'],
    ['its volume goes', step(bound, named(leaving)), 'wait VolumeMismatch'],
    ['a default class came later', step(classless, { defaultClass: later }), 'assign'],
    ['it wants no class', step(claim('a', '1Gi', { storageClassName: '' }), { defaultClass: later }), 'wait FailedBinding'],
    ['it is bound', step(completed, named(volume('v', '1Gi', { claimRef: reference('a') }))), 'bind v'],
    ['its volume is gone', step(completed), 'lose ClaimLost'],
    ['its volume is that of another', step(completed, named(volume('v', '1Gi', { claimRef: reference('b') }))), 'lose ClaimMisbound'],
  ];
  for (const [what, got, wanted] of cases) it(`when ${what}`, () => expect(got).to.equal(wanted));
  it('is reported with the pods that wait', () => {
    const both = claimStep(claim(), around({ class: later, pods: [{ ...pod, metadata: { name: 'q', namespace: 'n' } }, pod] }));
    expect(both).to.have.nested.property('event.message', 'waiting for pods p,q to be scheduled');
  });
});

describe('what becomes of a volume', () => {
  const of = (found: PersistentVolumeClaim | null, more: object = {}, annotations: Readonly<Record<string, string>> = {}): string => {
    const base = volume('v', '1Gi', { claimRef: reference('a'), ...more });
    return volumeStep({ ...base, metadata: { ...base.metadata, annotations } }, found).do;
  };
  it('depends on its claim', () => {
    expect(volumeStep(volume('v'), null).do).to.equal('free');
    expect(of(null, { claimRef: reference('a', '') })).to.equal('free');
    expect(of(null)).to.equal('release');
    expect(of({ ...claim(), metadata: { ...claim().metadata, uid: 'new' } })).to.equal('release');
    expect(of(claim())).to.equal('ask claim');
    expect(of(claim('a', '1Gi', { volumeName: 'v' }))).to.equal('keep');
    expect(of(claim('a', '1Gi', { volumeName: 'w' }))).to.equal('unbind');
    const made = { 'pv.kubernetes.io/provisioned-by': 'p' };
    expect(of(claim('a', '1Gi', { volumeName: 'w' }), { persistentVolumeReclaimPolicy: 'Delete' }, made)).to.equal('release');
  });
  it('stays set aside for whom somebody set it aside', () => {
    expect(unboundVolume(volume('v', '1Gi', { claimRef: reference('a') })).spec?.claimRef).to.deep.equal(reference('a', ''));
    const base = volume('v', '1Gi', { claimRef: reference('a') });
    const own = { ...base, metadata: { ...base.metadata, annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes', x: 'y' } } };
    expect(unboundVolume(own)).to.deep.include({ metadata: { ...base.metadata, annotations: { x: 'y' } } });
    expect(unboundVolume(own).spec?.claimRef).to.equal(undefined);
  });
  it('that was built in once is made by its successor', () => {
    expect(provisionerOf('kubernetes.io/aws-ebs', false)).to.equal('ebs.csi.aws.com');
    expect(provisionerOf('kubernetes.io/host-path', false)).to.equal(null);
    expect(provisionerOf('kubernetes.io/host-path', true)).to.equal('here');
  });
  it('is emptied in time that grows with it', () => {
    const seconds = (storage: string): number | undefined =>
      recyclerPod(volume('v', storage, { nfs: { server: 's', path: '/p' } }), defaultTemplate, { leastSeconds: 60, secondsPerGi: 30 }).spec
        ?.activeDeadlineSeconds;
    expect([seconds('1Gi'), seconds('10Gi')]).to.deep.equal([60, 300]);
  });
});

describe('the volume binder', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());
  const started = (on = world): Promise<void> => on.start(entryOf('persistentvolume-binder-controller').make);
  const volumeNow = (name = 'v'): PersistentVolume | undefined => world.api.peek(persistentVolumes, name);
  const claimNow = (name = 'a'): PersistentVolumeClaim | undefined => world.api.peek(persistentVolumeClaims, `n/${name}`);

  it('binds both sides, and releases the volume when the claim goes', async () => {
    world.api.seed(persistentVolumes, volume('v', '2Gi', {}, 'Pending'));
    world.api.seed(persistentVolumeClaims, claim());
    await started();
    await world.advance(1_000);
    expect(volumeNow()?.status?.phase).to.equal('Bound');
    expect(volumeNow()?.spec?.claimRef).to.include({ kind: 'PersistentVolumeClaim', name: 'a', namespace: 'n', uid: 'uid-of-a' });
    expect(claimNow()?.status).to.deep.equal({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } });
    expect(claimNow()?.metadata.annotations).to.deep.equal({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    world.api.evaporate(persistentVolumeClaims, 'n/a');
    await world.advance(1_000);
    expect(volumeNow()?.status?.phase).to.equal('Released');
    expect(world.errors).to.deep.equal([]);
  });

  it('asks the server before it takes a claim for gone', async () => {
    world.api.seed(persistentVolumes, volume('v', '1Gi', { claimRef: reference('a') }, 'Bound'));
    await started();
    await world.advance(1_000);
    expect(volumeNow()?.status?.phase).to.equal('Released');
    world.api.seed(persistentVolumes, volume('w', '1Gi', { claimRef: reference('b') }, 'Bound'));
    world.api.before = ({ verb, type }) => {
      if (verb === 'get' && type === 'persistentvolumeclaims' && !claimNow('b'))
        world.api.seed(persistentVolumeClaims, claim('b', '1Gi', { volumeName: 'w' }));
    };
    await world.advance(1_000);
    expect(volumeNow('w')?.status?.phase).to.equal('Bound');
  });

  it('asks a provisioner once a node is chosen, and leaves the volume to whom it belongs', async () => {
    world.api.seed(storageClasses, { metadata: { name: 'c' }, provisioner: 'example.com/p', volumeBindingMode: 'WaitForFirstConsumer' });
    world.api.seed(persistentVolumeClaims, claim());
    await started();
    expect(world.events[0]).to.equal('Normal WaitForFirstConsumer n/a: waiting for first consumer to be created before binding');
    world.api.change(persistentVolumeClaims, 'n/a', (before) => ({
      ...before,
      metadata: { ...before.metadata, annotations: { 'volume.kubernetes.io/selected-node': 'n1' } },
    }));
    await world.advance(1_000);
    expect(claimNow()?.metadata.annotations).to.include({
      'volume.kubernetes.io/storage-provisioner': 'example.com/p',
      'volume.beta.kubernetes.io/storage-provisioner': 'example.com/p',
    });
    const made = volume('pvc', '1Gi', { claimRef: reference('a'), persistentVolumeReclaimPolicy: 'Delete' });
    world.api.seed(persistentVolumes, {
      ...made,
      metadata: { ...made.metadata, annotations: { 'pv.kubernetes.io/provisioned-by': 'example.com/p' } },
    });
    await world.advance(1_000);
    expect(claimNow()?.spec?.volumeName).to.equal('pvc');
    world.api.evaporate(persistentVolumeClaims, 'n/a');
    await world.advance(1_000);
    expect(volumeNow('pvc')?.status?.phase).to.equal('Released');
  });

  it('says that it cannot delete what nobody made', async () => {
    world.api.seed(
      persistentVolumes,
      volume('v', '1Gi', { claimRef: reference('a'), persistentVolumeReclaimPolicy: 'Delete', csi: { driver: 'd', volumeHandle: 'h' } }),
    );
    await started();
    await world.advance(1_000);
    expect(volumeNow()?.status?.phase).to.equal('Failed');
    expect(world.events[0]).to.contain('Warning VolumeFailedDelete v');
  });

  it('makes and removes directories where it is told to', async () => {
    await world.stop();
    world = controllerWorld({ flags: ['--enable-hostpath-provisioner'] });
    world.api.seed(storageClasses, { metadata: { name: 'c' }, provisioner: 'kubernetes.io/host-path', reclaimPolicy: 'Delete' });
    world.api.seed(persistentVolumeClaims, claim());
    await started();
    // The platform creates directories independently of the fake clock.
    while (claimNow()?.status?.phase !== 'Bound') await world.advance(100);
    const directory = volumeNow('pvc-uid-of-a')?.spec?.hostPath?.path ?? '';
    expect(fs.existsSync(directory)).to.equal(true);
    world.api.evaporate(persistentVolumeClaims, 'n/a');
    while (volumeNow('pvc-uid-of-a')) await world.advance(100);
    expect(volumeNow('pvc-uid-of-a')).to.equal(undefined);
    expect(fs.existsSync(directory)).to.equal(false);
  });

  it('empties a volume with a pod, and gives it back', async () => {
    world.api.seed(
      persistentVolumes,
      volume('v', '1Gi', { claimRef: reference('a'), persistentVolumeReclaimPolicy: 'Recycle', nfs: { server: 's', path: '/p' } }),
    );
    await started();
    await world.advance(1_000);
    expect(world.api.peek(pods, 'default/recycler-for-v')?.spec?.volumes).to.deep.equal([
      { name: 'vol', nfs: { server: 's', path: '/p' } },
    ]);
    world.api.change(pods, 'default/recycler-for-v', (pod) => ({ ...pod, status: { phase: 'Succeeded' } }));
    await world.advance(1_000);
    expect(volumeNow()?.spec?.claimRef).to.equal(undefined);
    expect(volumeNow()?.status?.phase).to.equal('Available');
    expect(world.api.peek(pods, 'default/recycler-for-v')).to.equal(undefined);
  });

  it('agrees with a small model, whatever comes and goes', async function () {
    const sizes = ['1Gi', '2Gi', '3Gi'];
    const step = fc.record({
      do: fc.constantFrom('volume', 'claim', 'drop claim', 'drop volume', 'free', 'wait'),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      size: fc.constantFrom(...sizes),
      class: fc.constantFrom('c', 'd'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const own = controllerWorld();
        let serial = 0;
        await started(own);
        for (const { do: what, name, size, class: storageClassName } of steps) {
          const uid = `uid-${++serial}-of-${name}`;
          if (what === 'volume' && !own.api.peek(persistentVolumes, name))
            own.api.seed(persistentVolumes, { ...volume(name, size, { storageClassName }, 'Pending'), metadata: { name, uid } });
          if (what === 'claim' && !own.api.peek(persistentVolumeClaims, `n/${name}`))
            own.api.seed(persistentVolumeClaims, { ...claim(name, size, { storageClassName }), metadata: { name, namespace: 'n', uid } });
          if (what === 'drop claim') own.api.evaporate(persistentVolumeClaims, `n/${name}`);
          if (what === 'drop volume') own.api.evaporate(persistentVolumes, name);
          if (what === 'free' && own.api.peek(persistentVolumes, name)?.status?.phase === 'Released')
            own.api.change(persistentVolumes, name, (before) => {
              const { claimRef: _, ...spec } = before.spec ?? {};
              return { ...before, spec };
            });
          if (what === 'wait') await own.advance(2_000);
        }
        await own.advance(40_000);
        const volumes = own.api.all(persistentVolumes);
        const claims = own.api.all(persistentVolumeClaims);
        for (const each of claims) {
          const { phase } = each.status ?? {};
          const held = volumes.find(({ metadata }) => metadata.name === each.spec?.volumeName);
          if (phase === 'Bound') {
            expect(held && isFor(held, each), 'a bound claim has a volume that is for it').to.equal(true);
            expect(held?.status?.phase).to.equal('Bound');
            expect(held?.spec?.storageClassName).to.equal(each.spec?.storageClassName);
            expect(sizes.indexOf(held?.spec?.capacity?.['storage'] ?? '')).to.be.at.least(
              sizes.indexOf(each.spec?.resources?.requests?.['storage'] ?? ''),
            );
          } else if (phase === 'Pending') expect(bestVolume(each, volumes, false), 'nothing that fits is left').to.equal(null);
          else expect(held === undefined || !isFor(held, each), 'a lost claim has lost its volume').to.equal(true);
        }
        for (const each of volumes) {
          const owner = claims.find(({ metadata }) => metadata.uid === each.spec?.claimRef?.uid);
          expect(each.status?.phase, each.metadata.name).to.equal(!each.spec?.claimRef ? 'Available' : owner ? 'Bound' : 'Released');
        }
        const taken = claims.filter(({ status }) => status?.phase === 'Bound').map(({ spec }) => spec?.volumeName);
        expect(new Set(taken).size, 'no volume is given twice').to.equal(taken.length);
        expect(own.errors).to.deep.equal([]);
        await own.stop();
      }),
      { numRuns: 60 },
    );
  });
});
