import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { StatusError } from '../../../../api/status.js';
import { refuseGrown } from '../../../../server/registry/grown.js';
import { weighsMore } from '../../../../workers/turns/weight.js';
import { inOneGo } from '../../../../api/steps.js';

const texts = (count: number, bytes: number): ApiObject =>
  ({ metadata: {}, data: Array.from({ length: count }, () => 'x'.repeat(bytes)) }) as ApiObject;

describe('objects that have grown', () => {
  it('are refused when they hold more text than any body may bring', () => {
    expect(() => inOneGo(refuseGrown(texts(4_000, 1_000))))
      .to.throw(StatusError, 'Request entity too large: limit is 3145728')
      .with.property('code', 413);
  });

  it('are let be as long as a body may bring as much', () => {
    inOneGo(refuseGrown(texts(3_000, 1_000)));
    inOneGo(refuseGrown({ metadata: {}, data: null, list: [null, { a: null }, 1, 'b'] } as ApiObject));
  });

  it('are measured in as many steps as they hold values', () => {
    const stepsOf = (count: number): number => [...refuseGrown(texts(count, 1))].length;
    expect(stepsOf(40_000)).to.equal(2 * stepsOf(20_000));
  });
});

describe('the weight of values', () => {
  const members = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, position) => [`m${position}`, position]));

  it('is that of members and items on all levels', () => {
    expect(weighsMore([[1, 2], { a: { b: 1 } }], 6)).to.equal(false);
    expect(weighsMore([[1, 2], { a: { b: 1 } }], 5)).to.equal(true);
    expect(weighsMore('a long text', 0)).to.equal(false);
  });

  it('is the same when it is asked again, with another allowance', () => {
    const [small, large] = [members(2_000), members(2_001)];
    for (const most of [2_000, 100, 2_000]) {
      expect(weighsMore(small, most)).to.equal(most < 2_000);
      expect(weighsMore(large, most)).to.equal(true);
    }
    expect(weighsMore(large, 3_000)).to.equal(false);
  });

  it('takes one list of the members of a wide object, and then none', () => {
    let listed = 0;
    const wide = new Proxy(members(5_000), { ownKeys: (target) => (listed++, Reflect.ownKeys(target)) });
    for (let time = 0; time < 3; time++) expect(weighsMore(wide, 2_000)).to.equal(true);
    expect(listed).to.equal(1);
  });

  it('is counted no further than it matters', () => {
    let looked = 0;
    const items = new Proxy(
      [...Array(100).keys()].map((position) => [position]),
      {
        get(target, name, receiver): unknown {
          if (typeof name === 'string' && /^\d+$/.test(name)) looked += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    expect(weighsMore(items, 110)).to.equal(true);
    expect(looked).to.be.at.most(12);
  });
});
