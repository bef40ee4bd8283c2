import { expect } from 'chai';
import type { ClusterMember } from '../../deploy/cluster.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { connectAll, flood, reconnectWatchers, slowLoris, slowReaders, type Overloaded } from './storm.js';
import { offerRequests, rapidResets } from './storms/children.js';
import { Observer, type Endured } from './storms/observer.js';

/** Small enough for every test run; `npm run bench -- overload` uses ten times as much. */
const connections = 300;
const watchers = 300;
const floodSeconds = 3;
/** The limit of an API server with few objects, which needs some 200 MiB; a leak or unbounded queue needs far more. */
const residentMegabytesMax = 900;

/** Requests beyond capacity wait or are refused; memory stays bounded, leadership stays, and leases are renewed. */
describe('cluster/overload', function () {
  this.timeout(240_000);
  let test: ClusterUnderTest;
  let path: string;
  let storm: Overloaded;
  let observer: Observer;
  let termBefore: number;

  before(async () => {
    test = await ClusterUnderTest.start({ managers: 1 });
    path = await test.namespace('storm');
    storm = { cluster: test.cluster, path };
    observer = new Observer(test.cluster, path);
  });
  after(async () => {
    observer?.close();
    await test?.stop();
  });
  beforeEach(async () => {
    termBefore = (await test.status(await test.leader())).term;
  });

  /** After each storm: the same processes and term, bounded memory, a renewed lease, and writes on every replica. */
  async function expectCalm(what: string, dead: ClusterMember | null = null): Promise<void> {
    const running = test.members.filter((member) => member !== dead);
    for (const member of running) {
      expect(member.process.running, `${member.id} runs`).to.equal(true);
      await test.at(member).expect(200, 'PATCH', `${path}/calm?fieldManager=t&force=true`, {
        raw: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'calm' }, data: { what } }),
        type: 'application/apply-patch+yaml',
      });
      const metrics = String((await test.at(member).request('GET', '/metrics')).body);
      const resident = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 2 ** 20;
      expect(resident, `${member.id}: MiB resident`).to.be.above(0).and.below(residentMegabytesMax);
      if (dead === null) expect((await test.status(member)).term, `${member.id}: no election`).to.equal(termBefore);
    }
    const lease = (await test.client.expect(
      200,
      'GET',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
    )) as unknown as { readonly spec: { readonly leaseTransitions: number } };
    expect(lease.spec.leaseTransitions, 'the manager never lost it').to.equal(0);
  }

  /** No election, no silent leader, and no lost lease. */
  function expectEndured({ elections, leaseSilenceMs, peakMebibytes }: Endured): void {
    expect(elections).to.equal(0);
    // It depends on the machine; a late manager would have lost the lease (`expectCalm`).
    expect(leaseSilenceMs, 'between two renewals').to.be.above(0).and.below(Infinity);
    expect(Math.max(...peakMebibytes), 'MiB resident at most').to.be.below(residentMegabytesMax);
  }

  before(async () => {
    await test.client.request('POST', path, { body: { metadata: { name: 'calm' } } });
  });

  it('connections that all open at once are all served', async () => {
    const { answered } = await connectAll(storm, connections);
    expect(answered).to.equal(connections);
    await expectCalm('connections');
  });

  it('requests far beyond capacity are answered or refused', async () => {
    const { answered, refused, failed } = await flood(storm, { connections: 60, seconds: floodSeconds });
    expect(answered).to.be.above(0);
    expect(failed, `without an answer, of ${answered + refused}`).to.equal(0);
    await expectCalm('flood');
  });

  it('requests offered whatever comes back stay with their sender', async () => {
    const {
      outcome: { sent, answers, closed },
      endured,
    } = await observer.during(() => offerRequests(storm, { connections: 50, perSecond: 20_000, seconds: floodSeconds }));
    expect(sent).to.be.above(0);
    expect(Object.keys(answers)).to.satisfy(
      (codes: string[]) => codes.includes('200') && codes.every((code) => ['200', '201', '404', '409', '429'].includes(code)),
      JSON.stringify(answers),
    );
    expect(closed, 'connections that a server closed').to.equal(0);
    expectEndured(endured);
    await expectCalm('offered');
  });

  it('streams that are opened and reset as fast as it goes cost nobody else anything', async () => {
    const {
      outcome: { resets },
      endured,
    } = await observer.during(() => rapidResets(storm, { connections: 6, seconds: floodSeconds, resetsMin: 1_001 }));
    expect(resets).to.be.above(1_000);
    expectEndured(endured);
    await expectCalm('resets');
  });

  it('clients that send slowly, and clients that do not read, keep nobody else from anything', async () => {
    const slow = await slowLoris(storm, 100);
    const deaf = await slowReaders(storm, 30);
    await expectCalm('slow clients');
    for (const close of [slow, deaf]) close();
  });

  it('watchers that all come back at once after a replica died all go on', async () => {
    const dead = test.members[2] as ClusterMember;
    const { resumed, missed } = await reconnectWatchers(storm, {
      watchers,
      from: dead,
      to: test.members[0] as ClusterMember,
      kill: () => test.kill(dead),
    });
    expect([resumed, missed]).to.deep.equal([watchers, 0]);
    await test.leader();
    await expectCalm('watchers', dead);
  });
});
