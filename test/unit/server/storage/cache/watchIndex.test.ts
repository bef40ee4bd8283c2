import { expect } from 'chai';
import fc from 'fast-check';
import { parseFieldSelector, parseLabelSelector } from '../../../../../api/selectors/index.js';
import { ObjectChange } from '../../../../../server/storage/cache/change.js';
import { WatchIndex, type LiveWatcher } from '../../../../../server/storage/cache/watchIndex.js';
import { encodeStored } from '../../../../../server/storage/encoding.js';
import { selects } from '../../../../../server/storage/matching.js';
import { storedObjectOf, type StoredItem } from '../../../../../server/storage/storedObject.js';

/** Counts the changes that it is tested for. */
class AskedWatcher implements LiveWatcher {
  asked = 0;
  readonly version = 0;
  readonly request: LiveWatcher['request'];

  constructor(namespace: string | null, labels: string, fields: string) {
    const parsedLabels = parseLabelSelector(labels);
    const parsedFields = parseFieldSelector(fields);
    if (!parsedLabels.ok || !parsedFields.ok) throw new Error(`${labels} or ${fields} is no selector`);
    this.request = {
      resource: pods,
      namespace,
      labels: parsedLabels.selector,
      fields: parsedFields.selector,
      start: { at: 'any' },
      initialEvents: false,
    };
  }

  deliver(): void {
    this.asked++;
  }
  end(): void {}
}

const pods = { group: '', resource: 'pods' };
const facts = {
  resource: pods,
  fieldsOf: (object: object): Record<string, string> => ({
    'spec.nodeName': (object as { spec?: { nodeName?: string } }).spec?.nodeName ?? '',
  }),
};
const pod = (labels: Record<string, string>, nodeName = 'node-1', namespace = 'one', name = 'p', version = 2): StoredItem => {
  const at = { resource: pods, namespace, name };
  return storedObjectOf(
    facts,
    at,
    version,
    encodeStored(at, { apiVersion: 'v1', metadata: { name, namespace, labels }, spec: { nodeName } }),
  );
};

describe('the index of watchers', () => {
  const herdSize = 10_000;
  const change = new ObjectChange(3, pod({ app: 'a', tier: 'web' }), pod({ app: 'b', tier: 'web' }), 0);
  const herds: Readonly<Record<string, (each: number) => AskedWatcher>> = {
    namespaces: (each) => new AskedWatcher(`other-${each}`, '', ''),
    'namespaces as a field': (each) => new AskedWatcher(null, '', `metadata.namespace=other-${each}`),
    names: (each) => new AskedWatcher('one', '', `metadata.name=other-${each}`),
    'names without a namespace': (each) => new AskedWatcher(null, '', `metadata.name=other-${each}`),
    'values of a field': (each) => new AskedWatcher(null, '', `spec.nodeName=other-${each}`),
    'values of a label': (each) => new AskedWatcher('one', `app=other-${each}`, ''),
    'sets of values of a label': (each) => new AskedWatcher('one', `app in (other-${each}, another-${each})`, ''),
    labels: (each) => new AskedWatcher(null, `label-${each}=b`, ''),
    'labels of any value': (each) => new AskedWatcher(null, `label-${each}`, ''),
    'labels of large values': (each) => new AskedWatcher(null, `label-${each}>3`, ''),
    'labels beside a common one': (each) => new AskedWatcher(null, `!old,tier!=db,app=other-${each}`, ''),
  };
  for (const [what, watcher] of Object.entries(herds)) {
    it(`asks nobody of ${herdSize} who watch other ${what}`, () => {
      const index = new WatchIndex();
      const herd = Array.from({ length: herdSize }, (_, each) => watcher(each));
      const matching = new AskedWatcher('one', 'app in (a, b)', '');
      for (const each of [...herd, matching]) index.add(each);
      index.deliver(change);
      expect(herd.reduce((sum, { asked }) => sum + asked, 0)).to.equal(0);
      expect(matching.asked).to.equal(1);
      for (const each of herd) index.delete(each);
      expect(index.size).to.equal(1);
    });
  }

  it('asks once everybody to whom a change can matter', () => {
    const value = fc.constantFrom('a', 'b', 'c');
    const labels = fc.dictionary(fc.constantFrom('app', 'tier'), value);
    const state = fc.option(fc.record({ labels, node: value }), { nil: null });
    const requirement = fc.oneof(
      fc.tuple(fc.constantFrom('app', 'tier'), fc.constantFrom('=', '!='), value).map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('app', 'tier'), fc.uniqueArray(value, { minLength: 1 }))
        .map(([label, values]) => `${label} in (${values.join(',')})`),
      fc.constantFrom('app', '!app', 'tier', '!tier'),
    );
    const watcher = fc
      .tuple(
        fc.constantFrom('one', 'two', null),
        fc.uniqueArray(requirement, { maxLength: 2 }).map((parts) => parts.join(',')),
        fc.constantFrom('', 'metadata.name=p', 'metadata.name!=p', 'spec.nodeName=a', 'metadata.namespace=one'),
      )
      .map((parts) => new AskedWatcher(...parts));
    fc.assert(
      fc.property(state, state, fc.array(watcher, { maxLength: 20, size: 'max' }), (before, after, watchers) => {
        fc.pre(before !== null || after !== null);
        const [previous, next] = [before, after].map((each) => each && pod(each.labels, each.node)) as [
          StoredItem | null,
          StoredItem | null,
        ];
        const index = new WatchIndex();
        for (const each of watchers) index.add(each);
        index.deliver(new ObjectChange(3, previous, next, 0));
        for (const { asked, request } of watchers) {
          const matters = [previous, next].some((each) => each !== null && selects(request, each));
          expect(asked).to.be.within(matters ? 1 : 0, 1);
        }
        for (const each of watchers) index.delete(each);
        expect(index.size).to.equal(0);
      }),
      { numRuns: 300 },
    );
  });
});
