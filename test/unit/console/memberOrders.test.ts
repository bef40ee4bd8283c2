import { expect } from 'chai';
import { MemberOrders, type OrderSender } from '../../../console/model/memberOrders.js';

type Command = 'pause' | 'resume';
class Refusal extends Error {}

/** A launcher that loses answers, with a manual clock. */
class Launcher implements OrderSender<Command> {
  readonly received: Command[] = [];
  /** The behaviour of the next connections. */
  readonly connections: ('breaks' | 'answers' | 'answer is lost' | 'refuses')[];
  state: 'paused' | 'running' = 'running';
  reachable = true;
  readonly waiting: (() => void)[] = [];

  constructor(...connections: Launcher['connections']) {
    this.connections = connections;
  }

  async send(command: Command): Promise<void> {
    const fate = this.connections.shift() ?? 'answers';
    if (fate === 'refuses') throw new Refusal();
    if (fate !== 'breaks') {
      this.received.push(command);
      this.state = command === 'pause' ? 'paused' : 'running';
    }
    if (fate !== 'answers') throw new TypeError('the connection broke');
    await Promise.resolve();
  }

  carriedOut(command: Command): Promise<boolean> {
    return Promise.resolve(this.reachable && this.state === (command === 'pause' ? 'paused' : 'running'));
  }

  isAnswer(error: unknown): boolean {
    return error instanceof Refusal;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async pass(): Promise<void> {
    while (this.waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const each of this.waiting.splice(0)) each();
  }
}

describe('console/memberOrders', () => {
  it('sends a command again whose connection broke before it arrived', async () => {
    const launcher = new Launcher('breaks', 'answers');
    const given = new MemberOrders(launcher).give('pause', 'r1');
    await launcher.pass();
    expect(await given).to.equal(true);
    expect(launcher.received).to.deep.equal(['pause']);
  });

  it('does not send again what was carried out', async () => {
    const launcher = new Launcher('answer is lost');
    const given = new MemberOrders(launcher).give('pause', 'r1');
    await launcher.pass();
    expect(await given).to.equal(true);
    expect(launcher.received).to.deep.equal(['pause']);
  });

  for (const reachable of [true, false])
    it(`does not undo a later command${reachable ? '' : ' when it is unknown what became of the earlier one'}`, async () => {
      const launcher = new Launcher('answer is lost');
      const orders = new MemberOrders(launcher);
      const paused = orders.give('pause', 'r1');
      expect(await orders.give('resume', 'r1')).to.equal(true);
      launcher.reachable = reachable;
      await launcher.pass();
      expect(await paused).to.equal(false);
      expect(launcher.received).to.deep.equal(['pause', 'resume']);
      expect(launcher.state).to.equal('running');
    });

  it('sends commands of one member again whatever another is sent', async () => {
    const launcher = new Launcher('breaks', 'answers', 'answers');
    const orders = new MemberOrders(launcher);
    const paused = orders.give('pause', 'r1');
    await orders.give('resume', 'r2');
    await launcher.pass();
    expect(await paused).to.equal(true);
    expect(launcher.received).to.deep.equal(['resume', 'pause']);
  });

  it('reports refusals at once, and a launcher that stays unreachable after five attempts', async () => {
    const refused = await new MemberOrders(new Launcher('refuses')).give('pause', 'r1').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Refusal);
    const launcher = new Launcher(...Array.from({ length: 9 }, () => 'breaks' as const));
    const failed = new MemberOrders(launcher).give('pause', 'r1').catch((error: unknown) => error);
    for (let wait = 1; wait < 5; wait++) await launcher.pass();
    expect(await failed).to.be.instanceOf(TypeError);
    expect(launcher.connections).to.have.lengthOf(4);
  });
});
