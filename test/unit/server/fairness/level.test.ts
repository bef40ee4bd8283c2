import { expect } from 'chai';
import fc from 'fast-check';
import { deal } from '../../../../server/fairness/hand.js';
import { share } from '../../../../server/fairness/lending.js';
import { Level, type Ticket } from '../../../../server/fairness/level.js';
import { Model } from './model.js';

const terms = fc.record({
  seats: fc.integer({ min: 1, max: 6 }),
  queues: fc.integer({ min: 1, max: 5 }),
  queueLengthMax: fc.integer({ min: 1, max: 4 }),
});
/** Times are in 1024ths of a second, whose sums are exact. */
const step = fc.record({
  what: fc.constantFrom('arrive', 'arrive', 'arrive', 'finish', 'finish', 'abandon', 'resize', 'change'),
  after: fc.integer({ min: 0, max: 64 }),
  pick: fc.nat(1000),
  seats: fc.integer({ min: 1, max: 8 }),
});

describe('fairness: a level', () => {
  it('does what the plain model does, whatever comes', () => {
    fc.assert(
      fc.property(terms, fc.array(step, { maxLength: 80 }), (of, steps) => {
        const [level, model] = [new Level<number>(of, 0), new Model(of)];
        const tickets = new Map<number, Ticket<number>>();
        let [now, ids] = [0, 0];
        const reported = (begun: readonly Ticket<number>[]): number[] => begun.map((each) => each.of);
        for (const { what, after, pick, seats } of steps) {
          now += after / 1024;
          const working = model.of('working');
          const waiting = model.of('waiting');
          if (what === 'arrive') {
            const hand = deal(`flow ${pick % 7}`, 2, of.queues);
            const arrival = level.arrive(ids, seats, hand, now);
            expect(arrival.outcome).to.equal(model.arrive(ids, seats, hand, now));
            if (arrival.outcome === 'begin' || arrival.outcome === 'wait') tickets.set(ids, arrival.ticket);
            ids++;
          } else if (what === 'resize') expect(reported(level.resize(seats, now))).to.deep.equal(model.resize(seats, now));
          else if (what === 'abandon' && waiting.length > 0) {
            const { id } = waiting[pick % waiting.length]!;
            expect(level.abandon(tickets.get(id)!, now)).to.equal(true);
            expect(level.abandon(tickets.get(id)!, now)).to.equal(false);
            model.abandon(id, now);
          } else if (working.length > 0 && (what === 'finish' || what === 'change')) {
            const { id } = working[pick % working.length]!;
            const ticket = tickets.get(id)!;
            if (what === 'finish') expect(reported(level.finish(ticket, now))).to.deep.equal(model.finish(id, now));
            else expect(reported(level.change(ticket, seats, now))).to.deep.equal(model.change(id, seats, now));
          }
          expect([level.seatsInUse, level.waiting, level.underWay]).to.deep.equal([
            model.sum(model.of('working')),
            model.of('waiting').length,
            model.of('working').length,
          ]);
          expect(level.r).to.be.closeTo(model.r, 1e-9);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('never leaves seats empty for which somebody waits, nor gives out more than there are', () => {
    fc.assert(
      fc.property(terms, fc.array(step, { maxLength: 60 }), (of, steps) => {
        const level = new Level<number>(of, 0);
        const working: Ticket<number>[] = [];
        const last = new Map<number, number>();
        let now = 0;
        for (const [id, { what, after, pick, seats }] of steps.entries()) {
          now += after / 1024;
          const own = Math.min(seats, of.seats);
          if (what !== 'finish') {
            const arrival = level.arrive(id, own, deal(String(pick), 1, of.queues), now);
            if (arrival.outcome === 'begin') working.push(arrival.ticket);
          } else if (working.length > 0)
            for (const begun of level.finish(working.splice(pick % working.length, 1)[0]!, now)) {
              working.push(begun);
              expect(begun.of, 'in the order of its queue').to.be.greaterThan(last.get(begun.queue) ?? -1);
              last.set(begun.queue, begun.of);
            }
          expect(level.seatsInUse).to.be.at.most(of.seats);
          if (level.waiting > 0) {
            const smallest = Math.max(...level.queues.flatMap(({ waiting }) => waiting.slice(0, 1).map((first) => first.seats)));
            expect(level.seatsInUse + smallest).to.be.greaterThan(of.seats);
          }
        }
      }),
    );
  });

  it('serves two flows that always have something to do alike, however much one of them asks for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1, max: 4 }), (crowd, seats) => {
        const level = new Level<'elephant' | 'mouse'>({ seats, queues: 2, queueLengthMax: 10_000 }, 0);
        const working: Ticket<'elephant' | 'mouse'>[] = [];
        const served = { elephant: 0, mouse: 0 };
        const arrive = (who: keyof typeof served, now: number): void => {
          const arrival = level.arrive(who, 1, [who === 'mouse' ? 1 : 0], now);
          if (arrival.outcome === 'begin') working.push(arrival.ticket);
        };
        for (let i = 0; i < crowd * 20; i++) arrive('elephant', 0);
        for (let i = 0; i < 2 * seats; i++) arrive('mouse', 0);
        for (let round = 1; round <= 200; round++) {
          const now = round / 100;
          const done = working.shift()!;
          served[done.of]++;
          arrive(done.of, now);
          working.push(...level.finish(done, now));
        }
        expect(Math.abs(served.elephant - served.mouse)).to.be.at.most(4 * seats + 2);
      }),
    );
  });

  it('lets a flow that asks now and then in before long, beside one that fills its hand of queues, also when work stands still now and then', () => {
    const [seats, queues, waitingMax] = [56, 7, 50];
    const scenes = fc.record({
      perSecond: fc.constantFrom(500, 2_000, 8_000),
      /** Pauses in which nothing ends, such as garbage collection. */
      pauseMs: fc.integer({ min: 0, max: 300 }),
      everyMs: fc.integer({ min: 5, max: 100 }),
    });
    fc.assert(
      fc.property(scenes, ({ perSecond, pauseMs, everyMs }) => {
        const level = new Level<'elephant' | 'mouse'>({ seats, queues, queueLengthMax: waitingMax }, 0);
        const working: Ticket<'elephant' | 'mouse'>[] = [];
        const elephants = [0, 1, 2, 3, 4, 5];
        let [now, mouseAt, mouseWaits] = [0, 0, false];
        // Counts of requests that ended while the mouse waited.
        let [waited, longest] = [0, 0];
        const take = (begun: readonly Ticket<'elephant' | 'mouse'>[]): void => {
          working.push(...begun);
          if (!begun.some((each) => each.of === 'mouse')) return;
          longest = Math.max(longest, waited);
          mouseWaits = false;
        };
        const arrive = (who: 'elephant' | 'mouse', hand: readonly number[]): boolean => {
          const arrival = level.arrive(who, 1, hand, now);
          if (arrival.outcome === 'begin') take([arrival.ticket]);
          return arrival.outcome !== 'full';
        };
        for (let ended = 1; ended <= 20_000; ended++) {
          now += 1 / perSecond + (ended % 4_000 === 0 ? pauseMs / 1_000 : 0);
          while (arrive('elephant', elephants));
          if (!mouseWaits && now >= mouseAt) {
            [mouseWaits, waited, mouseAt] = [true, 0, now + everyMs / 1_000];
            arrive('mouse', [6]);
          }
          if (mouseWaits) waited++;
          take(level.finish(working.shift()!, now));
        }
        expect(longest).to.be.at.most(2 * seats);
      }),
      { numRuns: 30 },
    );
  });
});

describe('fairness: hands of queues', () => {
  it('are different queues of the deck, always the same for a flow', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 256 }), (flow, size, deck) => {
        const hand = deal(flow, size, deck);
        expect(new Set(hand).size).to.equal(Math.min(size, deck));
        expect(hand.every((queue) => queue >= 0 && queue < deck)).to.equal(true);
        expect(deal(flow, size, deck)).to.deep.equal(hand);
      }),
    );
  });
  it('of different flows hardly ever are the same, and use all queues', () => {
    const hands = Array.from({ length: 2_000 }, (_, user) => deal(`schema\0user-${user}`, 6, 128));
    const uses = Array.from({ length: 128 }, (_, queue) => hands.filter((hand) => hand.includes(queue)).length);
    expect(Math.min(...uses)).to.be.greaterThan(40);
    expect(new Set(hands.map((hand) => [...hand].sort().join())).size).to.equal(hands.length);
  });
});

describe('fairness: lending', () => {
  const borrower = fc
    .record({
      nominal: fc.integer({ min: 0, max: 100 }),
      lendable: fc.integer({ min: 0, max: 100 }),
      more: fc.integer({ min: 0, max: 200 }),
      demand: fc.integer({ min: 0, max: 400 }),
    })
    .map(({ nominal, lendable, more, demand }) => ({
      nominal,
      lower: nominal - Math.round((nominal * lendable) / 100),
      upper: nominal + more,
      demand,
    }));
  it('keeps everybody within bounds and gives out no more than there are', () => {
    fc.assert(
      fc.property(fc.array(borrower, { minLength: 1, maxLength: 8 }), (levels) => {
        const total = levels.reduce((sum, { nominal }) => sum + nominal, 0);
        const { seats } = share(levels, total);
        for (const [index, each] of seats.entries()) {
          expect(each).to.be.at.least(levels[index]!.lower - 1e-9);
          expect(each).to.be.at.most(levels[index]!.upper + 1e-9);
        }
        expect(seats.reduce((sum, each) => sum + each, 0)).to.be.at.most(
          Math.max(
            total,
            levels.reduce((sum, { lower }) => sum + lower, 0),
          ) + 1e-6,
        );
      }),
    );
  });
  it('gives a level in need what another does not need', () => {
    const { seats } = share(
      [
        { nominal: 50, lower: 10, upper: 100, demand: 0 },
        { nominal: 50, lower: 50, upper: 100, demand: 200 },
      ],
      100,
    );
    expect(seats.map(Math.round)).to.deep.equal([10, 90]);
  });
});
