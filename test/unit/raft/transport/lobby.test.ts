import { expect } from 'chai';
import fc from 'fast-check';
import { Lobby } from '../../../../raft/transport/lobby.js';

describe('raft/transport/lobby', () => {
  const filled = (
    bounds: ConstructorParameters<typeof Lobby>[0],
    guests: readonly (readonly [key: string, address: string])[],
  ): { lobby: Lobby; out: string[] } => {
    const out: string[] = [];
    const lobby = new Lobby(bounds);
    for (const [key, address] of guests)
      lobby.enter(key, address, () => {
        out.push(key);
      });
    return { lobby, out };
  };

  it('puts out who has waited longest when there is no room', () => {
    const { lobby, out } = filled({ countMax: 2, perAddressMax: 2 }, [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]);
    expect([out, lobby.size]).to.deep.equal([['a'], 2]);
  });

  it('puts out a neighbour when one address has filled its share, and nobody else', () => {
    const { lobby, out } = filled({ countMax: 4, perAddressMax: 2 }, [
      ['a', '1'],
      ['b', '2'],
      ['c', '2'],
      ['d', '2'],
    ]);
    expect([out, lobby.size]).to.deep.equal([['b'], 3]);
  });

  it('has the place again of who left', () => {
    const { lobby, out } = filled({ countMax: 2, perAddressMax: 2 }, [
      ['a', '1'],
      ['b', '2'],
    ]);
    lobby.leave('a');
    lobby.leave('a');
    lobby.enter('c', '3', () => {
      out.push('c');
    });
    expect([out, lobby.size]).to.deep.equal([[], 2]);
  });

  it('never has more than its bounds, and puts nobody out twice, whoever comes and goes', () => {
    const step = fc.record({ key: fc.nat({ max: 20 }).map(String), address: fc.nat({ max: 4 }).map(String), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const lobby = new Lobby({ countMax: 5, perAddressMax: 3 });
        const inside = new Map<string, string>();
        for (const { key, address, leaves } of steps) {
          if (leaves) {
            lobby.leave(key);
            inside.delete(key);
          } else if (!inside.has(key)) {
            lobby.enter(key, address, () => {
              expect(inside.delete(key)).to.equal(true);
            });
            inside.set(key, address);
          }
          expect(lobby.size).to.equal(inside.size).and.to.be.at.most(5);
          for (const one of inside.values()) expect([...inside.values()].filter((other) => other === one).length).to.be.at.most(3);
        }
      }),
    );
  });
});
