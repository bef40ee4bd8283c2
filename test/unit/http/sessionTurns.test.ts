import { expect } from 'chai';
import type { Http2Session } from 'node:http2';
import { SessionTurns } from '../../../server/http/sessionTurns.js';

describe('requests of one HTTP/2 connection', () => {
  const session = (): Http2Session & { destroyed: boolean } => {
    const made = {
      destroyed: false,
      destroy: (): void => {
        made.destroyed = true;
      },
    };
    return made as unknown as Http2Session & { destroyed: boolean };
  };
  let next: (() => void)[];
  let begun: string[];
  let turns: SessionTurns;
  let held: [string, Http2Session][];

  beforeEach(() => {
    next = [];
    begun = [];
    held = [];
    const reading = {
      hold: (of: Http2Session): void => {
        held.push(['hold', of]);
      },
      goOn: (of: Http2Session): void => {
        held.push(['go on', of]);
      },
    };
    turns = new SessionTurns(reading, 2, (action) => {
      next.push(action);
    });
  });
  const turn = (): void => {
    for (const action of next.splice(0)) action();
  };
  const take = (of: Http2Session, name: string): { closed: boolean; destroyed: boolean } => {
    const stream = { closed: false, destroyed: false };
    turns.take(of, stream, () => {
      begun.push(name);
    });
    return stream;
  };

  it('begin some at once, the others in the next turns, one of each connection after the other', () => {
    const [greedy, modest] = [session(), session()];
    for (const name of ['a', 'b', 'c', 'd', 'e']) take(greedy, name);
    take(modest, 'other');
    expect(begun).to.deep.equal(['a', 'b']);
    turn();
    expect(begun.slice(2)).to.deep.equal(['c', 'other']);
    take(greedy, 'f');
    turn();
    expect(begun.slice(4)).to.deep.equal(['d', 'e']);
    turn();
    expect(begun.slice(6)).to.deep.equal(['f']);
    turn();
    expect(next, 'nothing is scheduled when nothing waits').to.deep.equal([]);
    take(modest, 'g');
    expect(begun.at(-1)).to.equal('g');
  });

  it('keep their order, and each begins once, however they come', () => {
    const clients = [session(), session(), session()];
    for (let each = 0; each < 9_000; each += 1) {
      take(clients[each % 3] as Http2Session, `${each % 3} ${each}`);
      if (each % 7 === 0) turn();
    }
    while (next.length > 0) turn();
    expect(begun).to.have.length(9_000);
    for (const client of ['0', '1', '2']) {
      const numbers = begun.filter((name) => name.startsWith(client)).map((name) => Number(name.slice(2)));
      expect(numbers).to.deep.equal([...numbers].sort((one, other) => one - other));
    }
  });

  it('never begin when they were taken back before their turn', () => {
    const attacker = session();
    for (const name of ['a', 'b', 'c', 'd', 'e']) take(attacker, name).closed = name < 'e';
    turn();
    expect(begun).to.deep.equal(['a', 'b', 'e']);
  });

  it('are not read any further while many wait', () => {
    const attacker = session();
    for (let each = 0; each < 65; each += 1) take(attacker, String(each));
    expect(held).to.deep.equal([]);
    take(attacker, '65');
    expect(held).to.deep.equal([['hold', attacker]]);
    while (next.length > 0) turn();
    expect([held.length, held.at(-1), begun.length]).to.deep.equal([2, ['go on', attacker], 66]);
  });

  it('are bounded while they wait: beyond, the connection is cut', () => {
    const attacker = session();
    for (let each = 0; each < 20_000 && !attacker.destroyed; each += 1) take(attacker, String(each));
    expect([attacker.destroyed, begun.length]).to.deep.equal([true, 2]);
  });
});
