import { expect } from 'chai';
import fc from 'fast-check';
import { groupedLayout, referenceLayout, type KeyLayout } from '../../../../server/storage/keyLayout.js';
import { flat, KeySpace } from '../../../../server/storage/keys.js';

const builtIn = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'services' },
  { group: '', resource: 'endpoints' },
  { group: '', resource: 'nodes' },
  { group: 'apps', resource: 'deployments' },
  { group: 'networking.k8s.io', resource: 'ingresses' },
];
const layouts: Readonly<Record<string, KeyLayout>> = { grouped: groupedLayout, reference: referenceLayout(builtIn) };
const segment = fc.constantFrom(
  'pods',
  'services',
  'specs',
  'endpoints',
  'minions',
  'core',
  'apps',
  'a.io',
  'ingress',
  'x',
  '*',
  '',
  'a-long-name-of-an-object',
);
describe('the first part of keys', () => {
  it('has a slash in front and none behind, however it is given', () => {
    for (const prefix of ['/abc/registry', 'abc/registry', '/abc/registry/', 'abc//registry'])
      expect(new KeySpace(prefix).start, prefix).to.equal('/abc/registry/');
    expect(() => new KeySpace('/')).to.throw(RangeError);
  });
});

const path = fc.array(segment, { maxLength: 5 }).map((segments) => segments.join('/'));

/** The meaning of a key by the layout alone. */
function meaning(layout: KeyLayout, key: string): unknown {
  if (!key.startsWith('/registry/')) return null;
  const found = layout.resourceAt(key.slice('/registry/'.length).split('/'));
  const name = found?.rest.at(-1);
  if (!found || found.rest.length > 2 || name === undefined || name === '') return null;
  return { ...found.resource, namespace: found.rest.length === 2 ? found.rest[0] : '', name };
}

describe('keys of objects', () => {
  for (const [title, layout] of Object.entries(layouts)) {
    it(`mean the same however many of their folder were met before, ${title}`, () => {
      fc.assert(
        fc.property(fc.array(path, { minLength: 1, maxLength: 12 }), (paths) => {
          const keys = new KeySpace('/registry', layout);
          for (const each of paths)
            for (const key of [`/registry/${each}`, `/registry${each}`, each])
              expect(keys.parse(key), key).to.deep.equal(meaning(layout, key));
        }),
      );
    });

    it(`come back as they were made, ${title}`, () => {
      const keys = new KeySpace('/registry', layout);
      for (const resource of builtIn)
        for (const namespace of ['', 'one', 'a-namespace-with-a-long-name'])
          for (const name of ['a', 'an-object-with-a-long-name'])
            expect(keys.parse(keys.keyOf({ resource, namespace, name }))).to.deep.equal({ ...resource, namespace, name });
    });
  }

  it('of one folder share what stands for it', () => {
    const keys = new KeySpace('/registry');
    const [one, two] = ['/registry/core/pods/default/one', '/registry/core/pods/default/two'].map((key) => keys.find(key));
    expect(one?.folder).to.equal(two?.folder);
    expect([one?.name, two?.name]).to.deep.equal(['one', 'two']);
  });

  it('are copied whole', () => {
    for (const text of ['', 'short', 'exactly-13-ch', 'long enough to be a view of another string', 'ü'.repeat(20)])
      expect(flat(text)).to.equal(text);
  });
});
