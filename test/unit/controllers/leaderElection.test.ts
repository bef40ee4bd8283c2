import { expect } from 'chai';
import { pause } from '../../../controllers/client/clock.js';
import { ConnectionError } from '../../../controllers/client/errors.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { timeOf } from '../../../api/time.js';
import { LeaderElector, leases, type Lease } from '../../../controllers/leaderElection.js';
import { FakeClock, settle } from '../../fixtures/fakeClock.js';
import { MemoryApi } from '../../fixtures/memoryApi.js';

const leaseMs = 15_000;
const deadlineMs = 10_000;
const retryMs = 2_000;
const requestMs = 5_000;
const key = 'kube-system/m';

/** A candidate with its own clock and log. */
class Candidate {
  readonly stopping = new AbortController();
  readonly elector: LeaderElector;
  readonly events: string[] = [];
  readonly seen: string[] = [];
  leading = false;
  /** Start and end of its work, by its own clock. */
  readonly worked: { from: number; to: number | null }[] = [];
  result: string | null = null;
  /** Requests get no answer, as in a partition. */
  cut = false;
  /** How long its work takes to stop. */
  lingerMs = 0;

  constructor(
    readonly name: string,
    world: MemoryApi,
    readonly clock: FakeClock,
    isCoordinated = false,
    api = world.as(name),
  ) {
    api.before = async () => {
      if (!this.cut) return;
      await pause(clock, requestMs);
      throw new ConnectionError('no answer', false);
    };
    const tell = (_: KubeObject, reason: string, message: string): void => {
      this.events.push(`${reason}: ${message}`);
    };
    this.elector = new LeaderElector({
      api,
      clock,
      random: () => 0,
      identity: name,
      namespace: 'kube-system',
      name: 'm',
      leaseDurationMs: leaseMs,
      renewDeadlineMs: deadlineMs,
      retryPeriodMs: retryMs,
      isCoordinated,
      events: { normal: tell, warning: tell },
      onNewLeader: (holder) => this.seen.push(holder),
    });
  }

  start(): this {
    void this.elector
      .run((signal) => this.#work(signal), this.stopping.signal)
      .then((result) => {
        this.result = result;
      });
    return this;
  }

  async #work(signal: AbortSignal): Promise<void> {
    const stint = { from: this.clock.elapsed(), to: null as number | null };
    this.worked.push(stint);
    this.leading = true;
    await pause(this.clock, Number.MAX_SAFE_INTEGER, signal);
    if (this.lingerMs > 0) await pause(this.clock, this.lingerMs);
    this.leading = false;
    stint.to = this.clock.elapsed();
  }
}

function world(): { clock: FakeClock; api: MemoryApi; candidate: (name: string, clock?: FakeClock) => Candidate } {
  const clock = new FakeClock();
  const api = new MemoryApi({ clock });
  return { clock, api, candidate: (name, own = clock) => new Candidate(name, api, own) };
}

describe('controllers/leaderElection', () => {
  it('creates the lease, leads, renews it every period, and says so', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(0);
    expect(a.leading).to.equal(true);
    expect(api.peek(leases, key)?.spec).to.deep.equal({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await clock.advance(3 * retryMs);
    expect(api.takeWrites().map(({ verb }) => verb)).to.deep.equal(['create', 'update', 'update', 'update']);
    expect(api.peek(leases, key)?.spec).to.include({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:06.000000Z',
      leaseTransitions: 0,
    });
    expect(a.events).to.deep.equal(['LeaderElection: a became leader']);
    a.stopping.abort();
    await settle();
    expect(a.result).to.equal('stopped');
  });

  describe('where a server elects', () => {
    const given = (to: string, rest: Partial<NonNullable<Lease['spec']>> = {}): Lease => ({
      metadata: { namespace: 'kube-system', name: 'm' },
      spec: { holderIdentity: to, leaseDurationSeconds: 5, renewTime: '2026-01-01T00:00:00.000000Z', ...rest },
    });

    it("takes no lease that is not there, is free, is over, or is another one's", async () => {
      const { clock, api } = world();
      const a = new Candidate('a', api, clock, true).start();
      for (const lease of [null, given(''), given('b'), given('a')]) {
        if (lease !== null) api.seed(leases, lease);
        // A lease given to it expires first: requests get no answer until then.
        a.cut = lease?.spec?.holderIdentity === 'a';
        await clock.advance(2 * leaseMs);
        expect([a.leading, api.takeWrites()], JSON.stringify(lease)).to.deep.equal([false, []]);
      }
      a.stopping.abort();
      await clock.advance(requestMs);
    });

    it('leads when the lease is given to it, and makes it as long as its own leases', async () => {
      const { clock, api } = world();
      const a = new Candidate('a', api, clock, true).start();
      await clock.advance(0);
      api.seed(leases, { ...given('a'), spec: { ...given('a').spec, strategy: 'OldestEmulationVersion' } } as Lease);
      await clock.advance(3 * leaseMs);
      expect(a.leading).to.equal(true);
      expect(api.peek(leases, key)?.spec).to.include({ holderIdentity: 'a', leaseDurationSeconds: 15, strategy: 'OldestEmulationVersion' });
      a.stopping.abort();
      await settle();
      expect(a.result).to.equal('stopped');
    });

    it('lets go of the lease at once when another is preferred, after its work is over', async () => {
      const { clock, api } = world();
      api.seed(leases, given('a'));
      const a = new Candidate('a', api, clock, true).start();
      await clock.advance(0);
      api.change(leases, key, (lease) => ({ ...lease, spec: { ...lease.spec, preferredHolder: 'b' } }));
      await clock.advance(retryMs);
      expect([a.leading, a.result]).to.deep.equal([false, 'lost']);
      expect(api.peek(leases, key)?.spec).to.include({ holderIdentity: '', leaseDurationSeconds: 1 });
    });
  });

  it('keeps others waiting while the lease moves, and tells them who leads', async () => {
    const { clock, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(0);
    const b = candidate('b').start();
    await clock.advance(10 * leaseMs);
    expect([a.leading, b.leading, b.seen]).to.deep.equal([true, false, ['a']]);
    a.stopping.abort();
    b.stopping.abort();
    await settle();
  });

  it('waits by looks at whatever version a server has, and takes nothing that only an old one says is over', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(0);
    const seen = new MemoryApi({ clock });
    seen.seed(leases, api.peek(leases, key)!);
    const looks: string[] = [];
    const behind = api.as('b');
    const newest = behind.get.bind(behind);
    behind.get = (type, object, { resourceVersion = '' } = {}) => {
      looks.push(resourceVersion);
      return resourceVersion === '0' ? seen.get(type, object) : newest(type, object);
    };
    const b = new Candidate('b', api, clock, false, behind).start();
    await clock.advance(leaseMs - 1);
    expect(looks[0]).to.equal('');
    expect(new Set(looks.slice(1))).to.deep.equal(new Set(['0']));
    api.takeWrites();
    await clock.advance(4 * leaseMs);
    expect([a.leading, b.leading]).to.deep.equal([true, false]);
    expect(new Set(looks.slice(1))).to.deep.equal(new Set(['0', '']));
    expect(new Set(api.takeWrites().map(({ user }) => user))).to.deep.equal(new Set(['a']));
    a.stopping.abort();
    b.stopping.abort();
    await settle();
  });

  it('gives the lease back at a clean stop, after its work is over, and the next takes it within one retry period', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(0);
    const b = candidate('b').start();
    await clock.advance(3_500);
    a.lingerMs = 1_200;
    a.stopping.abort();
    await clock.advance(1_100);
    expect(api.peek(leases, key)?.spec?.holderIdentity).to.equal('a');
    await clock.advance(100);
    expect(api.peek(leases, key)?.spec).to.include({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await clock.advance(retryMs);
    expect([a.result, a.leading, b.leading]).to.deep.equal(['stopped', false, true]);
    expect(api.peek(leases, key)?.spec).to.include({ holderIdentity: 'b', leaseTransitions: 1 });
    b.stopping.abort();
    await settle();
  });

  it('keeps the lease to the end where it is not to be given back', async () => {
    const { clock, api } = world();
    const elector = new LeaderElector({
      api,
      clock,
      random: () => 0,
      identity: 'a',
      namespace: 'kube-system',
      name: 'm',
      leaseDurationMs: leaseMs,
      renewDeadlineMs: deadlineMs,
      retryPeriodMs: retryMs,
      givesBack: false,
    });
    const stopping = new AbortController();
    const run = elector.run(() => Promise.resolve(), stopping.signal);
    await clock.advance(retryMs);
    expect(await run).to.equal('stopped');
    expect(api.peek(leases, key)?.spec).to.include({ holderIdentity: 'a' });
  });

  it('takes over from a leader that is gone, once the lease has not moved for its whole duration', async () => {
    const { clock, api, candidate } = world();
    api.seed(leases, {
      metadata: { namespace: 'kube-system', name: 'm' },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, leaseTransitions: 4 },
    });
    const b = candidate('b').start();
    await clock.advance(leaseMs - 1);
    expect(b.leading).to.equal(false);
    await clock.advance(retryMs);
    expect(b.leading).to.equal(true);
    expect(api.peek(leases, key)?.spec).to.include({ holderIdentity: 'b', leaseTransitions: 5 });
    b.stopping.abort();
    await settle();
  });

  it('judges by its own observation, whatever the times in the lease say', async () => {
    for (const renewTime of ['1999-01-01T00:00:00.000000Z', '2099-01-01T00:00:00.000000Z']) {
      const { clock, api, candidate } = world();
      api.seed(leases, {
        metadata: { namespace: 'kube-system', name: 'm' },
        spec: { holderIdentity: 'skewed', leaseDurationSeconds: 15, renewTime },
      });
      const b = candidate('b').start();
      // The holder renews with a wrong clock: each change counts from its observation.
      for (let count = 0; count < 5; count++) {
        await clock.advance(10_000);
        api.change(leases, key, (lease) => ({ ...lease, metadata: { ...lease.metadata, annotations: { count: String(count) } } }));
      }
      expect(b.leading, renewTime).to.equal(false);
      await clock.advance(leaseMs + 2 * retryMs);
      expect(b.leading, renewTime).to.equal(true);
      b.stopping.abort();
      await settle();
    }
  });

  it('bears that its own clock is set back', async () => {
    const { clock, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(5_000);
    clock.setBack(3_600_000);
    await clock.advance(60_000);
    expect([a.leading, a.elector.mayAct]).to.deep.equal([true, true]);
    a.stopping.abort();
    await settle();
  });

  it('lets one of two candidates win that try at the same moment', async () => {
    const { clock, candidate } = world();
    const both = [candidate('a').start(), candidate('b').start()];
    await clock.advance(60_000);
    expect(both.filter(({ leading }) => leading)).to.have.length(1);
    for (const { stopping } of both) stopping.abort();
    await clock.advance(10_000);
  });

  it('gives up on the deadline, and its work is over before anyone else can begin', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(0);
    const b = candidate('b').start();
    await clock.advance(60_000);
    const lastRenewal = timeOf(api.peek(leases, key)?.spec?.renewTime) - Date.UTC(2026, 0, 1);
    a.cut = true;
    await clock.advance(60_000);
    expect(a.result).to.equal('lost');
    expect(a.events).to.deep.equal(['LeaderElection: a became leader', 'LeaderElection: a stopped leading']);
    const end = a.worked[0]?.to ?? Infinity;
    expect(end).to.equal(lastRenewal + deadlineMs);
    expect(b.leading).to.equal(true);
    expect(b.worked[0]?.from).to.be.at.least(lastRenewal + leaseMs);
    b.stopping.abort();
    await settle();
  });

  it('bears failures that are shorter than the deadline', async () => {
    const { clock, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(10_000);
    a.cut = true;
    await clock.advance(4_000);
    a.cut = false;
    await clock.advance(30_000);
    expect([a.leading, a.elector.mayAct, a.worked.length]).to.deep.equal([true, true, 1]);
    a.stopping.abort();
    await settle();
  });

  it('may not act from the moment on at which the deadline is over, although nothing has notified it yet', async () => {
    const { clock, api, candidate } = world();
    const own = new FakeClock();
    const a = candidate('a', own).start();
    await own.advance(0);
    const b = candidate('b').start();
    expect(a.elector.mayAct).to.equal(true);
    // As with SIGSTOP: time jumps for `a`, which runs nothing.
    await clock.advance(30_000);
    expect(b.leading).to.equal(true);
    api.takeWrites();
    const leap = own.leap(30_000);
    expect(a.elector.mayAct).to.equal(false);
    await leap;
    await own.advance(20_000);
    expect(a.result).to.equal('lost');
    expect(api.takeWrites().filter(({ user }) => user === 'a')).to.deep.equal([]);
    expect(api.peek(leases, key)?.spec?.holderIdentity).to.equal('b');
    b.stopping.abort();
    await settle();
  });

  it('does not take a lease back that it gave away, with an attempt that was still under way', async () => {
    const { clock, api, candidate } = world();
    const a = candidate('a').start();
    await clock.advance(60_000);
    a.cut = true;
    await clock.advance(1_000 + deadlineMs);
    a.cut = false;
    await clock.advance(60_000);
    expect(a.result).to.equal('lost');
    expect(api.peek(leases, key)?.spec?.holderIdentity).to.equal('');
  });

  it('stops when its work ends by itself', async () => {
    const { clock, api } = world();
    const elector = new LeaderElector({
      api,
      clock,
      random: () => 0,
      identity: 'a',
      namespace: 'kube-system',
      name: 'm',
      leaseDurationMs: leaseMs,
      renewDeadlineMs: deadlineMs,
      retryPeriodMs: retryMs,
    });
    const result = elector.run(() => Promise.resolve(), new AbortController().signal);
    await settle();
    expect(await result).to.equal('stopped');
    expect(api.peek(leases, key)?.spec?.holderIdentity).to.equal('');
  });
});
