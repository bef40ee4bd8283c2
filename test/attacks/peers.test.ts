import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../deploy/cluster.js';
import { ConnectionFlood, halfClientHello } from '../fixtures/connectionFlood.js';
import { Target } from './target.js';

const floodPerMember = 300;
const pollMs = 50;
/** Lines that a minute of attack may cost, with some to spare. */
const linesMax = 200;

describe('attacks/peers', function () {
  this.timeout(180_000);
  let target: Target;
  const floods: ConnectionFlood[] = [];
  before(async () => {
    target = await Target.start({ replicas: 3 });
  });
  afterEach(() => {
    for (const flood of floods.splice(0)) flood.stop();
  });
  after(async () => {
    await target?.stop();
  });

  const peerPorts = async (): Promise<readonly number[]> => {
    const { members } = await target.cluster.status(target.member());
    return (members as readonly unknown[] as readonly { readonly address: string }[]).map(({ address }) =>
      Number(address.split(':').at(-1)),
    );
  };

  async function flood(first: Buffer | null): Promise<void> {
    for (const port of await peerPorts()) floods.push(await ConnectionFlood.start({ port, count: floodPerMember, first }));
  }

  /** Resolves when a write through this member is taken. */
  async function writes(member: ClusterMember, name: string): Promise<void> {
    for (;;) {
      const answer = await target.cluster
        .at(member)
        .request('POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name } } })
        .catch(() => null);
      if (answer?.status === 201 || answer?.status === 409) return;
      await delay(pollMs);
    }
  }

  for (const [what, first] of [
    ['connections on which nothing comes', null],
    ['handshakes that stop midway', halfClientHello],
  ] as const) {
    it(`${what}, hundreds to each member, keep no member out: one that was killed comes back, and two that lost each other go on`, async () => {
      const leader = await target.cluster.leader();
      const [dead, other] = target.cluster.members.filter((member) => member !== leader) as [ClusterMember, ClusterMember];
      await flood(first);
      await target.cluster.kill(dead);
      await dead.restart();
      await target.cluster.caughtUp(dead);

      // Without the third, these two need each other; both have closed their connections to the other first.
      await target.cluster.kill(dead);
      other.process.pause();
      const lost = async (): Promise<boolean> => {
        const { peers } = (await target.cluster.status(leader)) as unknown as {
          readonly peers: readonly { readonly id: string; readonly connected: boolean }[];
        };
        return peers.some(({ id, connected }) => id === other.id && !connected);
      };
      while (!(await lost())) await delay(pollMs);
      other.process.resume();
      await writes(leader, `after-${first === null ? 'silence' : 'handshakes'}`);
      await dead.restart();
      await target.cluster.caughtUp(dead);
      while (floods.reduce((sum, { opened }) => sum + opened, 0) <= 3 * floodPerMember) await delay(pollMs);
      await target.expectAlive();
    });
  }

  it('garbage leaves a bounded number of lines in the log', async () => {
    const before = target.log().split('\n').length;
    const [port = 0] = await peerPorts();
    const flood_ = await ConnectionFlood.start({ port, count: 20, first: Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n') });
    floods.push(flood_);
    while (flood_.opened < 2_000) await delay(pollMs);
    expect(target.log().split('\n').length - before).to.be.at.most(linesMax);
  });
});
