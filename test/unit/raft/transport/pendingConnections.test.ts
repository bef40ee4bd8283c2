import { expect } from 'chai';
import fc from 'fast-check';
import { PendingConnections } from '../../../../raft/transport/pendingConnections.js';

describe('raft/transport/pendingConnections', () => {
  const filled = (
    bounds: ConstructorParameters<typeof PendingConnections>[0],
    guests: readonly (readonly [key: string, address: string])[],
  ): { pending: PendingConnections; out: string[] } => {
    const out: string[] = [];
    const pending = new PendingConnections(bounds);
    for (const [key, address] of guests)
      pending.enter(key, address, () => {
        out.push(key);
      });
    return { pending, out };
  };

  it('puts out who has waited longest when there is no room', () => {
    const { pending, out } = filled({ countMax: 2, perAddressMax: 2 }, [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]);
    expect([out, pending.size]).to.deep.equal([['a'], 2]);
  });

  it('puts out a neighbour when one address has filled its share, and nobody else', () => {
    const { pending, out } = filled({ countMax: 4, perAddressMax: 2 }, [
      ['a', '1'],
      ['b', '2'],
      ['c', '2'],
      ['d', '2'],
    ]);
    expect([out, pending.size]).to.deep.equal([['b'], 3]);
  });

  it('has the place again of who left', () => {
    const { pending, out } = filled({ countMax: 2, perAddressMax: 2 }, [
      ['a', '1'],
      ['b', '2'],
    ]);
    pending.leave('a');
    pending.leave('a');
    pending.enter('c', '3', () => {
      out.push('c');
    });
    expect([out, pending.size]).to.deep.equal([[], 2]);
  });

  it('never has more than its bounds, and puts nobody out twice, whoever comes and goes', () => {
    const step = fc.record({ key: fc.nat({ max: 20 }).map(String), address: fc.nat({ max: 4 }).map(String), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const pending = new PendingConnections({ countMax: 5, perAddressMax: 3 });
        const inside = new Map<string, string>();
        for (const { key, address, leaves } of steps) {
          if (leaves) {
            pending.leave(key);
            inside.delete(key);
          } else if (!inside.has(key)) {
            pending.enter(key, address, () => {
              expect(inside.delete(key)).to.equal(true);
            });
            inside.set(key, address);
          }
          expect(pending.size).to.equal(inside.size).and.to.be.at.most(5);
          for (const one of inside.values()) expect([...inside.values()].filter((other) => other === one).length).to.be.at.most(3);
        }
      }),
    );
  });
});
