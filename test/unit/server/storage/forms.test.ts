import { expect } from 'chai';
import { crc32 } from 'node:zlib';
import type { ApiObject } from '../../../../api/object.js';
import { createCatalogue, storedKinds } from '../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../server/registry/resources.js';
import { DamagedValueError, encodeStored, itemOf } from '../../../../server/storage/encoding.js';
import type { OtherMediaType, StoredForm } from '../../../../server/storage/forms.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { storedObjectOf } from '../../../../server/storage/storedObject.js';
import { roundtripPairs } from '../../workers/codecs/files.js';
import { FakeReplica } from './fakeReplica.js';
import { applied, configMaps, key, listRequest, found, pods } from './suite.js';

const kind = storedKinds();
const otherTypes: readonly OtherMediaType[] = ['application/vnd.kubernetes.protobuf', 'application/yaml'];
const form = (mediaType: OtherMediaType): StoredForm => ({ mediaType, kind });
const mediaTypeOf = (value: Buffer): number | undefined => value[1];

/** Objects of all stored built-in types in stored form. */
function storedObjects(): { readonly resource: ServedResource; readonly object: ApiObject }[] {
  const pairs = new Map(
    roundtripPairs().map(({ kind: { group, version, kind: name }, json }) => [`${group}/${version}/${name}`, json as ApiObject]),
  );
  const resources = createCatalogue({ serves: () => true }).groups.flatMap(({ versions }) => versions.flatMap((each) => each.resources));
  return resources
    .filter(({ verbs, group, version, storage }) => verbs.has('update') && version === storage.version && group === storage.group)
    .flatMap((resource) => {
      const { kind: _kind, ...object } = pairs.get(`${resource.group}/${resource.version}/${resource.kind}`) ?? {};
      return 'metadata' in object ? [{ resource, object: object as ApiObject }] : [];
    });
}

describe('forms of stored values', () => {
  const at = key(configMaps, 'one', 'a');
  const object: ApiObject = {
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'one', uid: 'u', resourceVersion: '5', labels: { app: 'é' } },
    data: { text: 'yes: 1\n' },
  };

  for (const mediaType of otherTypes) {
    it(`${mediaType} gives back objects of every type as JSON does`, function () {
      const objects = storedObjects();
      expect(objects.length).to.be.greaterThan(4);
      for (const { resource, object: original } of objects) {
        const facts = { resource, fieldsOf: null };
        const where = key(resource, original.metadata.namespace ?? '', original.metadata.name ?? '');
        const value = encodeStored(where, original, form(mediaType));
        expect(mediaTypeOf(value), resource.resource).to.equal(
          mediaType === 'application/yaml' ? 2 : resource.resource === 'statefulsets' ? 1 : 3,
        );
        const [seen, plain] = [storedObjectOf(facts, where, 7, value), storedObjectOf(facts, where, 7, encodeStored(where, original))];
        expect(seen.decode(), resource.resource).to.deep.equal(plain.decode());
        expect([seen.apiVersion, seen.labels]).to.deep.equal([plain.apiVersion, plain.labels]);
        expect(seen.atVersion(12_345).decode().metadata.resourceVersion).to.equal('12345');
      }
    });

    it(`${mediaType} does not keep the resource version that came with the object`, () => {
      const {
        metadata: { resourceVersion: _version, ...metadata },
        ...content
      } = object;
      expect(encodeStored(at, object, form(mediaType))).to.deep.equal(encodeStored(at, { ...content, metadata }, form(mediaType)));
    });

    it(`${mediaType} keeps whole numbers beyond 2^53`, () => {
      const pod: ApiObject = {
        apiVersion: 'v1',
        metadata: { name: 'p' },
        spec: { containers: [], activeDeadlineSeconds: 9_007_199_254_740_993n },
      };
      const where = key(pods, '', 'p');
      expect(
        storedObjectOf({ resource: pods, fieldsOf: null }, where, 1, encodeStored(where, pod, form(mediaType))).decode(),
      ).to.have.nested.property('spec.activeDeadlineSeconds', 9_007_199_254_740_993n);
    });

    it(`${mediaType} notices damage, also where the checksum is right`, () => {
      const value = encodeStored(at, object, form(mediaType));
      for (let index = 0; index < value.length; index++) {
        const damaged = Buffer.from(value);
        damaged[index] = (damaged[index] ?? 0) ^ 0x10;
        expect(() => itemOf(at, damaged, 1), `byte ${index}`).to.throw(DamagedValueError);
      }
      const nonsense = Buffer.from(value);
      nonsense.fill(0xff, 18, value.length - 4).writeUInt32LE(crc32(nonsense.subarray(0, -4)), nonsense.length - 4);
      expect(() => itemOf(at, nonsense, 1)).to.throw(DamagedValueError);
    });
  }

  it('leaves a value unread until somebody looks inside', () => {
    const value = encodeStored(at, object, form('application/vnd.kubernetes.protobuf'));
    const seen = storedObjectOf({ resource: configMaps, fieldsOf: null }, at, 7, value);
    expect(seen.fields).to.deep.equal({ 'metadata.name': 'a', 'metadata.namespace': 'one' });
    expect([seen.size, seen.atVersion(8).size, seen.apiVersion]).to.deep.equal([value.length, value.length, 'v1']);
    expect(seen.labels).to.deep.equal({ app: 'é' });
    expect(seen.size).to.equal(seen.item.length);
    expect(seen.atVersion(8).decode().metadata.resourceVersion).to.equal('8');
  });

  it('selects by nothing, and refuses to show, what makes no sense inside', () => {
    const nonsense = Buffer.from(encodeStored(at, object, form('application/vnd.kubernetes.protobuf')));
    nonsense.fill(0xff, 18, nonsense.length - 4).writeUInt32LE(crc32(nonsense.subarray(0, -4)), nonsense.length - 4);
    const seen = storedObjectOf(
      { resource: configMaps, fieldsOf: (each) => ({ 'data.text': String((each['data'] as { text: string }).text) }) },
      at,
      7,
      nonsense,
    );
    expect([seen.labels, seen.fields]).to.deep.equal([{}, { 'metadata.name': 'a', 'metadata.namespace': 'one' }]);
    expect(() => {
      seen.assertReadable();
    }).to.throw(DamagedValueError);
    expect(() => seen.decode()).to.throw(DamagedValueError);
  });

  it('shows its writer the same as everybody else', async () => {
    const replica = new FakeReplica();
    const [writer, other] = [
      createRaftStorage({ replica, storedForm: form('application/vnd.kubernetes.protobuf') }),
      createRaftStorage({ replica }),
    ];
    await Promise.all([writer.ready(), other.ready()]);
    const objects = storedObjects().filter(({ resource }) => resource.resource !== 'namespaces');
    for (const { resource, object: original } of objects) {
      const where = key(resource, original.metadata.namespace ?? '', original.metadata.name ?? '');
      const written = applied(await writer.create(where, original, { timeoutMs: 60_000 }));
      const read = await other.get(where, { at: 'any' });
      expect(read.outcome === 'found' && read.object.decode(), resource.resource).to.deep.equal(written.decode());
      expect(read.outcome === 'found' && read.object.version).to.equal(written.version);
      const again = applied(
        await writer.update(where, { ...original, metadata: { ...original.metadata, labels: { changed: 'yes' } } }, written.version, {
          timeoutMs: 1_000,
        }),
      );
      expect(again.labels).to.deep.equal({ changed: 'yes' });
    }
    for (const storage of [writer, other]) storage.close();
  });

  it('stores in JSON what has no other form', () => {
    const custom = key({ group: 'example.com', resource: 'widgets' }, 'one', 'w');
    for (const mediaType of otherTypes)
      expect(
        mediaTypeOf(encodeStored(custom, { apiVersion: 'example.com/v1', metadata: { name: 'w' }, odd: true }, form(mediaType))),
      ).to.equal(1);
  });

  it('stores in JSON what Protobuf has no place for: the kind of an object inside of another one', () => {
    const statefulSets = { group: 'apps', resource: 'statefulsets' };
    const set: ApiObject = {
      apiVersion: 'apps/v1',
      metadata: { name: 's' },
      spec: { volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'c' } }] },
    };
    for (const mediaType of otherTypes) {
      const value = encodeStored(key(statefulSets, '', 's'), set, form(mediaType));
      expect(
        storedObjectOf({ resource: statefulSets, fieldsOf: null }, key(statefulSets, '', 's'), 1, value).decode(),
      ).to.have.nested.property('spec.volumeClaimTemplates[0].kind', 'PersistentVolumeClaim');
    }
  });

  it('reads what was written under any setting, and changes it', async () => {
    const replica = new FakeReplica();
    const storages: RaftStorage[] = [null, ...otherTypes.map(form)].map((storedForm) => createRaftStorage({ replica, storedForm }));
    const within = { timeoutMs: 60_000 };
    for (const [index, storage] of storages.entries()) {
      await storage.ready();
      applied(
        await storage.create(
          key(configMaps, 'one', `m${index}`),
          { apiVersion: 'v1', metadata: { name: `m${index}`, namespace: 'one' }, data: { by: String(index) } },
          within,
        ),
      );
    }
    const later = createRaftStorage({ replica, storedForm: form('application/vnd.kubernetes.protobuf') });
    for (const storage of [...storages, later]) {
      const { items } = found(await storage.list(listRequest(configMaps)));
      expect(items.map((item) => (item.decode()['data'] as { by: string }).by)).to.deep.equal(['0', '1', '2']);
    }
    const [first] = found(await later.list(listRequest(configMaps))).items;
    const updated = await later.update(
      key(configMaps, 'one', 'm0'),
      { ...(first?.decode() as ApiObject), apiVersion: 'v1', data: { by: 'later' } },
      first?.version ?? 0,
      within,
    );
    expect(applied(updated).decode()['data']).to.deep.equal({ by: 'later' });
    for (const storage of [...storages, later]) storage.close();
  });
});
