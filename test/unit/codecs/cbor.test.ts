import { Encoder } from 'cbor-x';
import { expect } from 'chai';
import { cborCodec } from '../../../workers/codecs/cbor.js';

const decode = (bytes: Buffer) => cborCodec.decode(bytes, { findDuplicates: true, depthMax: 50 });
const fromHex = (hex: string) => decode(Buffer.from(hex, 'hex'));

describe('CBOR codec', () => {
  it('begins with the self-described tag and writes text as byte strings, members by encoded name', () => {
    expect(cborCodec.encode({ b: 1, aa: 'x', a: [true, null] }).toString('hex')).to.equal('d9d9f7a3' + '4161' + '82f5f6' + '4162' + '01' + '426161' + '4178');
  });

  it('writes the shortest form of every number', () => {
    const forms: [number | bigint, string][] = [[23, '17'], [24, '1818'], [-1, '20'], [256, '190100'], [65536, '1a00010000'], [2 ** 32, '1b0000000100000000'], [1.5, 'f93e00'], [5.960464477539063e-8, 'f90001'],
      [65504.5, 'fa477fe080'], [0.1, 'fb3fb999999999999a'], [9223372036854775807n, '1b7fffffffffffffff'], [-9223372036854775808n, '3b7fffffffffffffff'], [-0, 'f98000']];
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
    expect(encoder.decode(cborCodec.encode([1, -5, 1.5, true, null, { }]).subarray(3))).to.deep.equal([1, -5, 1.5, true, null, {}]);
  });

  it('applies the text encoding that a tag asks for', () => {
    expect(fromHex('d64301ff02')).to.deep.include({ value: 'Af8C' });
    expect(fromHex('d74301ff02')).to.deep.include({ value: '01ff02' });
  });

  it('refuses duplicates, indefinite lengths, NaN, depth, what is cut off and what follows', () => {
    for (const hex of ['a2416101416102', '9f01ff', '5f4101ff', 'f97e00', 'f97c00', '83', '5bffffffffffffffff', '9bffffffffffffffff', 'bb7fffffffffffffff', '0101', 'a10102', '1bffffffffffffffff', '61ff', '', 'f0', '1c']) {
      expect(fromHex(hex).ok, hex).to.equal(false);
    }
    expect(fromHex('81'.repeat(60) + '01').ok).to.equal(false);
  });
});
