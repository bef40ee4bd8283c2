import { expect } from 'chai';
import fc from 'fast-check';
import type { Reading } from '../../../../program/port/connections/reading.js';
import { Turns, type ClientConnection, type TurnOptions } from '../../../../program/port/connections/turns.js';

/** The clock stands still and continuations run at once. */
const timeless: Pick<TurnOptions, 'now' | 'afterwards'> = {
  now: () => 0,
  afterwards: (action) => {
    action();
  },
};

describe('turns of the event loop', () => {
  let next: (() => void)[];
  let begun: string[];
  let turns: Turns;
  let held: [string, string][];
  let cut: string[];

  const connections: ClientConnection[] = [];
  const connection = (ends: string, userName = ''): ClientConnection => {
    const made = {
      ends,
      userName,
      get siblings() {
        return userName === '' ? [] : connections.filter((other) => other.userName === userName);
      },
      cut: () => {
        cut.push(ends);
      },
    } as unknown as ClientConnection;
    connections.push(made);
    return made;
  };
  const reading = ({ ends }: ClientConnection): Reading => ({
    readStop: () => {
      held.push(['hold', ends]);
    },
    readStart: () => {
      held.push(['go on', ends]);
    },
  });
  const turn = (): void => {
    for (const action of next.splice(0)) action();
  };
  const begin = (of: ClientConnection, name: string): { closed: boolean; destroyed: boolean } => {
    const stream = { closed: false, destroyed: false };
    turns.begin(of, stream, () => {
      begun.push(name);
    });
    return stream;
  };
  const goOn = (user: string, name: string): Promise<void> => {
    const waiting = turns.goOn(user);
    if (waiting === undefined) begun.push(name);
    return (waiting ?? Promise.resolve()).then(() => {
      if (waiting !== undefined) begun.push(name);
    });
  };

  beforeEach(() => {
    next = [];
    begun = [];
    held = [];
    cut = [];
    connections.length = 0;
    turns = new Turns({
      ...timeless,
      perTurn: 2,
      inNextTurn: (action) => {
        next.push(action);
      },
      reading,
    });
  });

  it('let some requests begin at once, the others in the next turns, one of each connection after the other', () => {
    const [greedy, modest] = [connection('greedy'), connection('modest')];
    for (const name of ['a', 'b', 'c', 'd', 'e']) begin(greedy, name);
    begin(modest, 'other');
    expect(begun).to.deep.equal(['a', 'b']);
    turn();
    expect(begun.slice(2)).to.deep.equal(['c', 'other']);
    begin(greedy, 'f');
    turn();
    expect(begun.slice(4)).to.deep.equal(['d', 'e']);
    turn();
    expect(begun.slice(6)).to.deep.equal(['f']);
    turn();
    expect(next, 'nothing is scheduled when nothing waits').to.deep.equal([]);
    begin(modest, 'g');
    expect(begun.at(-1)).to.equal('g');
  });

  it('count all connections of one user as one client', () => {
    const greedy = ['1', '2', '3', '4'].map((ends) => connection(ends, 'greedy'));
    for (const name of ['a', 'b']) for (const [at, each] of greedy.entries()) begin(each, `${name}${at}`);
    begin(connection('5', 'modest'), 'other');
    turn();
    expect(begun).to.deep.equal(['a0', 'a1', 'a2', 'other']);
    turn();
    turn();
    expect(begun.slice(4)).to.deep.equal(['a3', 'b0', 'b1', 'b2']);
  });

  it('let those go on that have begun, before others of the same client begin', async () => {
    const greedy = connection('1', 'greedy');
    const returned = ['r1', 'r2', 'r3', 'r4'].map((name) => goOn('greedy', name));
    begin(greedy, 'new');
    const other = goOn('modest', 'other');
    expect(begun).to.deep.equal(['r1', 'r2']);
    turn();
    await other;
    expect(begun.slice(2)).to.deep.equal(['r3', 'other']);
    turn();
    await Promise.all(returned);
    expect(begun.slice(4)).to.have.members(['r4', 'new']);
  });

  it('keep the order of a connection, and let each begin once, however they come', () => {
    const clients = ['0', '1', '2'].map((ends) => connection(ends));
    for (let each = 0; each < 9_000; each += 1) {
      begin(clients[each % 3] as ClientConnection, `${each % 3} ${each}`);
      if (each % 7 === 0) turn();
    }
    while (next.length > 0) turn();
    expect(begun).to.have.length(9_000);
    for (const client of ['0', '1', '2']) {
      const numbers = begun.filter((name) => name.startsWith(client)).map((name) => Number(name.slice(2)));
      expect(numbers).to.deep.equal([...numbers].sort((one, other) => one - other));
    }
  });

  /** A client with one piece waits for at most one piece of each other client. */
  it('never let a client wait for two pieces of another one', () => {
    const step = fc.record({ client: fc.constantFrom('a', 'b', 'c', 'd'), returns: fc.boolean(), turn: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        next = [];
        const order: string[] = [];
        const waiting = new Map<string, number>();
        const since = new Map<string, number>();
        const mine = new Turns({
          ...timeless,
          perTurn: 3,
          inNextTurn: (action) => {
            next.push(action);
          },
          reading,
        });
        const ran = (client: string): void => {
          order.push(client);
          waiting.set(client, (waiting.get(client) ?? 0) - 1);
          const from = since.get(client) ?? order.length - 1;
          const meanwhile = order.slice(from, -1);
          for (const other of new Set(meanwhile)) expect(meanwhile.filter((name) => name === other)).to.have.length(1);
          since.set(client, order.length);
        };
        for (const { client, turn: turns } of steps) {
          if ((waiting.get(client) ?? 0) === 0) since.set(client, order.length);
          waiting.set(client, (waiting.get(client) ?? 0) + 1);
          const bringer = connection(client, client);
          mine.begin(bringer, { closed: false, destroyed: false }, () => {
            ran(client);
          });
          if (turns) turn();
        }
        while (next.length > 0) turn();
        expect([...waiting.values()].every((left) => left === 0)).to.equal(true);
        expect(order).to.have.length(steps.length);
      }),
    );
  });

  describe('which take time', () => {
    let now: number;
    let afterwards: (() => void)[];
    beforeEach(() => {
      now = 0;
      afterwards = [];
      turns = new Turns({
        perTurn: 16,
        now: () => now,
        inNextTurn: (action) => {
          next.push(action);
        },
        afterwards: (action) => {
          afterwards.push(action);
        },
        reading,
      });
    });
    const beginLong = (of: ClientConnection, name: string, ms: number): void => {
      turns.begin(of, { closed: false, destroyed: false }, () => {
        begun.push(name);
        now += ms;
      });
    };

    it('have the event loop go round once two milliseconds are over, however few pieces there were', () => {
      const clients = ['1', '2', '3', '4', '5'].map((ends) => connection(ends));
      for (const each of clients) beginLong(each, each.ends, 1.5);
      expect(begun).to.deep.equal(['1', '2']);
      turn();
      expect(begun.slice(2)).to.deep.equal(['3', '4']);
      beginLong(connection('6'), '6', 100);
      turn();
      expect(begun.slice(4)).to.deep.equal(['5', '6']);
      beginLong(connection('7'), '7', 0);
      turn();
      expect(begun.slice(6), 'a piece begins in each turn').to.deep.equal(['7']);
    });

    it('count the time of what goes on, which is only known afterwards', async () => {
      beginLong(connection('0'), 'long', 5);
      const going = ['a', 'b', 'c'].map((name) => goOn(name, name));
      turn();
      await going[0];
      expect(begun).to.deep.equal(['long', 'a']);
      now += 5;
      for (const action of afterwards.splice(0)) action();
      await Promise.resolve();
      expect(begun, 'the turn is over').to.deep.equal(['long', 'a']);
      turn();
      await going[1];
      for (const action of afterwards.splice(0)) action();
      await going[2];
      expect(begun.slice(2), 'two that take no time').to.deep.equal(['b', 'c']);
    });
  });

  it('never let requests begin that were taken back before their turn', () => {
    const attacker = connection('attacker');
    for (const name of ['a', 'b', 'c', 'd', 'e']) begin(attacker, name).closed = name < 'e';
    turn();
    expect(begun).to.deep.equal(['a', 'b', 'e']);
  });

  it('have a connection with many waiting requests not read any further', () => {
    const attacker = connection('attacker');
    for (let each = 0; each < 65; each += 1) begin(attacker, String(each));
    expect(held).to.deep.equal([]);
    begin(attacker, '65');
    expect(held).to.deep.equal([['hold', 'attacker']]);
    while (next.length > 0) turn();
    expect([held.length, held.at(-1), begun.length]).to.deep.equal([2, ['go on', 'attacker'], 66]);
  });

  it('read on, one connection in a turn, once all that its user has brought have begun', () => {
    const greedy = ['1', '2', '3'].map((ends) => connection(ends, 'greedy'));
    for (const each of greedy) for (let at = 0; at < 66; at += 1) begin(each, `${each.ends} ${at}`);
    expect(new Set(held.map(([what, ends]) => `${what} ${ends}`))).to.deep.equal(new Set(['hold 1', 'hold 2', 'hold 3']));
    held = [];
    const readIn: string[][] = [];
    while (next.length > 0) {
      turn();
      if (held.length > 0) readIn.push(held.splice(0).map(([, ends]) => ends));
    }
    expect(begun).to.have.length(3 * 66);
    expect(readIn).to.deep.equal([['1'], ['2'], ['3']]);
  });

  /**
   * Sockets with requests in the kernel, of which one read returns some: none is lost, and a user with many connections gets little more at a time than with
   * one.
   */
  it('read every connection to its end, and of a user no more at a time than of one connection', () => {
    const sockets = fc.array(fc.record({ user: fc.constantFrom('a', 'b'), requests: fc.integer({ min: 0, max: 400 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(sockets, fc.integer({ min: 64, max: 100 }), (made, atOnce) => {
        next = [];
        connections.length = 0;
        const opened = made.map(({ user, requests }, at) => ({
          bringer: connection(String(at), user),
          user,
          left: requests,
          read: true,
          brought: 0,
          seen: [] as number[],
        }));
        const mine = new Turns({
          ...timeless,
          perTurn: 16,
          inNextTurn: (action) => {
            next.push(action);
          },
          reading: ({ ends }) => {
            const of = opened[Number(ends)] as (typeof opened)[number];
            return {
              readStop: () => {
                of.read = false;
              },
              readStart: () => {
                of.read = true;
              },
            };
          },
        });
        let written: (typeof opened)[number][] = [];
        for (let loop = 0; next.length > 0 || opened.some(({ left }) => left > 0); loop += 1) {
          expect(loop, 'turns of the event loop').to.be.below(1_000);
          // Node writes before a turn, and resumes reading after a write.
          for (const each of written) {
            each.read = true;
            mine.answered(each.bringer);
          }
          written = [];
          turn();
          const reading = opened.filter(({ read, left }) => read && left > 0);
          // The first reads precede any limit, and the last ones are too small for it.
          if (loop > 0) for (const user of ['a', 'b']) expect(reading.filter((each) => each.user === user).length).to.be.at.most(1);
          for (const each of reading) {
            // A user's other connection may have read so much in this turn that this one must wait.
            if (!each.read) continue;
            for (let piece = 0; piece < atOnce && each.left > 0; piece += 1) {
              each.left -= 1;
              const number = each.brought++;
              mine.begin(each.bringer, { closed: false, destroyed: false }, () => {
                each.seen.push(number);
                written.push(each);
              });
            }
            const waiting = opened
              .filter(({ user }) => user === each.user)
              .reduce((sum, { brought, seen }) => sum + brought - seen.length, 0);
            expect(waiting, 'of a user, what waits here').to.be.below(64 + atOnce);
          }
        }
        for (const [at, { seen, read }] of opened.entries()) {
          expect(seen).to.deep.equal(Array.from({ length: made[at]?.requests ?? 0 }, (_, index) => index));
          expect(read, 'is read at the end').to.equal(true);
        }
      }),
    );
  });

  it('hold a connection again that Node reads because it has written to it', () => {
    const greedy = connection('1', 'greedy');
    for (let each = 0; each < 66; each += 1) begin(greedy, String(each));
    held = [];
    turns.answered(greedy);
    turns.answered(greedy);
    expect(held).to.deep.equal([]);
    turn();
    expect(held).to.deep.equal([['hold', '1']]);
  });

  it('give what waits on a connection to the one who has said meanwhile who he is', () => {
    const [first, second] = [connection('1'), connection('2')];
    for (const name of ['a', 'b', 'c', 'd', 'e']) begin(first, `1${name}`);
    for (const name of ['a', 'b', 'c', 'd', 'e']) begin(second, `2${name}`);
    begin(connection('3', 'modest'), 'other');
    for (const each of [first, second]) Object.assign(each, { userName: 'greedy' });
    while (next.length > 0) turn();
    expect(begun.indexOf('other')).to.be.below(5);
    expect(begun).to.have.length(11);
    expect(begun.slice(2).filter((name) => name.startsWith('1'))).to.deep.equal(['1c', '1d', '1e']);
    expect(begun.filter((name) => name.startsWith('2'))).to.deep.equal(['2a', '2b', '2c', '2d', '2e']);
  });

  describe('of clients for whose requests there is no room', () => {
    let now: number;
    let timers: { readonly at: number; readonly action: () => void }[];
    /** Concurrent requests of `greedy`. */
    const places = 3;
    let underWay: ClientConnection[];
    let refused: number;

    beforeEach(() => {
      now = 0;
      timers = [];
      underWay = [];
      refused = 0;
      turns = new Turns({
        ...timeless,
        now: () => now,
        perTurn: 16,
        inNextTurn: (action) => {
          next.push(action);
        },
        later: (action, ms) => {
          timers.push({ at: now + ms, action });
        },
        reading,
      });
    });
    const pass = (ms: number): void => {
      for (const end = now + ms; now < end; now += 1) {
        const due = timers.filter(({ at }) => at <= now);
        timers = timers.filter(({ at }) => at > now);
        for (const { action } of due) action();
        turn();
      }
    };
    /** A client that repeats its request after every answer. */
    const askWithoutEnd = (of: ClientConnection): void => {
      const ask = (): void => {
        turns.begin(of, { closed: false, destroyed: false }, () => {
          if (underWay.length < places) underWay.push(of);
          else {
            refused += 1;
            turns.refused(of);
            next.push(ask);
          }
        });
      };
      for (let stream = 0; stream < 100; stream += 1) ask();
    };
    const end = (): void => {
      const of = underWay.shift();
      if (of !== undefined) turns.left(of);
    };

    it('refuse one in every few milliseconds, however fast they ask again', () => {
      for (const ends of ['1', '2', '3']) askWithoutEnd(connection(ends, 'greedy'));
      pass(400);
      expect(underWay).to.have.length(places);
      expect(refused).to.be.within(80, 101);
    });

    it('begin one in the place of each that is over, at once', () => {
      askWithoutEnd(connection('1', 'greedy'));
      pass(1);
      const before = refused;
      for (let each = 0; each < 50; each += 1) {
        end();
        turn();
        expect(underWay, 'no place stays empty').to.have.length(places);
      }
      expect(refused).to.equal(before);
    });

    it('keep nobody else from anything', () => {
      for (const ends of ['1', '2', '3', '4', '5']) askWithoutEnd(connection(ends, 'greedy'));
      pass(50);
      for (let each = 0; each < 20; each += 1) {
        begin(connection(`modest ${each}`, `modest ${each}`), String(each));
        expect(begun, 'at once: nobody else is in the line').to.have.length(each + 1);
        pass(1);
      }
    });

    it('begin all at once again when nothing of them was refused for a second', () => {
      const greedy = connection('1', 'greedy');
      turns.refused(greedy);
      pass(999);
      for (const name of ['a', 'b', 'c']) begin(greedy, name);
      expect(begun).to.deep.equal(['a']);
      // Waiting requests begin at their scheduled check.
      pass(5);
      expect(begun).to.deep.equal(['a', 'b', 'c']);
    });

    it('have all of them begin in the end, in their order', () => {
      const greedy = connection('1', 'greedy');
      turns.refused(greedy);
      const names = Array.from({ length: 300 }, (_, each) => String(each));
      for (const name of names) begin(greedy, name);
      pass(1_100);
      expect(begun).to.deep.equal(names);
      expect(held.at(-1)).to.deep.equal(['go on', '1']);
    });
  });

  it('bound what waits: beyond, the connection is cut', () => {
    const attacker = connection('attacker');
    for (let each = 0; each < 20_000 && cut.length === 0; each += 1) begin(attacker, String(each));
    expect([cut, begun.length]).to.deep.equal([['attacker'], 2]);
  });
});
