import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject, JsonValue } from '../../../../../api/object.js';
import { apply } from '../../../../../server/patch/apply/apply.js';
import { FieldSet } from '../../../../../server/patch/apply/fieldSet.js';
import { readManagers, writeManagers, type ManagerId, type Managers } from '../../../../../server/patch/apply/managers.js';
import { ownUpdate, type Versions } from '../../../../../server/patch/apply/ownership.js';
import { widget } from './schemas.js';
import { inOneGo } from '../../../../../api/steps.js';

/**
 * Ownership after any sequence of writes to a type with every kind of list and map, compared with a model of the published rules of structured merge. The
 * model has no schemas: an object is a set of fields with values, some in list items, and of their parent members.
 *
 * - An applier owns what it sets. Members that it omits are removed, items with all content, unless another manager owns them.
 * - Changing another's field is a conflict, or takes it by force.
 * - A member whose last owned field goes is removed, unless it is owned (`abandoned`).
 * - An updater gains what it changes or adds; so it alone owns a member that came with its fields.
 * - Removed fields have no owner. Appliers and updaters of one name are different managers, as are updaters of object and status.
 * - Reset fields (here: metadata in an apply through the status) have no owner and cause no conflict.
 * - A rewritten record renames and drops managers; of two entries of one manager the last counts.
 */
const versions: Versions = { schemaOf: () => widget, convert: (object) => object };
const now = '2026-01-01T00:00:00Z';

/** A field: its path in `managedFields`, its item, and its possible values. */
interface Field {
  readonly path: readonly string[];
  readonly item: string | null;
  readonly values: readonly JsonValue[];
}
const field = (path: string, values: readonly JsonValue[], item: string | null = null): Field => ({
  path: path.split(' '),
  item,
  values,
});

const items = ['a', 'b'].flatMap((name): [string, Field][] => {
  const at = `f:spec f:items k:{"name":"${name}"}`;
  const id = `item ${name}`;
  return [
    [id, field(at, [true])],
    [`${id} name`, field(`${at} f:name`, [name], id)],
    [`${id} value`, field(`${at} f:value`, ['1', '2'], id)],
    [`${id} nested.a`, field(`${at} f:nested f:a`, ['1', '2'], id)],
    [`${id} nested.b`, field(`${at} f:nested f:b`, ['1', '2'], id)],
  ];
});
const ports = [
  [80, 'TCP'],
  [80, 'UDP'],
].flatMap(([port = 0, protocol = '']): [string, Field][] => {
  const at = `f:spec f:ports k:{"port":${port},"protocol":"${protocol}"}`;
  const id = `port ${port} ${protocol}`;
  return [
    [id, field(at, [true])],
    [`${id} port`, field(`${at} f:port`, [port], id)],
    [`${id} protocol`, field(`${at} f:protocol`, [protocol], id)],
    [`${id} name`, field(`${at} f:name`, ['1', '2'], id)],
  ];
});
const chosenFrom: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['replicas', field('f:spec f:replicas', [1, 2])],
  ['text', field('f:spec f:text', ['1', '2'])],
  ['selector', field('f:spec f:selector', [{ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd' } }])],
  ['args', field('f:spec f:args', [['x'], ['x', 'y']])],
  ['template.a', field('f:spec f:template f:a', ['1', '2'])],
  ['template.labels.x', field('f:spec f:template f:labels f:x', ['1', '2'])],
  ['template.labels.y', field('f:spec f:template f:labels f:y', ['1', '2'])],
  ['label x', field('f:metadata f:labels f:x', ['1', '2'])],
  ['finalizer a', field('f:metadata f:finalizers v:"example.com/a"', [true])],
  ['finalizer b', field('f:metadata f:finalizers v:"example.com/b"', [true])],
  ...items,
  ...ports,
]);

/** The parents of a field, by path. Metadata always exists. */
const membersAbove = ({ path }: Field): string[] =>
  path.flatMap((element, depth) =>
    depth < path.length - 1 && element.startsWith('f:') && element !== 'f:metadata' ? [path.slice(0, depth + 1).join(' ')] : [],
  );
const idAt = new Map([...chosenFrom].map(([name, { path }]) => [path.join(' '), name]));
const containers: ReadonlyMap<string, Field> = new Map(
  [...chosenFrom.values()].flatMap(membersAbove).map((path) => [path, field(path, [true], idAt.get(path.replace(/(.* k:\S+) .*/, '$1')))]),
);
const fields: ReadonlyMap<string, Field> = new Map([...chosenFrom, ...containers]);
const above: ReadonlyMap<string, readonly string[]> = new Map([...fields].map(([name, each]) => [name, membersAbove(each)]));
const isList = (name: string): boolean => /f:(items|ports|finalizers)$/.test(name);

type Content = ReadonlyMap<string, JsonValue>;

/** An item has its keys, and a member its content. */
function complete(chosen: Content): Content {
  const whole = new Map(chosen);
  for (const name of chosen.keys()) {
    for (const container of above.get(name) ?? []) whole.set(container, true);
    const item = fields.get(name)?.item ?? (name.startsWith('item ') || name.startsWith('port ') ? name : null);
    if (item === null) continue;
    whole.set(item, true);
    for (const key of item.startsWith('item ') ? ['name'] : ['port', 'protocol'])
      whole.set(`${item} ${key}`, fields.get(`${item} ${key}`)?.values[0] ?? null);
  }
  return whole;
}

function objectOf(content: Content): ApiObject {
  const inside = new Map<string, [string, Field][]>();
  for (const [name, each] of fields) {
    const parent = each.path.slice(0, -1).join(' ');
    if (content.has(name)) inside.set(parent, [...(inside.get(parent) ?? []), [name, each]]);
  }
  const valueOf = (name: string, { path }: Field): JsonValue => {
    const element = path.at(-1) ?? '';
    if (isList(name)) return (inside.get(path.join(' ')) ?? []).map((item) => valueOf(...item));
    if (element.startsWith('v:')) return JSON.parse(element.slice(2)) as JsonValue;
    return containers.has(name) || element.startsWith('k:') ? membersOf(path.join(' ')) : (content.get(name) ?? null);
  };
  const membersOf = (parent: string): JsonObject =>
    Object.fromEntries(
      (inside.get(parent) ?? []).map(([name, each]): [string, JsonValue] => [(each.path.at(-1) ?? '').slice(2), valueOf(name, each)]),
    );
  const metadata = { name: 'o', ...membersOf('f:metadata') };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, ...membersOf('') } as ApiObject;
}

interface Write {
  readonly kind: 'apply' | 'applied status' | 'update' | 'status';
  readonly manager: string;
  readonly content: Content;
  readonly force: boolean;
}
/** Renames all entries of one manager in the record, or removes them. */
interface Rewrite {
  readonly kind: 'rewrite';
  readonly manager: string;
  readonly name: string | null;
}
type Owners = ReadonlyMap<string, ReadonlySet<string>>;
interface State {
  readonly content: Content;
  readonly owners: Owners;
}

const idOf = ({ kind, manager }: Write): ManagerId => ({
  manager,
  operation: isApply(kind) ? 'Apply' : 'Update',
  apiVersion: 'example.com/v1',
  subresource: kind === 'apply' || kind === 'update' ? '' : 'status',
});
const isApply = (kind: Write['kind']): boolean => kind === 'apply' || kind === 'applied status';
const resets = FieldSet.at(['f:metadata']);
const isReset = (kind: Write['kind'], name: string): boolean => kind === 'applied status' && fields.get(name)?.path[0] === 'f:metadata';
const keyOf = ({ manager, operation, subresource }: Pick<ManagerId, 'manager' | 'operation' | 'subresource'>): string =>
  [manager, operation, subresource].join(' ');
const same = (a: JsonValue | undefined, b: JsonValue | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The members that an applier removes when it owns nothing more in them: all with their content, unless another manager owns something inside or, except for
 * lists, the empty member itself. Ownership inside an unowned item does not count.
 */
function abandoned(mine: ReadonlySet<string>, owned: ReadonlySet<string>): string[] {
  const filled = new Set([...owned].flatMap((name) => above.get(name) ?? []));
  const holding = [...owned].filter((name) => owned.has(fields.get(name)?.item ?? name) && !isList(name) && !filled.has(name));
  const held = new Set(holding.flatMap((name) => [name, ...(above.get(name) ?? [])]));
  const left = new Set([...mine].flatMap((name) => above.get(name) ?? []).filter((container) => !held.has(container)));
  return [...fields.keys()].filter((name) => [name, ...(above.get(name) ?? [])].some((container) => left.has(container)));
}

/** The rules. Null: a conflict. */
function modelled({ content, owners }: State, write: Write): State | null {
  const self = keyOf(idOf(write));
  const kept = [...write.content].filter(([name]) => !isReset(write.kind, name));
  const applied = kept.map(([name]) => name).filter((name) => !containers.has(name));
  const others = [...owners].filter(([owner]) => owner !== self);
  const isOthers = (name: string): boolean => others.some(([, fields]) => fields.has(name));
  const mine = owners.get(self) ?? new Set<string>();
  const after = isApply(write.kind) ? new Map([...content, ...kept]) : new Map(write.content);
  if (isApply(write.kind))
    for (const name of mine) {
      if (write.content.has(name) || isOthers(name)) continue;
      after.delete(name);
      for (const inside of [...after.keys()]) if (fields.get(inside)?.item === name) after.delete(inside);
    }
  if (isApply(write.kind)) {
    const owned = new Set([...applied, ...others.flatMap(([, fields]) => [...fields])]);
    for (const name of abandoned(mine, owned)) after.delete(name);
  }
  const changed = new Set([...after.keys()].filter((name) => !same(content.get(name), after.get(name))));
  if (isApply(write.kind) && !write.force && [...changed].some(isOthers)) return null;
  const own = isApply(write.kind) ? new Set(applied) : new Set([...[...mine].filter((name) => after.has(name)), ...changed]);
  const left = others.map(
    ([owner, fields]) => [owner, new Set([...fields].filter((name) => after.has(name) && !changed.has(name)))] as const,
  );
  return { content: after, owners: new Map([...left, [self, own] as const].filter(([, fields]) => fields.size > 0)) };
}

/** Of several entries of one manager, that with the later name counts as later. */
function rewritten({ content, owners }: State, { manager, name }: Rewrite): State {
  const renamed = [...owners]
    .map(([owner, fields]) => [...owner.split(' '), fields] as [string, string, string, ReadonlySet<string>])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([who]) => who !== manager || name !== null)
    .map(([who, operation, subresource, fields]) => [[who === manager ? name : who, operation, subresource].join(' '), fields] as const);
  return { content, owners: new Map(renamed) };
}

interface Real {
  readonly object: ApiObject;
  readonly managers: Managers;
}

/** The real implementation. */
function written({ object, managers }: Real, write: Write): Real | null {
  const sent = objectOf(write.content);
  if (!isApply(write.kind))
    return { object: sent, managers: inOneGo(ownUpdate({ before: object, after: sent }, managers, { id: idOf(write), now }, versions)) };
  const by = { id: idOf(write), now, force: write.force, resets: write.kind === 'apply' ? FieldSet.empty : resets };
  const result = inOneGo(apply({ live: object, config: sent }, managers, by, versions));
  if (!result.ok) return null;
  // Members that the write resets.
  return write.kind === 'apply' ? result : { object: { ...result.object, metadata: object.metadata }, managers: result.managers };
}

/** All entries have one time, so names order them. */
function rewrittenReal({ object, managers }: Real, { manager, name }: Rewrite): Real {
  const entries = writeManagers(new Map([...managers].map(([key, entry]) => [key, { ...entry, time: now }])));
  const left = entries.filter((entry) => entry['manager'] !== manager || name !== null);
  return { object, managers: readManagers(left.map((entry) => (entry['manager'] === manager ? { ...entry, manager: name } : entry))) };
}

const ownersIn = (managers: Managers): Owners =>
  new Map(
    [...managers.values()]
      .map(
        (manager) =>
          [keyOf(manager), new Set([...fields].filter(([, { path }]) => manager.fields.has(path)).map(([name]) => name))] as const,
      )
      .filter(([, fields]) => fields.size > 0),
  );

/** Ignores the order of list items. */
const plain = (object: ApiObject): JsonValue => JSON.parse(JSON.stringify(object, sorted)) as JsonValue;
const sorted = (_name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return [...(value as unknown[])].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return value;
};

const content: fc.Arbitrary<Content> = fc
  .subarray([...chosenFrom.keys()].filter((name) => !/ (name|port|protocol)$/.test(name) || name.startsWith('port 80 TCP name')))
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => fc.constantFrom(...(fields.get(name)?.values ?? [])).map((value): [string, JsonValue] => [name, value])),
    ),
  )
  .map((entries) => complete(new Map(entries)));
const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('apply', 'apply', 'applied status', 'update', 'status'),
  manager: fc.constantFrom('one', 'two', 'three'),
  content,
  force: fc.boolean(),
});
const rewrite: fc.Arbitrary<Rewrite> = fc.record({
  kind: fc.constant('rewrite' as const),
  manager: fc.constantFrom('one', 'two', 'three'),
  name: fc.constantFrom('one', 'two', 'three', null),
});

describe('field ownership after any sequence of writes', () => {
  it('is that of a small model of structured merge', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ arbitrary: write, weight: 6 }, { arbitrary: rewrite, weight: 1 }), { minLength: 1, maxLength: 7 }),
        (writes) => {
          let model: State = { content: new Map(), owners: new Map() };
          let real: Real = { object: objectOf(new Map()), managers: new Map() };
          for (const each of writes) {
            const [expected, result] =
              each.kind === 'rewrite' ? [rewritten(model, each), rewrittenReal(real, each)] : [modelled(model, each), written(real, each)];
            expect(result === null, 'conflict').to.equal(expected === null);
            if (expected === null || result === null) continue;
            expect(ownersIn(result.managers)).to.deep.equal(expected.owners);
            expect(plain(result.object)).to.deep.equal(plain(objectOf(expected.content)));
            [model, real] = [expected, result];
          }
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
