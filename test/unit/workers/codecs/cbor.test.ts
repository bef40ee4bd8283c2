import { Encoder } from 'cbor-x';
import { expect } from 'chai';
import { cborCodec, encodeCborObject } from '../../../../workers/codecs/cbor.js';

const decode = (bytes: Buffer) => cborCodec.decode(bytes, { findDuplicates: true, depthMax: 50 });
const fromHex = (hex: string) => decode(Buffer.from(hex, 'hex'));

describe('CBOR codec', () => {
  it('begins with the self-described tag and writes text as byte strings, members by encoded name', () => {
    expect(cborCodec.encode({ b: 1, aa: 'x', a: [true, null] }).toString('hex')).to.equal(
      'd9d9f7a3' + '4161' + '82f5f6' + '4162' + '01' + '426161' + '4178',
    );
  });

  it('writes the shortest form of every number', () => {
    const forms: [number | bigint, string][] = [
      [23, '17'],
      [24, '1818'],
      [-1, '20'],
      [256, '190100'],
      [65536, '1a00010000'],
      [2 ** 32, '1b0000000100000000'],
      [1.5, 'f93e00'],
      [5.960464477539063e-8, 'f90001'],
      [65504.5, 'fa477fe080'],
      [0.1, 'fb3fb999999999999a'],
      [9223372036854775807n, '1b7fffffffffffffff'],
      [-9223372036854775808n, '3b7fffffffffffffff'],
      [-0, 'f98000'],
    ];
    for (const [value, hex] of forms) {
      expect(cborCodec.encode(value).toString('hex'), String(value)).to.equal(`d9d9f7${hex}`);
      expect(fromHex(hex), hex).to.deep.equal({ ok: true, value, duplicates: [] });
    }
    expect(() => cborCodec.encode(NaN)).to.throw(RangeError);
    expect(() => cborCodec.encode([Infinity])).to.throw(RangeError);
  });

  it('reads what another implementation writes, as text strings', () => {
    const value = { kind: 'ConfigMap', list: [1, -5, 1.5, 'ü', true, null], nested: { a: {} }, long: 'x'.repeat(300) };
    const encoder = new Encoder({ useRecords: false, mapsAsObjects: true });
    expect(decode(encoder.encode(value))).to.deep.equal({ ok: true, value, duplicates: [] });
    expect(encoder.decode(cborCodec.encode([1, -5, 1.5, true, null, {}]).subarray(3))).to.deep.equal([1, -5, 1.5, true, null, {}]);
  });

  it('applies the text encoding that a tag asks for', () => {
    expect(fromHex('d64301ff02')).to.deep.include({ value: 'Af8C' });
    expect(fromHex('d74301ff02')).to.deep.include({ value: '01ff02' });
  });

  it('takes lengths that are left open, which other encoders write', () => {
    expect(fromHex('9f01820203ff')).to.deep.include({ value: [1, [2, 3]] });
    expect(fromHex('bf6161015f41624163ff02ff')).to.deep.include({ value: { a: 1, bc: 2 } });
    expect(fromHex('7f61c3ff').ok).to.equal(false);
    expect(fromHex('d65f41014202ffff')).to.deep.include({ value: 'AQL/' });
  });

  it('reads times behind their tags', () => {
    expect(fromHex('c074323032342d30312d30315430303a30303a30305a')).to.deep.include({ value: '2024-01-01T00:00:00Z' });
    expect(fromHex('c11a65920080')).to.deep.include({ value: '2024-01-01T00:00:00Z' });
    expect(fromHex('c16161').ok).to.equal(false);
  });

  it('writes bytes as bytes where the kind has some, and reads them as base64', () => {
    const secret = { data: { k: 'aGVsbG8=', odd: 'not base64' }, stringData: { k: 'aGVsbG8=' } };
    const bytes = encodeCborObject(secret, { group: '', version: 'v1', kind: 'Secret' });
    expect(bytes.toString('hex'))
      .to.contain(`416bd645${Buffer.from('hello').toString('hex')}`)
      .and.contain(`416b48${Buffer.from('aGVsbG8=').toString('hex')}`);
    expect(decode(bytes)).to.deep.equal({ ok: true, value: secret, duplicates: [] });
  });

  it('refuses duplicates, simple values and integers that JSON has not, NaN, depth, what is cut off and what follows', () => {
    for (const hex of [
      'a2416101416102',
      'bf416101416102ff',
      '9f01',
      '9f',
      'bf4161ff',
      '5f4101',
      '5f6101ff',
      '5f5f4101ffff',
      'ff',
      '81ff',
      'f7',
      'e0',
      'f8ff',
      'c24101',
      'c34101',
      '1bffffffffffffffff',
      '3bffffffffffffffff',
      'f97e00',
      'f97c00',
      '83',
      '5bffffffffffffffff',
      '9bffffffffffffffff',
      'bb7fffffffffffffff',
      '0101',
      'a10102',
      '1bffffffffffffffff',
      '61ff',
      '',
      'f0',
      '1c',
    ]) {
      expect(fromHex(hex).ok, hex).to.equal(false);
    }
    expect(fromHex('81'.repeat(60) + '01').ok).to.equal(false);
  });
});
