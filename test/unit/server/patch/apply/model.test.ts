import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { apply } from '../../../../../server/patch/apply/apply.js';
import type { ManagerId, Managers } from '../../../../../server/patch/apply/managers.js';
import { ownUpdate, type Versions } from '../../../../../server/patch/apply/ownership.js';
import { emptyValue } from '../../../../../server/patch/apply/schema.js';
import { schemaOfKind } from '../../../../../server/patch/apply/typeSchema.js';
import { inOneGo } from '../../../../../api/steps.js';

/** A minimal model of field ownership by the rules of structured merge: an object maps leaves to values, and a manager is a set of leaves. */
const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' });
const versions: Versions = { schemaOf: () => schema, convert: (object) => object };
const now = '2026-01-01T00:00:00Z';

/** Leaves by kind and name; those of sets have no value. */
const leaves = [
  'label a',
  'label b',
  'annotation a',
  'annotation b',
  'finalizer f.example.com/a',
  'finalizer f.example.com/b',
  'owner u1',
  'owner u2',
  'data a',
  'data b',
  'immutable',
] as const;
type Leaf = (typeof leaves)[number];
type Content = ReadonlyMap<Leaf, string>;

const identity = {
  name: 'o',
  namespace: 'n',
  uid: 'the-uid',
  resourceVersion: '7',
  creationTimestamp: now,
  generation: 3,
  deletionTimestamp: now,
};

function objectOf(content: Content, metadata: JsonObject): ApiObject {
  const [labels, annotations, data] = ['label', 'annotation', 'data'].map((kind) =>
    Object.fromEntries([...content].filter(([leaf]) => leaf.startsWith(`${kind} `)).map(([leaf, value]) => [nameOf(leaf), value])),
  );
  const finalizers = [...content.keys()].filter((leaf) => leaf.startsWith('finalizer ')).map(nameOf);
  const ownerReferences = [...content]
    .filter(([leaf]) => leaf.startsWith('owner '))
    .map(([leaf, value]) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: value, uid: nameOf(leaf) }));
  const members = { labels, annotations, finalizers, ownerReferences };
  const filled = Object.fromEntries(Object.entries(members).filter(([, value]) => Object.keys(value ?? {}).length > 0)) as JsonObject;
  const immutable = content.get('immutable');
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, ...filled },
    ...(Object.keys(data ?? {}).length === 0 ? {} : { data: data as JsonObject }),
    ...(immutable === undefined ? {} : { immutable: immutable === '1' }),
  } as ApiObject;
}

const nameOf = (leaf: string): string => leaf.split(' ')[1] ?? '';

function contentOf(object: ApiObject): Map<Leaf, string> {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = object.metadata;
  const data = (object['data'] ?? {}) as Record<string, string>;
  const named = (kind: string, values: Readonly<Record<string, string>>): [Leaf, string][] =>
    Object.entries(values).map(([name, value]) => [`${kind} ${name}` as Leaf, value]);
  return new Map([
    ...named('label', labels),
    ...named('annotation', annotations),
    ...named('data', data),
    ...finalizers.map((name): [Leaf, string] => [`finalizer ${name}` as Leaf, '1']),
    ...(ownerReferences as unknown as { name: string; uid: string }[]).map(({ name, uid }): [Leaf, string] => [
      `owner ${uid}` as Leaf,
      name,
    ]),
    ...('immutable' in object ? [['immutable', object['immutable'] === true ? '1' : '2'] as [Leaf, string]] : []),
  ]);
}

const paths: Readonly<Record<string, (name: string) => readonly string[]>> = {
  label: (name) => ['f:metadata', 'f:labels', `f:${name}`],
  annotation: (name) => ['f:metadata', 'f:annotations', `f:${name}`],
  finalizer: (name) => ['f:metadata', 'f:finalizers', `v:"${name}"`],
  owner: (name) => ['f:metadata', 'f:ownerReferences', `k:{"uid":"${name}"}`],
  data: (name) => ['f:data', `f:${name}`],
  immutable: () => ['f:immutable'],
};
const pathOf = (leaf: Leaf): readonly string[] => paths[leaf.split(' ')[0] ?? '']?.(nameOf(leaf)) ?? [];

type Owners = ReadonlyMap<string, ReadonlySet<Leaf>>;
interface State {
  readonly content: Content;
  readonly owners: Owners;
}
interface Write {
  readonly kind: 'apply' | 'update';
  readonly manager: string;
  readonly content: Content;
  readonly force: boolean;
}

const idOf = ({ kind, manager }: Write): ManagerId => ({
  manager,
  operation: kind === 'apply' ? 'Apply' : 'Update',
  apiVersion: 'v1',
  subresource: '',
});
const ownerOf = (write: Write): string => `${write.manager} ${idOf(write).operation}`;
const others = (owners: Owners, self: string): [string, ReadonlySet<Leaf>][] => [...owners].filter(([owner]) => owner !== self);
const tidy = (owners: Map<string, ReadonlySet<Leaf>>): Owners => new Map([...owners].filter(([, leaves]) => leaves.size > 0));

/** The rules. Null: a conflict. */
function modelled({ content, owners }: State, write: Write): State | null {
  const self = ownerOf(write);
  const after = new Map(write.kind === 'update' ? write.content : [...content, ...write.content]);
  const mine = owners.get(self) ?? new Set<Leaf>();
  if (write.kind === 'apply') {
    for (const leaf of mine)
      if (!write.content.has(leaf) && !others(owners, self).some(([, leaves]) => leaves.has(leaf))) after.delete(leaf);
  }
  const changed = [...after.keys()].filter((leaf) => content.get(leaf) !== after.get(leaf));
  if (write.kind === 'apply' && !write.force && others(owners, self).some(([, leaves]) => changed.some((leaf) => leaves.has(leaf))))
    return null;
  const left = new Map(
    others(owners, self).map(([owner, leaves]) => [
      owner,
      new Set([...leaves].filter((leaf) => after.has(leaf) && !changed.includes(leaf))),
    ]),
  );
  const own =
    write.kind === 'apply' ? new Set(write.content.keys()) : new Set([...[...mine].filter((leaf) => after.has(leaf)), ...changed]);
  return { content: after, owners: tidy(new Map<string, ReadonlySet<Leaf>>([...left, [self, own]])) };
}

/** The real implementation. */
function written(object: ApiObject, managers: Managers, write: Write): { readonly object: ApiObject; readonly managers: Managers } | null {
  const sent = objectOf(write.content, write.kind === 'apply' ? { name: 'o' } : identity);
  if (write.kind === 'update')
    return { object: sent, managers: inOneGo(ownUpdate({ before: object, after: sent }, managers, { id: idOf(write), now }, versions)) };
  const result = inOneGo(apply({ live: object, config: sent }, managers, { id: idOf(write), now, force: write.force }, versions));
  return result.ok ? result : null;
}

const ownersIn = (managers: Managers): Owners =>
  tidy(
    new Map(
      [...managers.values()].map(({ manager, operation, fields }) => [
        `${manager} ${operation}`,
        new Set(leaves.filter((leaf) => fields.has(pathOf(leaf)))),
      ]),
    ),
  );

const valueOf = (leaf: Leaf): fc.Arbitrary<string> => (leaf.startsWith('finalizer ') ? fc.constant('1') : fc.constantFrom('1', '2'));
const content = fc
  .subarray([...leaves])
  .chain((leaves) => fc.tuple(...leaves.map((leaf) => valueOf(leaf).map((value): [Leaf, string] => [leaf, value]))))
  .map((entries) => new Map(entries));
const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('apply', 'apply', 'update'),
  manager: fc.constantFrom('one', 'two', 'three'),
  content,
  force: fc.boolean(),
});

describe('field ownership and its model', () => {
  it('agree after every write, whoever owns what', () => {
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 8 }), (writes) => {
        let model: State = { content: new Map(), owners: new Map() };
        let real: { readonly object: ApiObject; readonly managers: Managers } = {
          object: { ...(emptyValue(schema ?? { kind: 'unknown' }) as ApiObject), metadata: { ...identity } },
          managers: new Map(),
        };
        for (const each of writes) {
          const expected = modelled(model, each);
          const result = written(real.object, real.managers, each);
          expect(result === null, 'conflict').to.equal(expected === null);
          if (expected === null || result === null) continue;
          expect([...contentOf(result.object)].sort()).to.deep.equal([...expected.content].sort());
          expect(ownersIn(result.managers)).to.deep.equal(expected.owners);
          expect(result.object.metadata).to.include(identity);
          [model, real] = [expected, result];
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
