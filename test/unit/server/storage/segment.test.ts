import { expect } from 'chai';
import { revision, type Change } from '../../../../raft/index.js';
import { WatchCache } from '../../../../server/storage/cache/watchCache.js';
import { encodeStored } from '../../../../server/storage/encoding.js';
import type { StoredForm } from '../../../../server/storage/forms.js';
import { KeySpace } from '../../../../server/storage/keys.js';
import { Segment, type SegmentValue } from '../../../../server/storage/segment.js';
import { noSelectableFields } from '../../../../server/storage/storedObject.js';

describe('memory in which many values came', () => {
  const lodger = (size: number): SegmentValue & { moved: number } => ({
    size,
    moved: 0,
    moveOut() {
      this.moved++;
    },
  });

  it('stays while a third of it is in use, and lets the rest move out once', () => {
    const segment = new Segment(new ArrayBuffer(90));
    const lodgers = [lodger(30), lodger(30), lodger(20), lodger(10)];
    const places = lodgers.map((each) => segment.add(each));
    const leave = (at: number): void => segment.leave(places[at] ?? 0, lodgers[at]?.size ?? 0);
    segment.close();
    leave(0);
    leave(0);
    leave(1);
    expect(lodgers.map(({ moved }) => moved)).to.deep.equal([0, 0, 0, 0]);
    leave(3);
    leave(2);
    expect(lodgers.map(({ moved }) => moved)).to.deep.equal([0, 0, 1, 0]);
  });

  it('is not kept for a small part of what came', () => {
    const segment = new Segment(new ArrayBuffer(1_000));
    const few = lodger(100);
    segment.add(few);
    expect(few.moved).to.equal(0);
    segment.close();
    expect(few.moved).to.equal(1);
  });

  const resource = { group: '', resource: 'configmaps' };
  const keys = new KeySpace('/registry');
  const key = (name: string) => ({ resource, namespace: 'one', name });
  const names = Array.from({ length: 12 }, (_, at) => `object-number-${at}`);
  const text = (name: string): string => `${name} `.repeat(40);
  const forms: Readonly<Record<string, StoredForm | null>> = {
    JSON: null,
    Protobuf: { mediaType: 'application/vnd.kubernetes.protobuf', kind: () => 'ConfigMap' },
  };

  /** Changes with all values in one buffer, as from a replica. */
  function batchOf(form: StoredForm | null, from: number, changed: readonly string[]): { memory: Uint8Array; changes: Change[] } {
    const values = changed.map((name) =>
      encodeStored(key(name), { apiVersion: 'v1', metadata: { name, namespace: 'one' }, data: { text: text(name) } }, form),
    );
    const memory = new Uint8Array(new SharedArrayBuffer(values.reduce((sum, { length }) => sum + length, 0)));
    let at = 0;
    const changes = changed.map((name, index): Change => {
      const length = values[index]?.length ?? 0;
      memory.set(values[index] ?? [], at);
      at += length;
      const value = Buffer.from(memory.buffer, at - length, length);
      return { revision: revision(from + index), createRevision: revision(1), key: keys.keyOf(key(name)), value };
    });
    return { memory, changes };
  }

  for (const [name, form] of Object.entries(forms)) {
    const cacheOf = (changesMax: number): WatchCache => {
      const cache = new WatchCache({ keys, selectableFields: noSelectableFields, history: { changesMax } });
      cache.beginLoad(0);
      cache.endLoad();
      return cache;
    };
    const shown = (cache: WatchCache, object: string): unknown => cache.of(resource).tree.get(key(object))?.decode()['data'];

    it(`is left by the last objects when the others are replaced and forgotten, in ${name}`, () => {
      const cache = cacheOf(2);
      const { memory, changes } = batchOf(form, 1, names);
      cache.apply(changes);
      const [last = '', ...others] = names;
      for (const [at, other] of others.entries()) cache.apply(batchOf(form, names.length + 1 + at, [other]).changes);
      memory.fill(0);
      expect(shown(cache, last)).to.deep.equal({ text: text(last) });
      for (const other of others) expect(shown(cache, other)).to.deep.equal({ text: text(other) });
    });

    it(`is as good as a copy for whoever reads, in ${name}`, () => {
      const cache = cacheOf(100);
      const { changes } = batchOf(form, 1, names);
      cache.apply(changes);
      for (const [at, object] of names.entries()) {
        const item = cache.of(resource).tree.get(key(object));
        expect(item?.apiVersion).to.equal('v1');
        expect(item?.decode()).to.deep.include({ data: { text: text(object) } });
        expect((JSON.parse(item?.item.toString() ?? '') as { metadata: object }).metadata).to.include({ resourceVersion: String(at + 1) });
      }
    });

    it(`is counted once and taken off once, whoever has read it meanwhile, in ${name}`, () => {
      const cache = cacheOf(100);
      const counted = (): number => cache.bytes(resource);
      cache.apply(batchOf(form, 1, names).changes);
      const before = counted();
      for (const object of names) shown(cache, object);
      cache.apply(batchOf(form, names.length + 1, names).changes);
      expect(counted()).to.equal(before);
      for (const object of names) shown(cache, object);
      const gone = names.map((object, at): Change => ({
        revision: revision(100 + at),
        createRevision: revision(1),
        key: keys.keyOf(key(object)),
        value: null,
      }));
      cache.apply(gone);
      expect(counted()).to.equal(0);
    });

    it(`holds what history tells of, until it is forgotten, in ${name}`, () => {
      const cache = cacheOf(1_000);
      cache.apply(batchOf(form, 1, names).changes);
      for (let round = 1; round < 4; round++) cache.apply(batchOf(form, round * names.length + 1, names).changes);
      const { history } = cache.of(resource);
      for (let at = history.start + names.length; at < history.end; at++) {
        const { previous } = history.at(at);
        expect(previous?.decode()).to.deep.include({ data: { text: text(previous?.name ?? '') } });
      }
    });
  }

  it('does not hide damage', () => {
    const cache = new WatchCache({ keys, selectableFields: noSelectableFields });
    const { memory, changes } = batchOf(null, 1, names);
    memory[40] = (memory[40] ?? 0) ^ 1;
    cache.apply(changes);
    expect(() =>
      cache
        .of(resource)
        .tree.get(key(names[0] ?? ''))
        ?.decode(),
    ).to.not.throw();
    expect(cache.of(resource).tree.get(key(names[0] ?? ''))).to.have.property('damage');
    expect(cache.of(resource).tree.get(key(names[1] ?? ''))).not.to.have.property('damage');
  });
});
