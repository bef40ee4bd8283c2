import { expect } from 'chai';
import { microTimeText, timeOf } from '../../../api/time.js';
import { leaseCandidates, type LeaseCandidate } from '../../../api/types/coordination/v1beta1.js';
import { ConnectionError } from '../../../controllers/client/errors.js';
import { Candidacy } from '../../../controllers/leaseCandidate.js';
import { FakeClock, settle } from '../../fixtures/fakeClock.js';
import { MemoryApi } from '../../fixtures/memoryApi.js';

const key = 'kube-system/host_1';

describe('controllers/leaseCandidate', () => {
  let clock: FakeClock;
  let api: MemoryApi;
  let stopping: AbortController;
  let over: Promise<void>;
  const problems: unknown[] = [];
  beforeEach(() => {
    clock = new FakeClock();
    api = new MemoryApi({ clock });
    stopping = new AbortController();
    problems.length = 0;
  });
  afterEach(async () => {
    stopping.abort();
    await settle();
    await over;
  });

  async function start(): Promise<Candidacy> {
    const candidacy = new Candidacy({
      api,
      clock,
      random: () => 0,
      namespace: 'kube-system',
      identity: 'host_1',
      leaseName: 'kube-controller-manager',
      binaryVersion: '1.36.0',
      emulationVersion: '1.35.0',
      onError: (error) => problems.push(error),
    });
    over = candidacy.run(stopping.signal);
    await clock.advance(0);
    return candidacy;
  }
  const spec = (): LeaseCandidate['spec'] | undefined => api.peek(leaseCandidates, key)?.spec;

  it('names itself with its versions', async () => {
    const candidacy = await start();
    expect(spec()).to.deep.equal({
      leaseName: 'kube-controller-manager',
      binaryVersion: '1.36.0',
      emulationVersion: '1.35.0',
      strategy: 'OldestEmulationVersion',
      renewTime: '2026-01-01T00:00:00.000000Z',
    });
    expect([candidacy.hasSynced, problems]).to.deep.equal([true, []]);
  });

  it('renews what it finds of an earlier time, and leaves the rest as it is', async () => {
    const old = { leaseName: 'kube-controller-manager', binaryVersion: '1.36.0', strategy: 'Other', renewTime: microTimeText(0) };
    api.seed(leaseCandidates, { metadata: { namespace: 'kube-system', name: 'host_1' }, spec: old });
    await start();
    expect(spec()).to.deep.equal({ ...old, renewTime: '2026-01-01T00:00:00.000000Z' });
  });

  it('answers at once when it is asked whether it is there, and only once', async () => {
    await start();
    await clock.advance(1_500);
    api.takeWrites();
    api.change(leaseCandidates, key, (each) => ({ ...each, spec: { ...each.spec, pingTime: microTimeText(clock.now()) } }));
    await clock.advance(1);
    expect(timeOf(spec()?.renewTime)).to.be.at.least(timeOf(spec()?.pingTime));
    await clock.advance(60_000);
    expect(api.takeWrites().map(({ verb }) => verb)).to.deep.equal(['update']);
  });

  it('renews every five minutes without being asked', async () => {
    await start();
    await clock.advance(2 * 5 * 60_000);
    expect(spec()?.renewTime).to.equal('2026-01-01T00:10:00.000000Z');
  });

  it('comes back when somebody clears it away', async () => {
    await start();
    api.evaporate(leaseCandidates, key);
    await clock.advance(1);
    expect(spec()?.leaseName).to.equal('kube-controller-manager');
  });

  it('tries again what has failed', async () => {
    let failures = 3;
    api.before = ({ verb }) => {
      if (verb === 'create' && failures-- > 0) throw new ConnectionError('no answer', false);
    };
    await start();
    expect(spec()).to.equal(undefined);
    await clock.advance(60_000);
    expect([spec()?.leaseName, problems.length]).to.deep.equal(['kube-controller-manager', 3]);
  });
});
