import { expect } from 'chai';
import fc from 'fast-check';
import { typeNamed, typeNames, type ApiType } from '../../../../api/catalogue/types.js';
import type { Json, JsonMembers } from '../../../../workers/codecs/value.js';
import { createWorkers } from '../../../../workers/pool.js';
import { cut, pieceWeightMax, putTogether } from '../../../../workers/pieces.js';
import { randomObject } from './randomObjects.js';

const types = (): ApiType[] =>
  typeNames()
    .flatMap((name) => typeNamed(name) ?? [])
    .filter(({ kinds }) => kinds.length > 0);

/** Integers beyond 2^53 become bigint, and zero loses its sign. */
const plain = (number: number): number => (number === 0 || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? 0 : number);

describe('values in pieces', function () {
  it('come together as they were, whatever they are', async () => {
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map(plain),
        fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc
          .dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'))
          .map((members) => Object.fromEntries(Object.entries(members))),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect(await putTogether(cut(value))).to.deep.equal(value);
      }),
      { numRuns: 300 },
    );
  });

  it('are many for a heavy value, each of bounded weight, and keep the order', async () => {
    const items = Array.from({ length: 300 }, (_item, index) => ({
      index,
      lists: [[index, 'x'.repeat(1000)], []],
      nested: Object.fromEntries(Array.from({ length: 60 }, (_member, each) => [`m${each}`, { deep: [each, null] }])),
    }));
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_item, index) => [`k${index}`, 'v']));
    const value: JsonMembers = { first: 1, items, between: 'x', wide, last: { empty: {}, list: [] }, big: 9_007_199_254_740_993n };
    const pieces = cut(value);
    expect(pieces.length).to.be.greaterThan(5);
    expect(Math.max(...pieces.map(({ text }) => text.length))).to.be.lessThan(pieceWeightMax * 64 * 2);
    const together = await putTogether(pieces);
    expect(together).to.deep.equal(value);
    const written = (each: unknown): string =>
      JSON.stringify(each, (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
    expect(written(together)).to.equal(written(value));
  });

  it('let other work have its turn', async () => {
    const value = Object.fromEntries(Array.from({ length: 40_000 }, (_item, index) => [`k${index}`, [index]]));
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await putTogether(cut(value));
    clearImmediate(timer);
    expect(turns).to.be.greaterThan(1);
  });

  it('are the way of objects of every type through the pool', async () => {
    const workers = createWorkers({ inlineBytesMax: 0, threads: 1 });
    const inline = createWorkers({ inlineBytesMax: Infinity });
    try {
      for (const type of types()) {
        const kind = type.kinds[0];
        if (kind === undefined) continue;
        const request = {
          bytes: Buffer.from(
            JSON.stringify(randomObject(type, 7), (_name, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
          ),
          encoding: 'json' as const,
          kind,
          findStrict: true,
        };
        expect(await workers.decodeObject(request), type.name).to.deep.equal(inline.decodeObject(request));
      }
    } finally {
      await Promise.all([workers.close(), inline.close()]);
    }
  });
});
