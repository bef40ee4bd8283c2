import { expect } from 'chai';
import fc from 'fast-check';
import { inodeOf } from '../../torture/cluster/socketOwner.js';
import { clocksOffMsMax } from '../../torture/cluster/tortureCluster.js';
import { dealKinds, planFaults } from '../../torture/faults/plan.js';
import { faultKinds, faultKindsOver } from '../../torture/faults/table.js';
import { outcomeOf } from '../../torture/traffic/outcome.js';

const hour = 3_600_000;

const faultsOfOwnStore = faultKindsOver('raft');

describe('torture/plan', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planFaults(7, hour)).to.deep.equal(planFaults(7, hour));
    expect(planFaults(7, hour)).to.not.deep.equal(planFaults(8, hour));
  });

  it('has every kind of fault in an hour, or only the kinds that are asked for', () => {
    expect(new Set(planFaults(1, hour).map(({ fault }) => fault.kind))).to.deep.equal(new Set(faultsOfOwnStore));
    expect(new Set(planFaults(1, hour, ['pause', 'kill']).map(({ fault }) => fault.kind))).to.deep.equal(new Set(['pause', 'kill']));
  });

  it('knows over which store each kind makes sense, and draws no other', () => {
    const overEtcd = faultKindsOver('etcd');
    expect(new Set([...faultsOfOwnStore, ...overEtcd])).to.deep.equal(new Set(faultKinds));
    expect(new Set(planFaults(1, hour, overEtcd).map(({ fault }) => fault.kind))).to.deep.equal(new Set(overEtcd));
    expect(overEtcd).to.include.members(['kill', 'etcdKill', 'etcdPause', 'etcdCompaction']).and.not.include('powerLoss');
    expect(faultsOfOwnStore).to.include('powerLoss').and.not.include('etcdKill');
  });

  it('deals all kinds out to the rounds of three minutes, each of which begins with its own', () => {
    for (let seed = 0; seed < 50; seed++) {
      const dealt = dealKinds(seed, 3);
      expect([...dealt.flat()].sort()).to.deep.equal([...faultsOfOwnStore].sort());
      const met = dealt.flatMap((first, round) =>
        planFaults(seed + round, 60_000, undefined, first)
          .slice(0, first.length)
          .map(({ fault }) => fault.kind),
      );
      expect(new Set(met)).to.deep.equal(new Set(faultsOfOwnStore));
    }
    expect(dealKinds(7, 3)).to.deep.equal(dealKinds(7, 3));
    expect(dealKinds(1, 2, ['pause', 'kill']).flat()).to.have.members(['pause', 'kill']);
  });

  it('sets clocks by seconds to days, forward and back, and together by no more than certificates are made for', () => {
    const jumps = [1, 2, 3]
      .map((seed) => planFaults(seed, hour, ['clock']))
      .map((plan) => plan.map(({ atMs, fault }) => ({ atMs, ...(fault.parameters as { readonly jumpMs: number; readonly ms: number }) })));
    const sizes = jumps.flat().map(({ jumpMs }) => jumpMs);
    expect(Math.min(...sizes)).to.be.lessThan(-86_400_000);
    expect(Math.max(...sizes)).to.be.greaterThan(86_400_000);
    expect(sizes.filter((size) => Math.abs(size) < 60_000)).to.not.deep.equal([]);
    for (const plan of jumps) {
      for (const { atMs } of plan) {
        const together = plan.filter((other) => other.atMs <= atMs && atMs <= other.atMs + other.ms);
        expect(together.reduce((sum, { jumpMs }) => sum + Math.abs(jumpMs), 0)).to.be.at.most(clocksOffMsMax);
      }
    }
  });

  it('keeps to its time, in order', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 100_000 }), (seed, durationMs) => {
        const times = planFaults(seed, durationMs).map(({ atMs }) => atMs);
        expect(times).to.deep.equal([...times].sort((a, b) => a - b));
        for (const time of times) expect(time).to.be.lessThan(durationMs);
      }),
    );
  });
});

describe('torture/outcome', () => {
  const answer = (status: number, body: unknown = {}): Parameters<typeof outcomeOf>[1] => ({ status, body, headers: {} });

  it('takes silence, 503 and 504 to leave it open, and 429 to say no', () => {
    for (const open of [null, answer(503), answer(504)]) expect(outcomeOf('update', open).result).to.equal('unknown');
    expect(outcomeOf('update', answer(429)).result).to.equal('refused');
  });

  it('reads what a definite answer says', () => {
    expect(outcomeOf('create', answer(201, { metadata: { resourceVersion: '7' } }))).to.deep.equal({ result: 'done', version: 7 });
    expect(outcomeOf('create', answer(409, { reason: 'AlreadyExists' })).result).to.equal('exists');
    expect(outcomeOf('update', answer(409, { reason: 'Conflict' })).result).to.equal('conflict');
    expect(outcomeOf('delete', answer(404)).result).to.equal('absent');
  });

  it('reports what must not be answered', () => {
    expect(outcomeOf('create', answer(409, { reason: 'Conflict' })).result).to.equal('unexpected');
    expect(outcomeOf('create', answer(404)).result).to.equal('unexpected');
    expect(outcomeOf('update', answer(500)).result).to.equal('unexpected');
  });
});

describe('torture/socketOwner', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1111 1',
    '   1: 0100007F:1F90 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 2222 1',
    '   2: 0100007F:0050 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 3333 1',
  ].join('\n');

  it('tells the two ends of a connection apart', () => {
    expect(inodeOf(table, 8080, 80)).to.equal('2222');
    expect(inodeOf(table, 80, 8080)).to.equal('3333');
    expect(inodeOf(table, 80, 81)).to.equal(null);
  });
});
