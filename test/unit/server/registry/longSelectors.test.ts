import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { inOneGo } from '../../../../api/steps.js';
import { Path } from '../../../../server/registry/validation/field.js';
import { validateLabelSelector } from '../../../../server/registry/validation/labelSelector.js';

const path = Path.of('spec', 'selector');
const many = <T>(make: (index: number) => T): T[] => Array.from({ length: 2_000 }, (_item, index) => make(index));

describe('registry, long selectors', () => {
  const selectors: readonly (readonly [string, JsonObject])[] = [
    ['labels', { matchLabels: Object.fromEntries(many((i) => [`k${i}`, 'v'])) }],
    ['expressions', { matchExpressions: many(() => ({ key: 'a', operator: 'In', values: ['b'] })) }],
    ['values', { matchExpressions: [{ key: 'a', operator: 'In', values: many((i) => `b${i}`) }] }],
  ];
  for (const [name, selector] of selectors)
    it(`are checked in steps: ${name}`, () => {
      const found = validateLabelSelector(selector, path);
      if (Array.isArray(found)) throw new Error('checked in one go');
      expect([...found]).to.have.length.above(10);
    });

  it('have the findings of short ones, in order', () => {
    const requirement = { key: '!', operator: 'Near', values: ['?'] };
    const short = validateLabelSelector({ matchExpressions: [requirement] }, path) as object[];
    expect(short.map((finding) => String((finding as { path: unknown }).path))).to.deep.equal([
      'spec.selector.matchExpressions[0].operator',
      'spec.selector.matchExpressions[0].key',
      'spec.selector.matchExpressions[0].values[0]',
    ]);
    const long = validateLabelSelector({ matchExpressions: [requirement, ...many(() => ({ key: 'a', operator: 'Exists' }))] }, path);
    expect(Array.isArray(long) ? long : inOneGo(long)).to.deep.equal(short);
  });
});
