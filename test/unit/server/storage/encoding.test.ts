import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { DamagedValueError, encodeStored, encodeWrite, encodeWriteSteps, itemFrom, itemOf } from '../../../../server/storage/encoding.js';
import { inJson, inJsonSteps } from '../../../../server/storage/jsonLayout.js';
import { storedObjectOf } from '../../../../server/storage/storedObject.js';
import { inOneGo } from '../../../../api/steps.js';
import { configMaps, key } from './suite.js';

const at = key(configMaps, 'one', 'a');
const facts = { resource: configMaps, fieldsOf: null };

describe('stored values', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\\"', '\ud800', '}'));
  const labels = fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    text,
    { maxKeys: 3 },
  );
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
        { name: text, namespace: text, uid: text, generateName: text, labels, annotations: labels },
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
          expect(seen.uid).to.equal(metadata.uid ?? '');
          expect(seen.apiVersion).to.equal(apiVersion);
        }
      }),
    );
  });

  it('are the same whether they are written in one go or in steps', () => {
    const wide = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_item, i) => [`k${i}`, 'é']));
    fc.assert(
      fc.property(object, fc.constantFrom(0, 3_000), (original, count) => {
        const given = { ...original, data: wide(count), metadata: { ...original.metadata, annotations: wide(count) } } as ApiObject;
        expect(inOneGo(inJsonSteps(given, 'a'))).to.deep.equal(inJson(given, 'a'));
        expect(inOneGo(encodeWriteSteps(at, given, null))).to.deep.equal(encodeWrite(at, given, null));
      }),
      { numRuns: 50 },
    );
    const form = { mediaType: 'application/vnd.kubernetes.protobuf', kind: () => 'ConfigMap' } as const;
    for (const [names, owned] of [
      [3_000, 3_000],
      [3_000, 1],
      [1, 3_000],
    ] as const) {
      const managedFields = [{ manager: 'm', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': wide(owned) } }];
      const given = {
        apiVersion: 'v1',
        metadata: { name: 'a', managedFields },
        data: { '\ufffd': 'a', '😀': 'b', ...wide(names) },
      } as ApiObject;
      const written = inOneGo(encodeWriteSteps(at, given, form));
      expect(written).to.deep.equal(encodeWrite(at, given, form));
      expect(written.json).not.to.equal(null);
    }
  });

  it('are written in many steps where they are large', () => {
    const data = Object.fromEntries(Array.from({ length: 50_000 }, (_item, i) => [`k${i}`, 'v']));
    const given = { apiVersion: 'v1', metadata: { name: 'a' }, data } as ApiObject;
    const form = { mediaType: 'application/vnd.kubernetes.protobuf', kind: () => 'ConfigMap' } as const;
    for (const each of [null, form]) expect([...encodeWriteSteps(at, given, each)].length).to.be.greaterThan(49);
  });

  it('are the same items when those who wrote them need not read them', () => {
    fc.assert(
      fc.property(object, fc.nat(), (original, version) => {
        expect(itemFrom(inJson(original, 'a'), version)).to.deep.equal(itemOf(at, encodeStored(at, original), version));
      }),
    );
  });

  it('begin with metadata, and those with the name, where other members are called by numbers', () => {
    const original = { '1': 'x', metadata: { '0': 'y', name: 'a', labels: { b: 'c' } }, '2': 3 } as unknown as ApiObject;
    expect(itemOf(at, encodeStored(at, original), 7).bytes.toString()).to.equal(
      '{"metadata":{"name":"a","resourceVersion":"7","labels":{"b":"c"},"0":"y"},"1":"x","2":3}',
    );
  });

  it('keep what nobody may have checked: members of any name, labels that are no texts, integers of 64 bits', () => {
    const original = JSON.parse('{"metadata":{"name":"a","labels":{"a":1,"b":null},"x":1},"__proto__":{"a":"ü"}}') as ApiObject;
    original['count'] = (2n ** 60n) as unknown as number;
    const stored = storedObjectOf(facts, at, 7, encodeStored(at, original));
    expect(stored.labels).to.deep.equal({ a: 1, b: null });
    expect(itemOf(at, encodeStored(at, original), 7).bytes.toString()).to.equal(
      '{"metadata":{"name":"a","resourceVersion":"7","labels":{"a":1,"b":null},"x":1},"__proto__":{"a":"ü"},"count":1152921504606846976}',
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

  it('say of an encrypted value what is missing', () => {
    const value = Buffer.from(`k8s:enc:aesgcm:v1:key:${'x'.repeat(64)}`);
    expect(() => itemOf(at, value, 1)).to.throw(DamagedValueError, 'it is encrypted; give the --encryption-provider-config');
  });

  it('notice every cut', () => {
    const value = encodeStored(at, { metadata: { name: 'a' } });
    for (let length = 0; length < value.length; length++)
      expect(() => itemOf(at, value.subarray(0, length), 1)).to.throw(DamagedValueError);
  });
});
