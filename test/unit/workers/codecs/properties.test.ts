import { expect } from 'chai';
import fc from 'fast-check';
import { messageOfKind } from '../../../../api/catalogue/protobuf.js';
import { typeNamed, typeNames, type ApiType } from '../../../../api/catalogue/types.js';
import { depthMax, type EncodingName, type Kind } from '../../../../workers/codecs/contract.js';
import { decodeMessage, encodeMessage } from '../../../../workers/codecs/protobuf/index.js';
import { decodeObject } from '../../../../workers/decode.js';
import { runDecode, runEncode } from '../../../../workers/job.js';
import { checkStructure } from '../../../../workers/schema/structure.js';
import type { JsonMembers } from '../../../../workers/codecs/value.js';
import type { ApiObject } from '../../../../api/object.js';
import { withoutEmpty } from '../../../../server/registry/emptyLists.js';
import { randomObject } from './randomObjects.js';

const selfDescribing: readonly EncodingName[] = ['json', 'yaml', 'cbor'];
const encodings: readonly EncodingName[] = [...selfDescribing, 'protobuf'];

const types = (): ApiType[] =>
  typeNames()
    .map((name) => typeNamed(name))
    .filter((type) => type !== undefined && type.kinds.length > 0) as ApiType[];
const kindOf = (type: ApiType): Kind => type.kinds[0] as Kind;

/** A random object in stored form, without empty values that Protobuf would drop. */
const kept = (type: ApiType, seed: number): JsonMembers => {
  const result = checkStructure(randomObject(type, seed) as JsonMembers, type, { unknownFields: 'report' });
  if (!result.ok) throw new Error(`${type.name}: ${result.message}`);
  expect(result.strict).to.deep.equal([]);
  const [kind] = type.kinds;
  return kind === undefined ? result.value : (withoutEmpty(result.value as unknown as ApiObject, kind) as unknown as JsonMembers);
};

const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('set', 'insert', 'remove', 'cut', 'repeat')), {
  minLength: 1,
  maxLength: 4,
});

const nodesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, each) => sum + nodesIn(each), 1) : 1;

describe('all codecs', function () {
  it('give back every object of every type', () => {
    for (const type of types()) {
      for (const seed of [1, 2, 3]) {
        const value = kept(type, seed);
        for (const encoding of selfDescribing) {
          const encoded = runEncode({ value, encoding });
          const decoded = runDecode({ bytes: encoded.ok ? encoded.bytes : Buffer.alloc(0), encoding, findDuplicates: true });
          expect(decoded, `${type.name} ${encoding} ${seed}`).to.deep.equal({ ok: true, value, duplicates: [] });
        }
      }
    }
  });

  it('carry every object of every kind from one to the next, with bytes as bytes where an encoding has them', () => {
    const order = fc.shuffledSubarray([...encodings], { minLength: 2 });
    // A watch event has no kind.
    fc.assert(
      fc.property(
        fc.constantFrom(...types().filter(({ fields }) => fields?.has('kind') === true)),
        fc.integer(),
        order,
        (type, seed, encodings) => {
          const [kind, value] = [kindOf(type), kept(type, seed)];
          let object: JsonMembers = value;
          for (const encoding of encodings.filter((each) => each !== 'protobuf' || messageOfKind(kind) !== undefined)) {
            const encoded = runEncode({ value: object, encoding, kind });
            if (!encoded.ok) throw new Error(`${type.name} ${encoding}: ${encoded.message}`);
            const decoded = decodeObject({ bytes: encoded.bytes, encoding, kind, findStrict: true });
            if (!decoded.ok || decoded.strict.length > 0)
              throw new Error(
                `${type.name} ${encoding}: ${JSON.stringify(decoded, (_name, each: unknown) => (typeof each === 'bigint' ? String(each) : each))}`,
              );
            object = decoded.object;
            const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
            const { kind: _ownKind, apiVersion: _ownVersion, ...expected } = value;
            expect(content, `${type.name} ${encodings.join(' ')} ${seed}`).to.deep.equal(expected);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('give back every object of every kind through Protobuf, and encode it to the same bytes again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types().filter((type) => messageOfKind(kindOf(type)) !== undefined)), fc.integer(), (type, seed) => {
        const value = kept(type, seed);
        const encoded = encodeMessage(value, kindOf(type));
        if (!encoded.ok) throw new Error(`${type.name}: ${encoded.message}`);
        const decoded = decodeMessage(encoded.bytes, kindOf(type));
        expect(decoded.ok && decoded.value, `${type.name} ${seed}`).to.deep.equal(value);
        const again = encodeMessage(decoded.ok && decoded.value, kindOf(type));
        expect(again.ok && again.bytes.equals(encoded.bytes), type.name).to.equal(true);
      }),
      { numRuns: 600 },
    );
  });

  it('check structure without change a second time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types()), fc.integer(), (type, seed) => {
        const value = kept(type, seed);
        const again = checkStructure(structuredClone(value), type, { unknownFields: 'report' });
        expect(again.ok && again.value).to.deep.equal(value);
      }),
      { numRuns: 300 },
    );
  });

  it('neither throw nor hang, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...encodings), fc.uint8Array({ maxLength: 200 }), (encoding, bytes) => {
        assertCalm(encoding, bytes, { group: '', version: 'v1', kind: 'Pod' });
        if (encoding === 'protobuf')
          assertCalm(
            encoding,
            Buffer.concat([Buffer.from('6b3873000a090a0276311203506f6412', 'hex'), Buffer.from([bytes.length]), bytes]),
            { group: '', version: 'v1', kind: 'Pod' },
          );
      }),
      { numRuns: 3000 },
    );
  });

  it('neither throw nor hang on damaged objects', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types()), fc.integer(), fc.constantFrom(...encodings), damage, (type, seed, encoding, changes) => {
        const kind = kindOf(type);
        const encoded = runEncode({ value: kept(type, seed), encoding, kind });
        if (encoded.ok) assertCalm(encoding, damaged(encoded.bytes, changes), kind);
      }),
      { numRuns: 1500 },
    );
  });

  it('make no more of some bytes than they can hold', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types()), fc.integer(), fc.constantFrom(...encodings), damage, (type, seed, encoding, changes) => {
        const kind = kindOf(type);
        const encoded = runEncode({ value: kept(type, seed), encoding, kind });
        if (!encoded.ok) return;
        const bytes = damaged(encoded.bytes, changes);
        const decoded = runDecode({ bytes, encoding, kind, findDuplicates: true });
        // Decoding adds members that were not sent; a schema or container has fewer than this.
        if (decoded.ok) expect(nodesIn(decoded.value), type.name).to.be.at.most(200 + 20 * bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  it('refuse what claims to be large and is not', () => {
    const claims: [EncodingName, string][] = [
      ['cbor', '9b00000000ffffffff'],
      ['cbor', 'bb00000000ffffffff'],
      ['cbor', '5b000000007fffffff'],
      ['cbor', '9f'.repeat(900)],
      ['cbor', '9a00ffffff'.repeat(50)],
      ['cbor', 'd9d9f7'.repeat(2000)],
      ['protobuf', '6b38730012ffffffff0f'],
      ['protobuf', '6b3873000a090a0276311203506f6412ffffffff07'],
      ['protobuf', '6b3873000a090a0276311203506f641205' + 'ffffffff0f'],
    ];
    for (const [encoding, hex] of claims)
      expect(
        runDecode({ bytes: Buffer.from(hex, 'hex'), encoding, kind: { group: '', version: 'v1', kind: 'Pod' }, findDuplicates: true }).ok,
        hex.slice(0, 40),
      ).to.equal(false);
    const bomb = `a: &a [${'x,'.repeat(50)}x]\n${Array.from({ length: 9 }, (_item, index) => `${'bcdefghij'[index]}: &${'bcdefghij'[index]} [${`*${'abcdefghi'[index]},`.repeat(20)}*${'abcdefghi'[index]}]\n`).join('')}`;
    expect(runDecode({ bytes: Buffer.from(bomb), encoding: 'yaml', findDuplicates: true })).to.deep.include({
      ok: false,
      message: 'yaml: document contains excessive aliasing',
    });
  });

  it('refuse depth in every encoding', () => {
    const deep = depthMax + 5;
    const texts: [EncodingName, Buffer][] = [
      ['json', Buffer.from('{"a":'.repeat(deep))],
      ['yaml', Buffer.from('a: [ '.repeat(deep))],
      ['cbor', Buffer.from('a14161'.repeat(deep), 'hex')],
      ['json', Buffer.from(`{"x":1.0,"a":${'['.repeat(deep)}${']'.repeat(deep)}}`)],
    ];
    for (const [encoding, bytes] of texts) expect(runDecode({ bytes, encoding, findDuplicates: true }).ok, encoding).to.equal(false);
  });
});

const assertCalm = (encoding: EncodingName, bytes: Uint8Array, kind: Kind): void => {
  const decoded = runDecode({ bytes, encoding, kind, findDuplicates: true });
  if (!decoded.ok) expect(decoded.message).to.be.a('string').and.not.equal('');
  const object = decodeObject({ bytes, encoding, kind, findStrict: true });
  if (object.ok) {
    // Every accepted object can be written in every encoding.
    for (const target of encodings) {
      const encoded = runEncode({ value: object.object, encoding: target, kind });
      if (target !== 'protobuf' || messageOfKind(kind) !== undefined)
        expect(encoded.ok, `${target}: ${encoded.ok ? '' : encoded.message}`).to.equal(true);
    }
  }
};

const damaged = (bytes: Buffer, changes: readonly (readonly [number, number, string])[]): Buffer =>
  changes.reduce((before, [position, byte, change]) => {
    const at = before.length === 0 ? 0 : position % before.length;
    const [head, tail] = [before.subarray(0, at), before.subarray(at)];
    if (change === 'set') return Buffer.concat([head, Buffer.from([byte]), tail.subarray(1)]);
    if (change === 'insert') return Buffer.concat([head, Buffer.from([byte]), tail]);
    if (change === 'remove') return Buffer.concat([head, tail.subarray(1)]);
    return change === 'cut' ? Buffer.from(head) : Buffer.concat([head, tail.subarray(0, byte), tail]);
  }, bytes);
