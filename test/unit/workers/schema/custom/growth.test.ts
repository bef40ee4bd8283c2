import { expect } from 'chai';
import type { Json, JsonMembers } from '../../../../../workers/codecs/value.js';
import { compile } from '../../../../../workers/schema/custom/compile.js';
import { GrownTooLarge } from '../../../../../workers/schema/custom/contract.js';
import { inOneGo } from '../../../../../api/steps.js';

const bytes = 1_000;
const item: JsonMembers = { type: 'object', properties: { t: { type: 'string', default: 'x'.repeat(bytes) } } };
const schema: JsonMembers = { type: 'object', properties: { l: { type: 'array', items: item } } };
const grownBytesMax = 100_000;
const many = (length: number): JsonMembers => ({ l: Array.from({ length }, (): Json => ({})) });

describe('defaults of many items', () => {
  it('are set as long as the object can be kept', () => {
    const object = many(90);
    expect(inOneGo(compile(schema, { grownBytesMax }).receive(object)).ok).to.equal(true);
    expect((object['l'] as JsonMembers[]).every(({ t }) => (t as string).length === bytes)).to.equal(true);
  });

  it('end where it can no longer be kept, however many items there are', () => {
    const object = many(200_000);
    expect(() => inOneGo(compile(schema, { grownBytesMax }).receive(object))).to.throw(GrownTooLarge);
    expect((object['l'] as JsonMembers[]).filter((each) => 't' in each)).to.have.length.below(100);
  });

  it('count members by the bytes of their names, too', () => {
    const name = 'n'.repeat(bytes);
    const named: JsonMembers = {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'object', properties: { [name]: { type: 'string', default: '' } } } } },
    };
    expect(() => inOneGo(compile(named, { grownBytesMax }).receive(many(200)))).to.throw(GrownTooLarge);
  });

  it('of what is kept already are set all the same', () => {
    const object = many(500);
    inOneGo(compile(schema, { grownBytesMax }).restore(object));
    expect((object['l'] as JsonMembers[]).every((each) => 't' in each)).to.equal(true);
  });
});
