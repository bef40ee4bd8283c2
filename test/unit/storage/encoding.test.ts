import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject } from '../../../server/api/object.js';
import { DamagedValueError, encodeStored, itemOf } from '../../../server/storage/encoding.js';
import { storedObjectOf } from '../../../server/storage/storedobject.js';
import { configMaps, key } from './suite.js';

const at = key(configMaps, 'one', 'a');
const facts = { resource: configMaps, fieldsOf: null };

describe('stored values', () => {
  const labels = fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 });
  const members = fc.dictionary(
    fc.string().filter((name) => !['kind', 'apiVersion', 'metadata', '__proto__'].includes(name)),
    fc.jsonValue() as fc.Arbitrary<JsonObject>,
    { maxKeys: 3 },
  );
  const object: fc.Arbitrary<ApiObject> = fc
    .record({
      apiVersion: fc.constantFrom('v1', 'apps/v1'),
      members,
      metadata: fc.record(
        { name: fc.constant('a'), namespace: fc.constant('one'), uid: fc.string(), generateName: fc.string(), labels, annotations: labels },
        { requiredKeys: ['name'] },
      ),
    })
    .map(({ apiVersion, metadata, members: content }) => ({ kind: 'Thing', apiVersion, ...content, metadata }));

  it('give back what went in, with the version', () => {
    fc.assert(
      fc.property(object, fc.nat(), fc.nat(), (original, version, later) => {
        const stored = storedObjectOf(facts, at, version, encodeStored(at, original));
        const {
          kind: _kind,
          apiVersion,
          metadata: { labels: given, ...metadata },
          ...content
        } = JSON.parse(JSON.stringify(original)) as ApiObject;
        const labelled = given === undefined || Object.keys(given).length === 0 ? {} : { labels: given };
        for (const [seen, at_] of [
          [stored, version],
          [stored.atVersion(later), later],
          [stored.atVersion(later).atVersion(version), version],
        ] as const) {
          expect(seen.decode()).to.deep.equal({ ...content, metadata: { ...metadata, ...labelled, resourceVersion: String(at_) } });
          expect(seen.labels).to.deep.equal(given ?? {});
          expect(seen.apiVersion).to.equal(apiVersion);
        }
      }),
    );
  });

  it('do not depend on the resource version that came with the object', () => {
    const given: ApiObject = { metadata: { name: 'a', resourceVersion: '5' } };
    expect(encodeStored(at, given)).to.deep.equal(encodeStored(at, { metadata: { name: 'a', resourceVersion: '77' } }));
  });

  it('notice every changed bit', () => {
    const value = encodeStored(at, { apiVersion: 'v1', metadata: { name: 'a', labels: { app: 'x' } }, data: { k: 'v' } });
    for (let bit = 0; bit < value.length * 8; bit++) {
      const damaged = Buffer.from(value);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => itemOf(at, damaged, 1), `bit ${bit}`).to.throw(DamagedValueError);
    }
  });

  it('notice every cut', () => {
    const value = encodeStored(at, { metadata: { name: 'a' } });
    for (let length = 0; length < value.length; length++)
      expect(() => itemOf(at, value.subarray(0, length), 1)).to.throw(DamagedValueError);
  });
});
