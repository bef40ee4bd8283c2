import { expect } from 'chai';
import { BoundedMap } from '../../../api/boundedMap.js';

describe('api/boundedMap', () => {
  it('forgets the half that was set longest ago when it is full', () => {
    const map = new BoundedMap<string, number>(4);
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) map.set(name, at);
    map.set('a', 9);
    map.set('e', 5);
    expect([...map]).to.deep.equal([
      ['d', 3],
      ['a', 9],
      ['e', 5],
    ]);
  });

  it('makes a value once', () => {
    const map = new BoundedMap<string, string>(2);
    let made = 0;
    const make = (key: string): string => `${key}${++made}`;
    expect([map.of('x', make), map.of('x', make), made]).to.deep.equal(['x1', 'x1', 1]);
  });

  it('stays within its bound, even one of a single entry', () => {
    const map = new BoundedMap<number, number>(1);
    for (let key = 0; key < 5; key++) map.set(key, key);
    expect([...map.keys()]).to.deep.equal([4]);
  });
});
