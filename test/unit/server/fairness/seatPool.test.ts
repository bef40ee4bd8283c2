import { expect } from 'chai';
import { Fairness, type SeatRequest } from '../../../../server/fairness/fairness.js';
import { levelOf, schemaOf } from '../../../../server/fairness/objects.js';
import { SharedSeats } from '../../../../server/fairness/seatPool.js';
import type { ApiObject } from '../../../../api/object.js';
import { requestInfo } from '../../../../api/requestInfo.js';

const level = (name: string, shares = 1): ApiObject =>
  ({
    metadata: { name, uid: name },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: shares,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 2, queueLengthLimit: 50 } },
      },
    },
  }) as unknown as ApiObject;
const everything = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }];
const schema = (user: string, to: string): ApiObject =>
  ({
    metadata: { name: user, uid: user },
    spec: {
      matchingPrecedence: 1,
      priorityLevelConfiguration: { name: to },
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: [{ kind: 'User', user: { name: user } }], resourceRules: everything }],
    },
  }) as unknown as ApiObject;

interface Held {
  release(): void;
}

/** A user's request that holds its seat until released. */
class Caller implements SeatRequest {
  readonly info;
  readonly user;
  readonly query = new URLSearchParams();
  readonly response = { setHeader: () => undefined };
  readonly closed = false;
  seat: Held | null = null;
  begun = false;

  constructor(name: string) {
    const read = requestInfo('GET', '/api/v1/namespaces/n/pods/p', new URLSearchParams());
    if (!read.ok) throw new Error(read.message);
    this.info = read.info;
    this.user = { name, uid: '', groups: [], extra: {} };
  }

  onClose(): void {}

  foundNoRoom(): void {}

  holdSeat(seat: Held): void {
    this.seat = seat;
  }
}

describe('fairness/seatPool, levels that several threads have in common', () => {
  const threads = 3;
  const start = (): Fairness[] => {
    const memory = new SharedArrayBuffer(SharedSeats.bytesFor(threads));
    return Array.from({ length: threads }, (_, thread) => {
      const fairness = new Fairness({
        seats: 8,
        waitMaxMs: 60_000,
        estimate: () => ({ objects: 0, bytes: null, watchers: 0 }),
        shared: new SharedSeats(memory, thread, threads),
      });
      fairness.configure([schema('a', 'one'), schema('b', 'two')].map(schemaOf), [level('one'), level('two')].map(levelOf));
      return fairness;
    });
  };
  const come = (fairness: Fairness, user: string): { readonly caller: Caller; readonly turn: Promise<void> } => {
    const caller = new Caller(user);
    const turn = Promise.resolve(fairness.admit(caller)).then(() => {
      caller.begun = true;
    });
    // Those who still wait when a test ends are turned away later.
    turn.catch(() => undefined);
    return { caller, turn };
  };

  it('has no more in use than a level has, and begins on any thread what waits when any of them gives a seat back', async () => {
    const fairness = start();
    const all = Array.from({ length: 30 }, (_, number) => come(fairness[number % threads]!, 'a'));
    const begun = (): number => all.filter(({ caller }) => caller.begun).length;
    await Promise.resolve();
    expect(begun()).to.equal(4);
    for (let given = 1; given <= 30; given++) {
      const next = all.find(({ caller }) => caller.begun && caller.seat !== null)!;
      const waiting = all.filter(({ caller }) => !caller.begun).map(({ turn }) => turn);
      next.caller.seat!.release();
      next.caller.seat = null;
      if (waiting.length > 0) await Promise.race(waiting);
      expect(begun()).to.equal(Math.min(30, 4 + given));
    }
  });

  it('keeps levels apart', async () => {
    const fairness = start();
    const ofOne = Array.from({ length: 5 }, () => come(fairness[0]!, 'a'));
    const ofTwo = Array.from({ length: 5 }, () => come(fairness[1]!, 'b'));
    await Promise.resolve();
    expect(ofOne.filter(({ caller }) => caller.begun).length).to.equal(4);
    expect(ofTwo.filter(({ caller }) => caller.begun).length).to.equal(4);
  });

  it('adds up what the threads want of a level', () => {
    const memory = new SharedArrayBuffer(SharedSeats.bytesFor(threads));
    const all = Array.from({ length: threads }, (_, thread) => new SharedSeats(memory, thread, threads));
    const pools = all.map((seats) => seats.of('one')!);
    expect(new Set(pools.map(({ place }) => place)).size).to.equal(1);
    expect(all[1]!.of('two')!.place).not.to.equal(pools[0]!.place);
    all[0]!.demand(pools[0]!, 2);
    all[1]!.demand(pools[1]!, 3);
    expect(all[2]!.demand(pools[2]!, 0.5)).to.equal(5.5);
  });

  it('gives no more levels a place than there are places', () => {
    const seats = new SharedSeats(new SharedArrayBuffer(SharedSeats.bytesFor(1)), 0, 1);
    const places = Array.from({ length: 600 }, (_, number) => seats.of(`level ${number}`)?.place ?? null);
    const given = places.filter((place) => place !== null);
    expect(new Set(given).size).to.equal(given.length);
    expect(given.length).to.equal(512);
  });
});
