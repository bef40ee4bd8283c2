import { expect } from 'chai';
import {
  connectionOrder,
  newBackend,
  recordConnectFailure,
  recordProbe,
  sessionGraceMs,
  shouldCutSessions,
  type Backend,
} from '../../../deploy/backends.js';
import type { Readiness } from '../../../deploy/readiness.js';

const ready: Readiness = { state: 'ready' };
const unready: Readiness = { state: 'unready', status: 503, body: '' };
const silent: Readiness = { state: 'silent', reason: 'refused' };

function backends(...states: (readonly Readiness[])[]): Backend[] {
  return states.map((probes, i) => {
    const backend = newBackend('127.0.0.1', i + 1);
    for (const probe of probes) recordProbe(backend, probe, 0);
    return backend;
  });
}
const ports = (list: readonly Backend[]): number[] => list.map(({ port }) => port);

describe('deploy/backends', () => {
  it('is up after one good probe, and down after one bad one', () => {
    const [backend] = backends([]) as [Backend];
    expect(backend.state).to.equal('unknown');
    expect(recordProbe(backend, ready, 1)).to.equal(true);
    expect(recordProbe(backend, ready, 2)).to.equal(false);
    expect(recordProbe(backend, silent, 3)).to.equal(true);
    expect(backend).to.deep.include({ state: 'down', reason: 'silent', downSinceMs: 3 });
    expect(recordProbe(backend, unready, 4)).to.equal(false);
    expect(backend).to.deep.include({ state: 'down', reason: 'unready', downSinceMs: 3 });
    expect(recordProbe(backend, ready, 5)).to.equal(true);
    expect(backend).to.deep.include({ state: 'up', reason: null });
  });

  it('believes a server that says it is not ready, and a refused connection, at once', () => {
    const [first, second] = backends([ready], [ready]) as [Backend, Backend];
    expect(recordProbe(first, unready, 1)).to.equal(true);
    expect(recordConnectFailure(second, 1)).to.equal(true);
    expect([first.state, second.state]).to.deep.equal(['down', 'down']);
  });

  it('prefers those that are up with the fewest connections, and keeps the others as a last resort', () => {
    const list = backends([silent], [ready], [unready], [ready], []);
    (list[1] as Backend).connections = 2;
    (list[3] as Backend).connections = 1;
    expect(ports(connectionOrder(list))).to.deep.equal([4, 2, 5, 3, 1]);
  });

  it('cuts sessions only after their grace, and only while another backend is up', () => {
    const [hung, other] = backends([silent], [ready]) as [Backend, Backend];
    const at = (ms: number): boolean => shouldCutSessions(hung, [hung, other], ms);
    expect(at(sessionGraceMs.silent - 1)).to.equal(false);
    expect(at(sessionGraceMs.silent)).to.equal(true);
    recordProbe(other, unready, 0);
    expect(at(sessionGraceMs.silent)).to.equal(false);
  });

  it('waits for longer on a machine on which those that are up answer late', () => {
    const [hung, slow, slower] = backends([silent], [], []) as [Backend, Backend, Backend];
    const at = (ms: number): boolean => shouldCutSessions(hung, [hung, slow, slower], ms);
    const answer = (backend: Backend, tookMs: number): void => {
      backend.askedAtMs = 500 - tookMs;
      recordProbe(backend, ready, 500);
    };
    answer(slow, 300);
    answer(slower, 400);
    expect(at(5_999)).to.equal(false);
    expect(at(6_000)).to.equal(true);
    answer(slow, 1);
    expect(at(sessionGraceMs.silent)).to.equal(true);
    // An unanswered probe takes at least as long as it has waited.
    slow.askedAtMs = 600;
    expect(at(sessionGraceMs.silent)).to.equal(false);
  });

  it('lets a server that answers finish its requests for longer', () => {
    const [leaving, other] = backends([ready, unready], [ready]) as [Backend, Backend];
    expect(shouldCutSessions(leaving, [leaving, other], sessionGraceMs.silent)).to.equal(false);
    expect(shouldCutSessions(leaving, [leaving, other], sessionGraceMs.unready)).to.equal(true);
    expect(shouldCutSessions(other, [leaving, other], sessionGraceMs.unready)).to.equal(false);
  });
});
