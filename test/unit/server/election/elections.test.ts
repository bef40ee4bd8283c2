import { expect } from 'chai';
import { microTimeText } from '../../../../api/time.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { Elections } from '../../../../server/election/elections.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { follow } from '../../../../server/storage/follow.js';
import { createSample, type Sample } from '../registry/sample.js';

const group = 'coordination.k8s.io';

describe('elections', () => {
  let sample: Sample;
  let elections: Elections;
  let now = Date.parse('2030-01-01T00:00:00Z');
  let leads = true;
  const problems: unknown[] = [];
  beforeEach(async () => {
    [leads, problems.length] = [true, 0];
    sample = await createSample({ features: { CoordinatedLeaderElection: true } });
    const { storage, registry } = sample;
    elections = new Elections({
      storage,
      registry,
      catalogue: createCatalogue({ serves: () => true }),
      leads: () => Promise.resolve(leads),
      now: () => now,
      report: (what, error) => problems.push(what, error),
    });
    elections.start();
  });
  afterEach(async () => {
    await elections.stop();
    expect(problems).to.deep.equal([]);
  });

  const candidate = (name: string, emulationVersion: string, renewedAt = now): JsonObject => ({
    apiVersion: `${group}/v1beta1`,
    kind: 'LeaseCandidate',
    metadata: { name },
    spec: {
      leaseName: 'scheduler',
      binaryVersion: '1.36.0',
      emulationVersion,
      strategy: 'OldestEmulationVersion',
      renewTime: microTimeText(renewedAt),
    },
  });
  /** The next state of an object that meets a condition. */
  const once = (resource: string, name: string, holds: (spec: JsonObject) => boolean): Promise<JsonObject> =>
    new Promise((resolve) => {
      const following = follow(
        sample.storage,
        { group, resource },
        {
          put: (object) => {
            const spec = (object.decode()['spec'] ?? {}) as JsonObject;
            if (object.name !== name || !holds(spec)) return;
            setImmediate(() => following.stop());
            resolve(spec);
          },
          remove: () => undefined,
        },
      );
    });
  const leaseWhere = (holds: (spec: JsonObject) => boolean): Promise<JsonObject> => once('leases', 'scheduler', holds);
  const lease = { apiVersion: `${group}/v1`, kind: 'Lease', metadata: { name: 'scheduler' } };
  const change = async (object: JsonObject, by: (spec: JsonObject) => void): Promise<void> => {
    await sample.update(object, (current: ApiObject) => {
      current['spec'] = { ...((current['spec'] ?? {}) as JsonObject) };
      by(current['spec'] as JsonObject);
    });
  };

  it('give the lease to the best candidate, and to the next one when it is let go', async () => {
    await sample.create(candidate('new', '1.36.0'));
    expect(await leaseWhere(({ holderIdentity }) => holderIdentity === 'new')).to.deep.include({
      strategy: 'OldestEmulationVersion',
      leaseDurationSeconds: 5,
      renewTime: microTimeText(now),
    });
    const better = sample.create(candidate('old', '1.35.0'));
    const asked = await leaseWhere(({ preferredHolder }) => preferredHolder === 'old');
    expect(asked['holderIdentity']).to.equal('new');
    await better;
    await change(lease, (spec) => {
      spec['holderIdentity'] = '';
    });
    expect(await leaseWhere(({ holderIdentity }) => holderIdentity === 'old')).to.not.have.property('preferredHolder');
  });

  it('make a lease without a holder where another party knows how to choose', async () => {
    const mine = candidate('any', '1.36.0');
    await sample.create({ ...mine, spec: { ...(mine['spec'] as JsonObject), strategy: 'example.com/mine' } });
    const made = await leaseWhere(() => true);
    expect(made).to.include({ strategy: 'example.com/mine' });
    expect(made).to.not.have.property('holderIdentity');
  });

  it('ask candidates that were not heard of lately, and elect those that answer', async () => {
    const quiet = candidate('quiet', '1.35.0', now - 60_000);
    await sample.create(quiet);
    const pinged = await once('leasecandidates', 'quiet', ({ pingTime }) => pingTime !== undefined);
    expect(pinged['pingTime']).to.equal(microTimeText(now));
    now += 1_000;
    await change(quiet, (spec) => {
      spec['renewTime'] = microTimeText(now);
    });
    expect(await leaseWhere(({ holderIdentity }) => holderIdentity === 'quiet')).to.have.property('leaseDurationSeconds', 5);
  });

  it('are held by one server, and sweep candidates away that are gone (leasecandidategc_controller.go)', async () => {
    const gone = candidate('gone', '1.35.0', now - 31 * 60_000);
    const removed = new Promise<string>((resolve) => {
      const following = follow(
        sample.storage,
        { group, resource: 'leasecandidates' },
        {
          put: () => undefined,
          remove: (_, name) => {
            setImmediate(() => following.stop());
            resolve(name);
          },
        },
      );
    });
    leads = false;
    await sample.create(candidate('here', '1.36.0'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(
      (await sample.storage.get({ resource: { group, resource: 'leases' }, namespace: 'default', name: 'scheduler' }, { at: 'any' }))
        .outcome,
    ).to.equal('absent');
    leads = true;
    await sample.create(gone);
    expect(await leaseWhere(({ holderIdentity }) => holderIdentity === 'here')).to.have.property('strategy');
    const place = { resource: { group, resource: 'leasecandidates' }, namespace: 'default', name: 'gone' };
    expect((await sample.storage.get(place, { at: 'mostRecent' })).outcome).to.equal('found');
    elections.sweep();
    expect(await removed).to.equal('gone');
  });

  it('are the feature without which leases have no strategy', async () => {
    const without = await createSample();
    const { spec } = await without.create({ ...lease, spec: { holderIdentity: 'me', strategy: 'OldestEmulationVersion' } });
    expect(spec).to.not.have.property('strategy');
    const kept = await sample.create({ ...lease, spec: { strategy: 'OldestEmulationVersion' } });
    expect(kept['spec']).to.have.property('strategy');
  });
});
