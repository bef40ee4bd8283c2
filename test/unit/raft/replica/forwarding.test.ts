import { expect } from 'chai';
import * as fc from 'fast-check';
import { Proposals } from '../../../../raft/replica/proposals.js';
import { Sessions } from '../../../../raft/replica/sessions.js';
import type { ProposeForward, RefusedForward } from '../../../../raft/transport/contract.js';
import { memberId, term } from '../../../../raft/types.js';
import type { MemberId, Term } from '../../../../raft/types.js';

const ids = ['a', 'b', 'c'].map(memberId);
interface LogEntry {
  readonly term: number;
  readonly name: string | null;
}

/**
 * One log with everything that Raft permits: a new term begins with any log that has the committed entries, a term's leader appends, and entries of the
 * current term are committed. Messages are delayed, lost with their connection, and overtaken by elections.
 */
class World {
  log: LogEntry[] = [];
  committed = 0;
  term = 0;
  leader: Node | null = null;
  readonly nodes = ids.map((id) => new Node(id, this));

  node(id: MemberId): Node {
    return this.nodes[ids.indexOf(id)] as Node;
  }

  elect(leader: Node, keep: number): void {
    this.log.length = this.committed + Math.floor((this.log.length - this.committed) * keep);
    this.term += 1;
    this.leader = leader;
    this.log.push({ term: this.term, name: null });
    leader.learn();
  }

  commit(part: number): void {
    const upTo = this.committed + Math.ceil((this.log.length - this.committed) * part);
    if (this.log[upTo - 1]?.term === this.term) this.committed = upTo;
  }
}

interface Link {
  up: boolean;
  forwards: ProposeForward[];
  refusals: RefusedForward[];
}

class Node {
  readonly proposals: Proposals;
  sessions = new Sessions(10);
  term = 0;
  knows: Node | null = null;
  applied = 0;
  full = false;
  nextSequence = 1;
  readonly links = new Map<MemberId, Link>(ids.map((id) => [id, { up: false, forwards: [], refusals: [] }]));
  readonly outcomes = new Map<number, 'applied' | 'unavailable' | 'unknown'>();

  constructor(
    readonly id: MemberId,
    readonly world: World,
  ) {
    this.proposals = new Proposals({
      self: id,
      session: id,
      countMax: 1000,
      bytesMax: 1e6,
      batchBytesMax: 3,
      resendTicks: 3,
      waitTicks: 100,
    });
  }

  /** Learns the present leader. */
  learn(): void {
    this.term = this.world.term;
    this.knows = this.world.leader;
  }

  get leads(): boolean {
    return this.world.leader === this && this.term === this.world.term;
  }

  propose(): void {
    this.proposals.add({ sequence: this.nextSequence, data: Buffer.of(this.nextSequence), deadlineMs: Infinity });
    this.nextSequence += 1;
  }

  append(names: readonly string[]): boolean {
    if (this.full) return false;
    for (const name of names) this.world.log.push({ term: this.term, name });
    return true;
  }

  send(): void {
    this.proposals.leads(this.knows?.id ?? null, term(this.term));
    for (let batch = this.proposals.next(); batch !== null; batch = this.proposals.next()) {
      if (batch.leader !== this.id) {
        const proposals = batch.proposals.map(({ sequence, data }) => ({ sequence, command: data }));
        this.links
          .get(batch.leader)
          ?.forwards.push({ type: 'propose', session: this.id, term: batch.term, attempt: batch.attempt, part: batch.part, proposals });
        this.proposals.sent(batch);
      } else if (this.leads && this.append(batch.proposals.map(({ sequence }) => `${this.id}/${sequence}`))) {
        this.proposals.sent(batch);
      } else {
        this.proposals.delay();
      }
    }
  }

  /** Processes the next message from `from`. */
  receive(from: Node): void {
    const link = from.links.get(this.id) as Link;
    const forward = link.forwards.shift();
    if (forward === undefined) return;
    this.term = Math.max(this.term, forward.term);
    const leads = this.leads && this.term === forward.term;
    const refusal = this.sessions.receive(forward, leads, (commands) => this.append(commands.map((command) => `${from.id}/${command[0]}`)));
    if (refusal !== null) link.refusals.push(refusal);
  }

  hearRefusal(from: Node): void {
    const refusal = this.links.get(from.id)?.refusals.shift();
    if (refusal !== undefined) this.proposals.refused(from.id, refusal);
  }

  connect(to: Node): void {
    const link = this.links.get(to.id) as Link;
    if (link.up || to === this) return;
    link.up = true;
    this.proposals.connected(to.id);
  }

  /** Loses messages in transit. */
  disconnect(to: Node): void {
    this.links.set(to.id, { up: false, forwards: [], refusals: [] });
    this.proposals.disconnected(to.id);
  }

  apply(countMax: number): void {
    for (let count = 0; count < countMax && this.applied < this.world.committed; count += 1) {
      const entry = this.world.log[this.applied] as LogEntry;
      this.applied += 1;
      const [session, sequence] = entry.name?.split('/') ?? [];
      if (session === this.id && this.proposals.settle(Number(sequence))) this.outcomes.set(Number(sequence), 'applied');
      this.proposals.applied(term(entry.term) as Term);
    }
  }

  giveUp(): void {
    for (const { sequence, inDoubt } of this.proposals.drain()) this.outcomes.set(sequence, inDoubt ? 'unknown' : 'unavailable');
  }
}

type Action = (world: World, node: Node, other: Node, part: number) => void;
/** Possible actions with their frequency, balanced so that streams both start and break. */
const actions: readonly (readonly [weight: number, action: Action])[] = [
  [8, (_world, node) => node.propose()],
  [8, (_world, node) => node.send()],
  [12, (world, node, other) => node.receive(world.nodes.find((sender) => sender.links.get(node.id)?.forwards.length) ?? other)],
  [
    6,
    (world, node) => {
      for (const other of world.nodes) node.hearRefusal(other);
    },
  ],
  [3, (_world, node, other) => node.disconnect(other)],
  [
    6,
    (world, node) => {
      for (const other of world.nodes) node.connect(other);
    },
  ],
  [6, (_world, node) => node.learn()],
  [1, (world, node, _other, part) => world.elect(node, part)],
  [2, (world, _node, _other, part) => world.commit(part)],
  [4, (_world, node, _other, part) => node.apply(Math.ceil(part * 10))],
  [4, (_world, node) => node.proposals.tick()],
  [
    2,
    (_world, node, _other, part) => {
      node.full = part < 0.3;
    },
  ],
  [1, (_world, node) => node.giveUp()],
];
interface Step {
  readonly action: Action;
  readonly node: number;
  readonly other: number;
  readonly part: number;
}
const step: fc.Arbitrary<Step> = fc.record({
  action: fc.oneof(...actions.map(([weight, action]) => ({ weight, arbitrary: fc.constant(action) }))),
  node: fc.nat(2),
  other: fc.nat(2),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
});

function run(steps: readonly Step[]): World {
  const world = new World();
  world.elect(world.nodes[0] as Node, 1);
  for (const { action, node, other, part } of steps) action(world, world.nodes[node] as Node, world.nodes[other] as Node, part);
  return world;
}

/** Under a stable leader and connections, all waiting proposals must succeed. Without `leader` the present one stays. */
function settleDown(world: World, leader: Node | null = null): void {
  if (leader !== null) world.elect(leader, 1);
  const leading = world.leader as Node;
  for (const node of world.nodes) {
    node.full = false;
    node.learn();
    for (const other of world.nodes) node.connect(other);
  }
  for (let turn = 0; turn < 40; turn += 1) {
    for (const node of world.nodes) {
      node.send();
      while ((node.links.get(leading.id)?.forwards.length ?? 0) > 0) leading.receive(node);
      while ((node.links.get(leading.id)?.refusals.length ?? 0) > 0) node.hearRefusal(leading);
    }
    world.commit(1);
    for (const node of world.nodes) {
      node.apply(Infinity);
      node.proposals.tick();
    }
  }
}

const history = fc.tuple(fc.array(step, { minLength: 20, maxLength: 400, size: 'max' }), fc.option(fc.nat(2)));
/** Runs a history, then settles it under the present or a new leader. */
function live([steps, next]: readonly [readonly Step[], number | null]): World {
  const world = run(steps);
  settleDown(world, next === null ? null : (world.nodes[next] as Node));
  return world;
}

const namesOf = (world: World): string[] => world.log.slice(0, world.committed).flatMap(({ name }) => name ?? []);

describe('raft/replica forwarding', function () {
  it('never lets a proposal into the committed log twice, nor one that was called unavailable at all', () => {
    fc.assert(
      fc.property(history, (lived) => {
        const world = live(lived);
        const names = namesOf(world);
        expect(new Set(names).size, names.join(' ')).to.equal(names.length);
        for (const node of world.nodes) {
          for (const [sequence, outcome] of node.outcomes) {
            if (outcome === 'unavailable') expect(names).not.to.include(`${node.id}/${sequence}`);
            if (outcome === 'applied') expect(names).to.include(`${node.id}/${sequence}`);
          }
        }
      }),
      { numRuns: 600 },
    );
  });

  it('brings every proposal that was not given up through once a leader stays', () => {
    fc.assert(
      fc.property(history, (lived) => {
        const world = live(lived);
        for (const node of world.nodes) {
          expect(node.proposals.size).to.equal(0);
          expect(node.outcomes.size).to.equal(node.nextSequence - 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('sends on at once when the leader that asked for a pause has a successor', () => {
    const proposals = new Proposals({
      self: ids[0] as MemberId,
      session: 's',
      countMax: 10,
      bytesMax: 1e6,
      batchBytesMax: 1e6,
      resendTicks: 3,
      waitTicks: 100,
    });
    proposals.connected(ids[1] as MemberId);
    proposals.add({ sequence: 1, data: Buffer.of(1), deadlineMs: Infinity });
    proposals.leads(ids[0] as MemberId, term(1));
    expect(proposals.next()).to.include({ leader: ids[0] });
    proposals.delay();
    expect(proposals.next(), 'no tick has passed').to.equal(null);
    proposals.leads(ids[1] as MemberId, term(2));
    expect(proposals.next()).to.include({ leader: ids[1], term: 2 });
  });

  it("keeps the order of one replica's proposals", () => {
    fc.assert(
      fc.property(history, (lived) => {
        const world = live(lived);
        for (const { id } of world.nodes) {
          const sequences = namesOf(world)
            .filter((name) => name.startsWith(id))
            .map((name) => Number(name.split('/')[1]));
          expect(sequences).to.deep.equal([...sequences].sort((x, y) => x - y));
        }
      }),
      { numRuns: 300 },
    );
  });

  describe('when the leader is lost', () => {
    const pair = (): { world: World; origin: Node; leader: Node } => {
      const world = new World();
      const [origin, leader] = world.nodes as [Node, Node];
      world.elect(leader, 1);
      origin.learn();
      origin.connect(leader);
      origin.propose();
      origin.send();
      return { world, origin, leader };
    };

    it('before it appended: the proposal is unknown until a later term is applied, then sent to the new leader', () => {
      const { world, origin } = pair();
      const [, , third] = world.nodes as [Node, Node, Node];
      world.elect(third, 1);
      origin.learn();
      origin.connect(third);
      origin.send();
      expect(origin.links.get(third.id)?.forwards, 'the old leader may have appended it').to.deep.equal([]);
      world.commit(1);
      origin.apply(10);
      origin.send();
      third.receive(origin);
      world.commit(1);
      origin.apply(10);
      expect(origin.outcomes.get(1)).to.equal('applied');
    });

    it('after it appended, and the new leader has the entry: applied once, not sent again', () => {
      const { world, origin, leader } = pair();
      leader.receive(origin);
      world.elect(world.nodes[2] as Node, 1);
      origin.learn();
      origin.connect(world.nodes[2] as Node);
      world.commit(1);
      origin.apply(10);
      origin.send();
      expect(origin.outcomes.get(1)).to.equal('applied');
      expect(namesOf(world)).to.deep.equal(['a/1']);
    });

    it('after it appended, and the entry is lost: sent again to the new leader', () => {
      const { world, origin, leader } = pair();
      leader.receive(origin);
      world.elect(world.nodes[2] as Node, 0);
      settleDown(world);
      expect(origin.outcomes.get(1)).to.equal('applied');
      expect(namesOf(world)).to.deep.equal(['a/1']);
    });

    it('in doubt when the time is up: unknown, never unavailable', () => {
      const { origin } = pair();
      expect(origin.proposals.drain()).to.deep.equal([{ sequence: 1, inDoubt: true }]);
    });

    it('refused when the time is up: unavailable', () => {
      const { world, origin, leader } = pair();
      world.elect(world.nodes[2] as Node, 1);
      leader.learn();
      leader.receive(origin);
      origin.hearRefusal(leader);
      expect(origin.proposals.drain()).to.deep.equal([{ sequence: 1, inDoubt: false }]);
    });

    it('a copy that was sent again on a new connection and then refused stays in doubt: the first may have been appended', () => {
      const { world, origin, leader } = pair();
      leader.receive(origin);
      origin.disconnect(leader);
      origin.connect(leader);
      origin.send();
      world.elect(world.nodes[2] as Node, 1);
      leader.learn();
      leader.receive(origin);
      origin.hearRefusal(leader);
      expect(origin.proposals.drain()).to.deep.equal([{ sequence: 1, inDoubt: true }]);
    });
  });

  it('appends a batch that is sent again on a new connection only once', () => {
    const world = new World();
    const [origin, leader] = world.nodes as [Node, Node];
    world.elect(leader, 1);
    origin.learn();
    origin.connect(leader);
    for (let count = 0; count < 5; count += 1) origin.propose();
    origin.send();
    leader.receive(origin);
    origin.disconnect(leader);
    origin.connect(leader);
    settleDown(world);
    expect(namesOf(world)).to.deep.equal([1, 2, 3, 4, 5].map((sequence) => `a/${sequence}`));
  });

  it('refuses beyond its bounds without taking the proposal', () => {
    const proposals = new Proposals({
      self: ids[0] as MemberId,
      session: 's',
      countMax: 2,
      bytesMax: 10,
      batchBytesMax: 100,
      resendTicks: 3,
      waitTicks: 100,
    });
    expect(proposals.add({ sequence: 1, data: Buffer.alloc(6), deadlineMs: 5 })).to.equal(true);
    expect(proposals.add({ sequence: 2, data: Buffer.alloc(6), deadlineMs: 5 }), 'bytes').to.equal(false);
    expect(proposals.add({ sequence: 3, data: Buffer.alloc(1), deadlineMs: 9 })).to.equal(true);
    expect(proposals.add({ sequence: 4, data: Buffer.alloc(1), deadlineMs: 9 }), 'count').to.equal(false);
    expect(proposals.expire(5)).to.deep.equal([{ sequence: 1, inDoubt: false }]);
    expect(proposals.size).to.equal(1);
  });

  describe('the time that proposals wait', () => {
    const [self, other] = ids as [MemberId, MemberId];
    const patient = (): Proposals =>
      new Proposals({ self, session: 's', countMax: 10, bytesMax: 1e6, batchBytesMax: 1e6, resendTicks: 100, waitTicks: 4 });
    const add = (proposals: Proposals, sequence: number): boolean =>
      proposals.add({ sequence, data: Buffer.of(sequence), deadlineMs: Infinity });
    const tick = (proposals: Proposals, times: number): void => {
      for (let each = 0; each < times; each += 1) proposals.tick();
    };

    it('ends for what waited long enough without a leader, and says whether it may be in a log', () => {
      const proposals = patient();
      add(proposals, 1);
      proposals.leads(other, term(1));
      proposals.connected(other);
      proposals.sent(proposals.next()!);
      proposals.leads(null, term(1));
      add(proposals, 2);
      tick(proposals, 2);
      add(proposals, 3);
      tick(proposals, 1);
      expect(proposals.stuck()).to.deep.equal([]);
      tick(proposals, 1);
      expect(proposals.stuck()).to.deep.equal([
        { sequence: 1, inDoubt: true },
        { sequence: 2, inDoubt: false },
      ]);
      tick(proposals, 2);
      expect(proposals.stuck()).to.deep.equal([{ sequence: 3, inDoubt: false }]);
    });

    it('does not end while others are settled: the queue moves', () => {
      const proposals = patient();
      proposals.leads(self, term(1));
      for (const sequence of [1, 2]) add(proposals, sequence);
      proposals.sent(proposals.next()!);
      tick(proposals, 3);
      proposals.settle(1);
      tick(proposals, 3);
      expect(proposals.stuck()).to.deep.equal([]);
      tick(proposals, 1);
      expect(proposals.stuck()).to.deep.equal([{ sequence: 2, inDoubt: true }]);
    });
  });
});
