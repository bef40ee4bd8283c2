import { expect } from 'chai';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  scaledQuantity,
  type Quantity,
} from '../../../api/quantity.js';

const canonical = (text: string): string => {
  const result = canonicalQuantity(text);
  return result.ok ? result.text : result.message;
};
const quantity = (text: string): Quantity => {
  const result = parseQuantity(text);
  if (!result.ok) throw new Error(result.message);
  return result.quantity;
};
const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongSuffix = "unable to parse quantity's suffix";

describe('quantities', () => {
  it('of few digits are at sight what reading them thoroughly says', () => {
    for (const digits of ['', '0', '5', '05', '50', '500', '999', '1000', '+5'])
      for (const unit of ['', 'm', 'k', 'K', 'E', 'n', 'i', 'Ki', 'ki', 'mi', 'Ei', 'Mib', '5', ' ', 'e3']) {
        const text = `${digits}${unit}`;
        const thorough = parseQuantity(text);
        expect(canonical(text), text).to.equal(thorough.ok ? thorough.text : thorough.message);
      }
  });

  it('keep their spelling if their digits and unit are the canonical ones', () => {
    for (const text of [
      '0',
      '1',
      '1k',
      '1M',
      '1024',
      '1Ki',
      '500m',
      '1536Mi',
      '2048',
      '+5',
      '5.',
      '00012',
      '100m',
      '1e3',
      '1E3',
      '12e6',
      '1e-3',
      '1E',
      '1Ei',
      '2P',
      '1n',
      '1u',
      '9223372036854775807',
      '9223372036854775808',
      '999999999n',
      '3e0',
      '-5',
    ]) {
      expect(canonical(text)).to.equal(text);
    }
  });

  it('are brought into canonical form otherwise', () => {
    const forms: Record<string, string> = {
      '1000m': '1',
      '0.5': '500m',
      '1.5': '1500m',
      '1000': '1k',
      '1000k': '1M',
      '1024Ki': '1Mi',
      '1024Mi': '1Gi',
      '1.5Gi': '1536Mi',
      '0.5Gi': '512Mi',
      '.5': '500m',
      '1.10': '1100m',
      '1.5e3': '1500',
      '0.0001': '100u',
      '0.1Ki': '102400m',
      '1.7Ki': '1740800m',
      '100000000000000000000': '100E',
      '1000000000000000000000': '1',
      '10000000000000000000000000000': '10',
      '0Gi': '0',
      '0m': '0',
      '1000000000n': '1',
      '1e1000': '10e999',
      ' 1': '1',
      '1 ': '1',
      Gi: '0',
      e3: '0',
      '.': '0',
      '0.1n': '1n',
      '1e-20': '1e-9',
      '16Ei': '9223372036854775807',
      '-1.5Gi': '-1536Mi',
    };
    for (const [text, expected] of Object.entries(forms)) expect(canonical(text), text).to.equal(expected);
  });

  it('are refused in the words of the reference', () => {
    for (const text of ['', '1 Gi', '1g', '1KB', '1kib', '1gi', '1.2.3', '1,5', '0x10', '1e3Gi', 'NaN', 'x'])
      expect(canonical(text), text).to.equal(wrongFormat);
    for (const text of ['1K', '1e', '1ee3', '--1', '1mi']) expect(canonical(text), text).to.equal(wrongSuffix);
  });

  it('compare by value', () => {
    const ascending = ['-1Gi', '-5', '0', '1n', '1m', '0.5', '1', '1Ki', '1025', '1Mi', '1e9', '1Ei', '1e100', '1e1000000000'];
    for (let index = 1; index < ascending.length; index++)
      expect(compareQuantities(quantity(ascending[index - 1] ?? ''), quantity(ascending[index] ?? '')), ascending[index]).to.equal(-1);
    expect(compareQuantities(quantity('1024Mi'), quantity('1Gi'))).to.equal(0);
    expect(compareQuantities(quantity('0'), quantity('0Gi'))).to.equal(0);
  });

  it('cost little, however large they are', () => {
    const [one, huge] = ['1', '1e2000000000'].map(quantity) as [Quantity, Quantity];
    for (const sum of [addQuantities(one, huge), addQuantities(huge, one)]) expect(sum).to.deep.equal(huge);
    expect(addQuantities(one, quantity('-1e2000000000')).digits).to.equal(-1n);
    expect(scaledQuantity(huge, 3) > scaledQuantity(quantity('1e900'), 3)).to.equal(true);
    expect(addQuantities(one, quantity('1e1000'))).to.deep.equal({ digits: 10n ** 1000n + 1n, exponent: 0, format: 'decimal' });
  });

  it('have canonical forms that are stable and of the same value', () => {
    const texts = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt(0n, 10n ** 20n),
        fc.option(fc.nat(999999)),
        fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-2', 'e5'),
      )
      .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);
    fc.assert(
      fc.property(texts, (text) => {
        const value = quantity(text);
        const size = { ...value, digits: value.digits < 0n ? -value.digits : value.digits };
        if (compareQuantities(size, quantity('1e20')) >= 0) return; // beyond E there is no unit, and the reference prints none
        const printed = canonical(text);
        expect(canonical(printed)).to.equal(printed);
        expect(compareQuantities(value, quantity(formatQuantity(value)))).to.equal(0);
      }),
      { numRuns: 2000 },
    );
  });
});
