import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import { parseFieldSelector, parseLabelSelector, type FieldSelector, type LabelSelector } from '../../../../api/selectors/index.js';
import type { GroupResource } from '../../../../api/resource.js';
import type {
  ListRequest,
  ListResult,
  ObjectKey,
  Storage,
  StoredObject,
  Version,
  WatchRequest,
  WriteResult,
  WriteTerms,
} from '../../../../server/storage/contract.js';
import type { SelectableFields } from '../../../../server/storage/storedObject.js';
import { Recorder, settle } from './recorder.js';

/** A storage under test, with what the contract leaves open. */
export interface Subject {
  readonly storage: Storage;
  /** Makes exact reads and watches from before `version` impossible. */
  compact(version: Version): Promise<void>;
  close?(): void;
}

export const configMaps: GroupResource = { group: '', resource: 'configmaps' };
export const pods: GroupResource = { group: '', resource: 'pods' };
const deployments: GroupResource = { group: 'apps', resource: 'deployments' };
export const nodes: GroupResource = { group: '', resource: 'nodes' };

/** Pods are selectable by their node; other kinds by nothing. */
export const selectableFields: SelectableFields = ({ group, resource }) =>
  group === '' && resource === 'pods' ? (object) => ({ 'spec.nodeName': nodeNameOf(object) }) : null;

export const key = (resource: GroupResource, namespace: string, name: string): ObjectKey => ({ resource, namespace, name });
export const labels = (text: string): LabelSelector => selectorOf(parseLabelSelector(text));
export const fields = (text: string): FieldSelector => selectorOf(parseFieldSelector(text));

export function objectFor(
  { namespace, name }: ObjectKey,
  more: { labels?: Record<string, string>; node?: string; text?: string } = {},
): ApiObject {
  return {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: `uid-${name}`,
      ...(namespace === '' ? {} : { namespace }),
      resourceVersion: '999',
      ...(more.labels === undefined ? {} : { labels: more.labels }),
    },
    ...(more.node === undefined ? {} : { spec: { nodeName: more.node } }),
    data: { text: more.text ?? '' },
  };
}

export const listRequest = (resource: GroupResource, more: Partial<ListRequest> = {}): ListRequest => ({
  resource,
  namespace: null,
  labels: [],
  fields: [],
  consistency: { at: 'mostRecent' },
  limit: null,
  after: null,
  ...more,
});
export const watchRequest = (resource: GroupResource, more: Partial<WatchRequest> = {}): WatchRequest => ({
  resource,
  namespace: null,
  labels: [],
  fields: [],
  start: { at: 'mostRecent' },
  initialEvents: false,
  ...more,
});

export const names = (result: ListResult): string[] =>
  found(result).items.map(({ namespace, name, version }) => `${namespace}/${name}@${version}`);
export function found(result: ListResult): Extract<ListResult, { outcome: 'found' }> {
  if (result.outcome !== 'found') throw new Error(`list answered ${result.outcome}`);
  return result;
}
export function applied(result: WriteResult): StoredObject {
  if (result.outcome !== 'applied') throw new Error(`write answered ${result.outcome}`);
  return result.object;
}
const within = { timeoutMs: 60_000 };

/** Tests of every Storage. `make` returns an empty one. */
export function storageSuite(name: string, make: () => Promise<Subject>): void {
  describe(`${name} as Storage`, () => {
    let storage: Storage;
    let subject: Subject;
    const create = async (at: ObjectKey, more: Parameters<typeof objectFor>[1] = {}): Promise<StoredObject> =>
      applied(await storage.create(at, objectFor(at, more), within));
    const update = async (at: ObjectKey, version: Version, more: Parameters<typeof objectFor>[1] = {}): Promise<StoredObject> =>
      applied(await storage.update(at, objectFor(at, more), version, within));
    const remove = async (at: ObjectKey, version: Version): Promise<StoredObject> => applied(await storage.delete(at, version, within));
    const a = key(configMaps, 'one', 'a');
    const b = key(configMaps, 'one', 'b');
    const c = key(configMaps, 'two', 'c');

    beforeEach(async () => {
      subject = await make();
      storage = subject.storage;
      await storage.ready();
    });

    afterEach(() => subject.close?.());

    describe('writing', () => {
      it('stores what was given, under a new version', async () => {
        const object = await create(a, { labels: { app: 'x' }, text: 'héllo' });
        expect(object.decode()).to.deep.equal({
          metadata: { name: 'a', namespace: 'one', uid: 'uid-a', resourceVersion: String(object.version), labels: { app: 'x' } },
          data: { text: 'héllo' },
        });
        expect(JSON.parse(object.item.toString())).to.deep.equal(object.decode());
        expect(object).to.include({ namespace: 'one', name: 'a', apiVersion: 'v1' });
        expect(object.labels).to.deep.equal({ app: 'x' });
        expect(object.fields).to.deep.equal({ 'metadata.name': 'a', 'metadata.namespace': 'one' });
        expect((await update(a, object.version)).version).to.be.greaterThan(object.version);
      });

      it('keeps integers of 64 bits', async () => {
        const object = applied(await storage.create(a, { ...objectFor(a), big: 9223372036854775807n, small: 1.5 }, within));
        expect(object.decode()).to.include({ big: 9223372036854775807n, small: 1.5 });
      });

      it('gives callers graphs of their own', async () => {
        const object = await create(a);
        object.decode().metadata.name = 'changed';
        expect(object.decode().metadata.name).to.equal('a');
      });

      it('creates only what is absent', async () => {
        const object = await create(a);
        const result = await storage.create(a, objectFor(a), within);
        expect(result).to.include({ outcome: 'conflict' });
        expect(result.outcome === 'conflict' && result.current?.version).to.equal(object.version);
      });

      it('updates and deletes only at the expected version', async () => {
        const { version } = await create(a);
        const newer = await update(a, version);
        for (const result of [await storage.update(a, objectFor(a), version, within), await storage.delete(a, version, within)]) {
          expect(result.outcome === 'conflict' && result.current?.version).to.equal(newer.version);
        }
        expect(await storage.update(b, objectFor(b), version, within)).to.deep.equal({ outcome: 'conflict', current: null });
        expect(await storage.delete(b, version, within)).to.deep.equal({ outcome: 'conflict', current: null });
      });

      it('shows the last state of a deleted object with the version of its removal', async () => {
        const { version } = await create(a, { labels: { app: 'x' }, text: 'last' });
        const removed = await remove(a, version);
        expect(removed.version).to.be.greaterThan(version);
        expect(removed.decode()).to.deep.include({ data: { text: 'last' } });
        expect(removed.decode().metadata.resourceVersion).to.equal(String(removed.version));
        expect(removed.labels).to.deep.equal({ app: 'x' });
        expect((await storage.get(a, { at: 'mostRecent' })).outcome).to.equal('absent');
        expect((await create(a)).version).to.be.greaterThan(removed.version);
      });

      it('writes objects beside it in the same version, or nothing at all', async () => {
        const claim = key(nodes, '', 'claim');
        const taking = { ...within, sideWrites: [{ action: 'create', key: claim, object: objectFor(claim) }] } as const;
        const first = applied(await storage.create(a, objectFor(a), taking));
        expect(names(await storage.list(listRequest(nodes)))).to.deep.equal([`/claim@${first.version}`]);
        expect(await storage.create(b, objectFor(b), taking)).to.deep.equal({ outcome: 'taken', key: claim });
        expect((await storage.get(b, { at: 'mostRecent' })).outcome).to.equal('absent');
        expect((await storage.create(a, objectFor(a), taking)).outcome, 'its own state is looked at first').to.equal('conflict');
        const giving = {
          ...within,
          sideWrites: [
            { action: 'remove', key: claim },
            { action: 'remove', key: key(nodes, '', 'never') },
          ],
        } as const;
        const second = applied(await storage.update(a, objectFor(a, { text: 'x' }), first.version, giving));
        expect((await storage.get(claim, { at: 'mostRecent' })).outcome).to.equal('absent');
        expect(applied(await storage.delete(a, second.version, { ...within, sideWrites: [] })).version).to.equal(second.version + 1);
      });

      it('amends an object beside it from its newest state, or does nothing at all', async () => {
        const book = key(nodes, '', 'book');
        const taking = (page: string): WriteTerms => ({
          ...within,
          sideWrites: [
            {
              action: 'amend',
              key: book,
              amend: (current) => {
                const pages = ((current?.['data'] as { text?: string } | undefined)?.text ?? '').split(',').filter((each) => each !== '');
                return pages.includes(page) ? null : objectFor(book, { text: [...pages, page].sort().join(',') });
              },
            },
          ],
        });
        const made = await Promise.all(
          ['p', 'q', 'r', 's'].map((page) => {
            const place = key(nodes, '', page);
            return storage.create(place, objectFor(place), taking(page));
          }),
        );
        expect(made.map(({ outcome }) => outcome)).to.deep.equal(['applied', 'applied', 'applied', 'applied']);
        const current = async (): Promise<unknown> => {
          const result = await storage.get(book, { at: 'mostRecent' });
          return result.outcome === 'found' ? [result.object.version, result.object.decode()['data']] : result.outcome;
        };
        expect(await current()).to.deep.equal([Math.max(...made.map((each) => applied(each).version)), { text: 'p,q,r,s' }]);
        expect(await storage.create(a, objectFor(a), taking('q'))).to.deep.equal({ outcome: 'taken', key: book });
        expect((await storage.get(a, { at: 'mostRecent' })).outcome).to.equal('absent');
        const before = await current();
        const p = key(nodes, '', 'p');
        expect((await storage.create(p, objectFor(p), taking('t'))).outcome, 'its own state is looked at first').to.equal('conflict');
        expect(await current()).to.deep.equal(before);
      });

      it('remembers encoded forms', async () => {
        const object = await create(a);
        let made = 0;
        const make = (): Buffer => Buffer.from(String(++made));
        expect(object.encoded('x', make)).to.equal(object.encoded('x', make));
        expect(object.encoded('y', make).toString()).to.equal('2');
      });
    });

    describe('getting', () => {
      it('answers with any consistency', async () => {
        const first = await create(a, { text: '1' });
        const second = await update(a, first.version, { text: '2' });
        for (const consistency of [
          { at: 'mostRecent' },
          { at: 'any' },
          { at: 'notOlderThan', version: first.version },
          { at: 'exact', version: second.version },
        ] as const) {
          const result = await storage.get(a, consistency);
          expect(result.outcome === 'found' && result.object.version, consistency.at).to.equal(second.version);
        }
        const result = await storage.get(a, { at: 'exact', version: first.version });
        expect(result.outcome === 'found' && result.object.decode()).to.deep.include({ data: { text: '1' } });
      });

      it('tells the version at which an object was absent', async () => {
        const { version } = await create(a);
        expect(await storage.get(b, { at: 'mostRecent' })).to.deep.equal({ outcome: 'absent', version });
      });

      it('keeps resources apart', async () => {
        await create(a);
        for (const other of [deployments, { group: 'apps', resource: 'configmaps' }])
          expect((await storage.get({ ...a, resource: other }, { at: 'mostRecent' })).outcome).to.equal('absent');
      });
    });

    describe('listing', () => {
      const fill = async (): Promise<Version> => {
        await create(c, { labels: { app: 'x' } });
        await create(key(configMaps, 'one-more', 'd'));
        await create(b, { labels: { app: 'x' } });
        return (await create(a, { labels: { app: 'y' } })).version;
      };

      it('orders by the bytes of namespace and name', async () => {
        const version = await fill();
        const result = await storage.list(listRequest(configMaps));
        expect(names(result)).to.deep.equal([
          `one-more/d@${version - 2}`,
          `one/a@${version}`,
          `one/b@${version - 1}`,
          `two/c@${version - 3}`,
        ]);
        expect(result).to.include({ version, more: false, remaining: 0 });
      });

      it('selects by namespace, labels and fields', async () => {
        await fill();
        const select = async (more: Partial<ListRequest>): Promise<string[]> =>
          found(await storage.list(listRequest(configMaps, more))).items.map(({ name: found_ }) => found_);
        expect(await select({ namespace: 'one' })).to.deep.equal(['a', 'b']);
        expect(await select({ namespace: 'o' })).to.deep.equal([]);
        expect(await select({ labels: labels('app=x') })).to.deep.equal(['b', 'c']);
        expect(await select({ labels: labels('!app') })).to.deep.equal(['d']);
        expect(await select({ namespace: 'one', fields: fields('metadata.name=b') })).to.deep.equal(['b']);
        expect(await select({ namespace: 'one', fields: fields('metadata.name!=b') })).to.deep.equal(['a']);
        expect(await select({ fields: fields('metadata.name=c') })).to.deep.equal(['c']);
        expect(await select({ fields: fields('metadata.namespace=two') })).to.deep.equal(['c']);
        expect(await select({ namespace: 'one', fields: fields('metadata.name=nothing') })).to.deep.equal([]);
      });

      it('selects by the fields of a resource', async () => {
        for (const [name_, node] of [
          ['p1', 'n1'],
          ['p2', 'n2'],
          ['p3', ''],
        ] as const)
          await create(key(pods, 'one', name_), { node });
        const select = async (text: string): Promise<string[]> =>
          found(await storage.list(listRequest(pods, { fields: fields(text) }))).items.map((object) => object.name);
        expect(await select('spec.nodeName=n1')).to.deep.equal(['p1']);
        expect(await select('spec.nodeName!=n1')).to.deep.equal(['p2', 'p3']);
        expect(await select('spec.nodeName=')).to.deep.equal(['p3']);
      });

      it('lists what has no namespace', async () => {
        await create(key(nodes, '', 'n2'));
        const { version } = await create(key(nodes, '', 'n1'));
        expect(names(await storage.list(listRequest(nodes)))).to.deep.equal([`/n1@${version}`, `/n2@${version - 1}`]);
        const one = await storage.list(listRequest(nodes, { fields: fields('metadata.name=n1'), limit: 1 }));
        expect(one).to.include({ more: false });
        expect(names(one)).to.deep.equal([`/n1@${version}`]);
      });

      it('pages through one version while objects come and go', async () => {
        const version = await fill();
        const first = found(await storage.list(listRequest(configMaps, { limit: 2 })));
        expect(first).to.include({ version, more: true, remaining: 2 });
        await remove(b, version - 1);
        await create(key(configMaps, 'one', 'aa'));
        await update(c, version - 3);
        const last = first.items.at(-1);
        const second = await storage.list(
          listRequest(configMaps, { limit: 2, after: last ?? null, consistency: { at: 'exact', version } }),
        );
        expect(names(second)).to.deep.equal([`one/b@${version - 1}`, `two/c@${version - 3}`]);
        expect(second).to.include({ version, more: false, remaining: 0 });
      });

      it('does not count what selectors leave out', async () => {
        await fill();
        const result = await storage.list(listRequest(configMaps, { labels: labels('app=x'), limit: 1 }));
        expect(result).to.include({ more: true, remaining: null });
      });

      it('shows every earlier version', async () => {
        const { version } = await create(a);
        const b1 = await create(b);
        const a2 = await update(a, version);
        await remove(b, b1.version);
        const at = async (exact: Version): Promise<string[]> =>
          names(await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: exact } })));
        expect(await at(version - 1)).to.deep.equal([]);
        expect(await at(version)).to.deep.equal([`one/a@${version}`]);
        expect(await at(b1.version)).to.deep.equal([`one/a@${version}`, `one/b@${b1.version}`]);
        expect(await at(a2.version)).to.deep.equal([`one/a@${a2.version}`, `one/b@${b1.version}`]);
        expect(await at(a2.version + 1)).to.deep.equal([`one/a@${a2.version}`]);
      });

      it('is a state that later writes do not touch', async () => {
        const { version } = await create(a);
        const before = await storage.list(listRequest(configMaps));
        await update(a, version);
        await create(b);
        expect(names(before)).to.deep.equal([`one/a@${version}`]);
      });

      it('says "expired" for versions that were compacted', async () => {
        const { version } = await create(a);
        await update(a, version);
        await subject.compact(version + 1);
        expect((await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version } }))).outcome).to.equal('expired');
        expect((await storage.list(listRequest(configMaps, { consistency: { at: 'exact', version: version + 1 } }))).outcome).to.equal(
          'found',
        );
        expect((await storage.list(listRequest(configMaps, { consistency: { at: 'notOlderThan', version } }))).outcome).to.equal('found');
      });

      it('says "tooLarge" for versions that do not come', async () => {
        const { version } = await create(a);
        for (const at of ['notOlderThan', 'exact'] as const) {
          expect(await storage.list(listRequest(configMaps, { consistency: { at, version: version + 5 } }))).to.deep.equal({
            outcome: 'tooLarge',
            requested: version + 5,
            current: version,
          });
          expect(await storage.get(a, { at, version: version + 5 })).to.deep.equal({
            outcome: 'tooLarge',
            requested: version + 5,
            current: version,
          });
        }
      });
    });

    describe('watching', () => {
      it('calls nobody before it has returned', async () => {
        const { version } = await create(a);
        for (const start of [{ at: 'any' }, { at: 'after', version: version - 1 }] as const) {
          const sink = new Recorder();
          storage.watch(watchRequest(configMaps, { start }), sink);
          expect(sink.lines).to.deep.equal([]);
          expect(await sink.count(1)).to.include(`ADDED one/a@${version}`);
        }
      });

      it('shows the state, then what changes', async () => {
        const { version } = await create(a);
        await create(b);
        for (const at of ['mostRecent', 'any'] as const) {
          const sink = new Recorder();
          storage.watch(watchRequest(configMaps, { start: { at } }), sink);
          await sink.count(3);
          expect(sink.lines.slice(0, 2)).to.deep.equal([`ADDED one/a@${version}`, `ADDED one/b@${version + 1}`]);
          expect(sink.lines[2]).to.match(/^synced /);
        }
        const sink = new Recorder();
        storage.watch(watchRequest(configMaps), sink);
        await sink.count(3);
        const a2 = await update(a, version);
        const gone = await remove(a, a2.version);
        await create(c);
        expect(sink.lines.slice(2)).to.deep.equal([
          `synced ${version + 1}`,
          `MODIFIED one/a@${a2.version}`,
          `DELETED one/a@${gone.version}`,
          `ADDED two/c@${gone.version + 1}`,
        ]);
      });

      it('replays what came after a version, and nothing of before', async () => {
        const { version } = await create(a);
        await create(b);
        await remove(a, version);
        const sink = new Recorder();
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version } }), sink);
        await sink.count(2);
        await create(c);
        expect(sink.lines).to.deep.equal([`ADDED one/b@${version + 1}`, `DELETED one/a@${version + 2}`, `ADDED two/c@${version + 3}`]);
      });

      it('streams a list that is not older than a version', async () => {
        const { version } = await create(a);
        await create(b);
        const sink = new Recorder();
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version }, initialEvents: true }), sink);
        expect(await sink.count(3)).to.deep.equal([`ADDED one/a@${version}`, `ADDED one/b@${version + 1}`, `synced ${version + 1}`]);
      });

      it('ends with "tooLarge" when that version does not come', async () => {
        const { version } = await create(a);
        const sink = new Recorder();
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version: version + 9 }, initialEvents: true }), sink);
        expect(await sink.count(1)).to.deep.equal(['end tooLarge']);
      });

      it('waits silently for a version from the future', async () => {
        const { version } = await create(a);
        const sink = new Recorder();
        const watch = storage.watch(watchRequest(configMaps, { start: { at: 'after', version: version + 1 } }), sink);
        await settle();
        expect(watch.version).to.equal(version + 1);
        await create(b);
        await create(c);
        expect(sink.lines).to.deep.equal([`ADDED two/c@${version + 2}`]);
      });

      it('ends with "expired" after a version that was compacted', async () => {
        const { version } = await create(a);
        await update(a, version);
        await update(a, version + 1);
        await subject.compact(version + 2);
        const sink = new Recorder();
        storage.watch(watchRequest(configMaps, { start: { at: 'after', version: version - 1 } }), sink);
        expect(await sink.count(1)).to.deep.equal(['end expired']);
      });

      it('shows objects entering and leaving a selection', async () => {
        const sinks = { label: new Recorder(), not: new Recorder(), name: new Recorder(), namespace: new Recorder() };
        const start = { at: 'any' } as const;
        storage.watch(watchRequest(configMaps, { start, labels: labels('l=yes') }), sinks.label);
        storage.watch(watchRequest(configMaps, { start, labels: labels('l!=yes') }), sinks.not);
        storage.watch(watchRequest(configMaps, { start, fields: fields('metadata.name=a') }), sinks.name);
        storage.watch(watchRequest(configMaps, { start, namespace: 'two' }), sinks.namespace);
        await Promise.all(Object.values(sinks).map((sink) => sink.count(1)));
        const { version } = await create(a, { labels: { l: 'no' } });
        await update(a, version, { labels: { l: 'yes' }, text: '1' });
        await update(a, version + 1, { labels: { l: 'yes', x: '1' }, text: '2' });
        await update(a, version + 2, { labels: { l: 'no' }, text: '3' });
        await update(a, version + 3, { labels: { l: 'no', x: '1' } });
        await remove(a, version + 4);
        expect(sinks.label.lines.slice(1)).to.deep.equal([
          `ADDED one/a@${version + 1}`,
          `MODIFIED one/a@${version + 2}`,
          `DELETED one/a@${version + 3}`,
        ]);
        expect(sinks.label.events.at(-1)?.object.decode()).to.deep.equal({
          metadata: { name: 'a', namespace: 'one', uid: 'uid-a', resourceVersion: String(version + 3), labels: { l: 'yes', x: '1' } },
          data: { text: '2' },
        });
        expect(sinks.not.lines.slice(1)).to.deep.equal([
          `ADDED one/a@${version}`,
          `DELETED one/a@${version + 1}`,
          `ADDED one/a@${version + 3}`,
          `MODIFIED one/a@${version + 4}`,
          `DELETED one/a@${version + 5}`,
        ]);
        expect(sinks.name.lines).to.have.length(7);
        expect(sinks.namespace.lines).to.have.length(1);
      });

      it('shows objects that move between values of a field', async () => {
        const [n1, n2] = [new Recorder(), new Recorder()];
        const p = key(pods, 'one', 'p');
        storage.watch(watchRequest(pods, { start: { at: 'any' }, fields: fields('spec.nodeName=n1') }), n1);
        storage.watch(watchRequest(pods, { start: { at: 'any' }, namespace: 'one', fields: fields('spec.nodeName=n2') }), n2);
        await Promise.all([n1.count(1), n2.count(1)]);
        const { version } = await create(p, { node: 'n1' });
        await update(p, version, { node: 'n2' });
        await update(p, version + 1, { node: '' });
        expect(n1.lines.slice(1)).to.deep.equal([`ADDED one/p@${version}`, `DELETED one/p@${version + 1}`]);
        expect(n2.lines.slice(1)).to.deep.equal([`ADDED one/p@${version + 1}`, `DELETED one/p@${version + 2}`]);
      });

      it('encodes an event once for all who see the same type of it', async () => {
        const sinks = [new Recorder(), new Recorder(), new Recorder()];
        const selectors = ['', 'l', 'l'];
        sinks.forEach((sink, index) => storage.watch(watchRequest(configMaps, { labels: labels(selectors[index] ?? '') }), sink));
        await Promise.all(sinks.map((sink) => sink.count(1)));
        const { version } = await create(a);
        await update(a, version, { labels: { l: '1' } });
        const [all, one, two] = sinks.map((sink) => sink.events.at(-1));
        expect([all?.type, one?.type, two?.type]).to.deep.equal(['MODIFIED', 'ADDED', 'ADDED']);
        let made = 0;
        const make = (): Buffer => Buffer.from(String(++made));
        expect(one?.frame('json', make)).to.equal(two?.frame('json', make));
        expect(all?.frame('json', make).toString()).to.equal('2');
        expect(all?.frame('yaml', make).toString()).to.equal('3');
        expect(all?.frame('json', make).toString()).to.equal('2');
      });

      it('tells nothing after it was stopped, not even from within an event', async () => {
        const sink = new Recorder();
        const watch = storage.watch(watchRequest(configMaps), sink);
        await sink.count(1);
        const { version } = await create(a);
        watch.stop();
        await update(a, version);
        expect(sink.lines).to.have.length(2);

        const stopping = new Recorder();
        const other = new Recorder();
        const record = stopping.event.bind(stopping);
        const stopped = storage.watch(
          watchRequest(configMaps),
          Object.assign(stopping, {
            event: (event: Parameters<typeof record>[0]) => {
              record(event);
              stopped.stop();
            },
          }),
        );
        storage.watch(watchRequest(configMaps), other);
        await stopping.count(1);
        await other.count(2);
        await settle();
        await update(a, version + 1);
        expect(stopping.lines).to.deep.equal([`ADDED one/a@${version + 1}`]);
        expect(other.lines.at(-1)).to.equal(`MODIFIED one/a@${version + 2}`);
      });

      it('knows how far it has come', async () => {
        const { version } = await create(a);
        const sink = new Recorder();
        const watch = storage.watch(watchRequest(deployments, { start: { at: 'after', version } }), sink);
        await settle();
        expect(watch.version).to.equal(version);
        await create(b);
        expect(watch.version).to.equal(version + 1);
        expect(sink.lines).to.deep.equal([]);
      });
    });
  });
}

function nodeNameOf(object: ApiObject): string {
  const { spec } = object;
  const nodeName = typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? spec['nodeName'] : undefined;
  return typeof nodeName === 'string' ? nodeName : '';
}

function selectorOf<Selector>(
  parsed: { readonly ok: true; readonly selector: Selector } | { readonly ok: false; readonly message: string },
): Selector {
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}
