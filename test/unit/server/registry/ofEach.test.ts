import { expect } from 'chai';
import { causesMax } from '../../../../api/status.js';
import { invalid, keepable, Path, type FieldError } from '../../../../server/registry/validation/field.js';
import { atOnce, inOrder, inOrderOfTexts, ofEach } from '../../../../server/registry/validation/ofEach.js';
import { repeats } from '../../../../server/registry/validation/repeats.js';
import { inOneGo, type Steps } from '../../../../api/steps.js';

const path = Path.of('list');
const numbers = (length: number): number[] => Array.from({ length }, (_, position) => position);
const wrong = (position: number): FieldError[] => [invalid(path.index(position), position, 'no')];

/** Number of steps. */
const stepsOf = (found: FieldError[] | Steps<FieldError[]>): number => {
  if (Array.isArray(found)) return 0;
  for (let steps = 0; ; steps++) if (found.next().done === true) return steps;
};

describe('findings about each item', () => {
  it('are there at once for short lists, and come in steps for long ones, as many as the list is long', () => {
    expect(ofEach(numbers(20), wrong))
      .to.be.an('array')
      .of.length(20);
    const [some, twice] = [10_000, 20_000].map((length) => stepsOf(ofEach(numbers(length), () => [])));
    expect(some).to.be.at.least(300);
    expect(Math.abs((twice ?? 0) - 2 * (some ?? 0))).to.be.at.most(1);
  });

  it('end when there are as many as an answer tells, which stay the first ones', () => {
    let looked = 0;
    const found = ofEach(numbers(500_000), (position) => {
      looked += 1;
      return position % 2 === 0 ? [] : wrong(position);
    });
    const findings = atOnce(found);
    expect(findings).to.have.length(causesMax);
    expect(findings.at(-1)?.path).to.equal(`list[${2 * causesMax - 1}]`);
    expect(looked).to.equal(2 * causesMax);
  });

  it('go on as long as those that are there may be dropped', () => {
    const found = atOnce(ofEach(numbers(5_000), (position) => keepable('fault', wrong(position))));
    expect(found).to.have.length(5_000);
  });

  it('keep their order where some lists are long and others are short', () => {
    const nested = ofEach(numbers(3), (outer) => ofEach(numbers(outer === 1 ? 100 : 1), (inner) => wrong(outer * 1_000 + inner)));
    const findings = atOnce(inOrder(wrong(7), nested, wrong(8)));
    expect(findings.map(({ path: at }) => at)).to.deep.equal(
      [7, 0, ...numbers(100).map((inner) => 1_000 + inner), 2_000, 8].map((position) => `list[${position}]`),
    );
  });

  it('pass through where nothing else is found, so that each step goes through few generators', () => {
    const long = ofEach(numbers(100), wrong);
    expect(inOrder([], long, [])).to.equal(long);
    expect(ofEach(numbers(3), (outer) => (outer === 1 ? long : []))).to.equal(long);
  });

  it('look at no item before it is its turn', () => {
    const looked: number[] = [];
    const steps = ofEach(numbers(1_000), (position) => {
      looked.push(position);
      return [];
    }) as Steps<FieldError[]>;
    steps.next();
    expect(looked).to.have.length(0);
    steps.next();
    expect(looked).to.have.length(32);
    expect(inOneGo(steps)).to.deep.equal([]);
    expect(looked).to.deep.equal(numbers(1_000));
  });
});

describe('findings in the order of their texts', () => {
  it('are the first ones of all', () => {
    const findings = numbers(7_000).map((position) => invalid(path.index((position * 3_571) % 7_000), 'v', 'no'));
    const texts = findings.map(({ path: at, message }) => `${at}: ${message}`);
    expect(inOneGo(inOrderOfTexts(findings)).map(({ path: at, message }) => `${at}: ${message}`)).to.deep.equal(
      texts.sort().slice(0, causesMax),
    );
    expect([...inOrderOfTexts(findings)]).to.have.length(3);
  });
});

describe('repeated values', () => {
  it('are those that have stood before', () => {
    const values = ['a', 'b', 'a', 'a', 'c', 'b'];
    expect(values.map((_, position) => repeats(values)(position))).to.deep.equal([false, false, true, true, false, true]);
  });

  it('are found with one look at each', () => {
    let looked = 0;
    const values = new Proxy(numbers(1_000), {
      get(target, name, receiver): unknown {
        if (typeof name === 'string' && /^\d+$/.test(name)) looked += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const isRepeated = repeats(values);
    for (let position = 0; position < 1_000; position++) expect(isRepeated(position)).to.equal(false);
    expect(looked).to.be.at.most(2_000);
  });
});
