import { expect } from 'chai';
import { amountsOf, maxOf, sameAmounts, sumOf, type Amounts } from '../../../api/amounts.js';
import {
  addQuantities,
  formatQuantity,
  largerQuantity,
  parseQuantity,
  roundedUpQuantity,
  scaledQuantity,
  type Quantity,
} from '../../../api/quantity.js';

const quantity = (text: string): Quantity => {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.quantity;
};
const texts = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));

describe('api/quantity', () => {
  it('adds in the format of the first that is not zero', () => {
    const sum = (...amounts: string[]): string => formatQuantity(amounts.map(quantity).reduce(addQuantities));
    expect([sum('0', '64Mi'), sum('64Mi', '64Mi'), sum('500m', '250m', '1'), sum('1Gi', '1k'), sum('1k', '1Gi')]).to.deep.equal([
      '64Mi',
      '128Mi',
      '1750m',
      '1073742824',
      '1073742824',
    ]);
  });

  it('counts whole bytes', () => {
    expect(
      ['1500m', '1Ki', '1', '0', '-1500m', '1n', '3e0'].map((text) => formatQuantity(roundedUpQuantity(quantity(text)))),
    ).to.deep.equal(['2', '1Ki', '1', '0', '-1500m', '1', '3']);
  });

  it('counts thousandths, rounded up', () =>
    expect(['1', '100u', '1k', '0', '1500m'].map((text) => scaledQuantity(quantity(text), 3))).to.deep.equal([
      1000n,
      1n,
      1_000_000n,
      0n,
      1500n,
    ]));

  it('takes the first of equals', () =>
    expect(
      [largerQuantity(quantity('1Ki'), quantity('1024')), largerQuantity(quantity('1'), quantity('1001m'))].map(formatQuantity),
    ).to.deep.equal(['1Ki', '1001m']));
});

describe('api/amounts', () => {
  it('compares by value', () => {
    expect(sameAmounts({ cpu: '1', memory: '1Gi' }, { memory: '1024Mi', cpu: '1000m' })).to.equal(true);
    expect([sameAmounts({ cpu: '1' }, { cpu: '2' }), sameAmounts({ cpu: '0' }, {}), sameAmounts({ a: '1' }, { b: '1' })]).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it('puts two together by name', () => {
    const [a, b] = [amountsOf({ cpu: '1', memory: '1Gi' }), amountsOf({ cpu: '500m', pods: 2 })];
    expect(texts(sumOf(a, b))).to.deep.equal({ cpu: '1500m', memory: '1Gi', pods: '2' });
    expect(texts(maxOf(a, b))).to.deep.equal({ cpu: '1', memory: '1Gi', pods: '2' });
  });

  it('leaves out what is no amount', () => expect(texts(amountsOf({ cpu: 'x', memory: '1' }))).to.deep.equal({ memory: '1' }));
});
