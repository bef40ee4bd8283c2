import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject, JsonValue } from '../../../../../api/object.js';
import { apply, type ApplyResult } from '../../../../../server/patch/apply/apply.js';
import {
  capManagers,
  isReset,
  managerOf,
  readManagers,
  updateEntriesMax,
  writeManagers,
  type ManagerId,
  type Managers,
} from '../../../../../server/patch/apply/managers.js';
import { ownUpdate, type Versions } from '../../../../../server/patch/apply/ownership.js';
import { emptyValue } from '../../../../../server/patch/apply/schema.js';
import { widget } from './schemas.js';
import { inOneGo } from '../../../../../api/steps.js';

const now = '2026-01-01T00:00:00Z';
const versions: Versions = { schemaOf: (version) => (version === 'v1' ? widget : null), convert: (object) => object };
const applier = (manager: string): ManagerId => ({ manager, operation: 'Apply', apiVersion: 'v1', subresource: '' });
const updater = (manager: string): ManagerId => ({ manager, operation: 'Update', apiVersion: 'v1', subresource: '' });
const written = (id: ManagerId): JsonObject => ({ ...id, time: now, fieldsType: 'FieldsV1' });
const object = (spec: JsonObject, labels?: Record<string, string>): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { name: 'w', ...(labels === undefined ? {} : { labels }) },
  spec,
});
const fieldsOfManager = (managers: Managers, name: string): JsonObject | undefined =>
  [...managers.values()].find((entry) => entry.manager === name)?.fields.toFieldsV1();

/** Applies in turn; an unforced conflict fails the test. */
function applied(
  live: ApiObject,
  managers: Managers,
  name: string,
  config: ApiObject,
  force = false,
): { object: ApiObject; managers: Managers } {
  const result = inOneGo(apply({ live, config }, managers, { id: applier(name), now, force }, versions));
  if (!result.ok) throw new Error(`unexpected conflict: ${JSON.stringify(result.conflicts.map((each) => each.fields.toFieldsV1()))}`);
  return result;
}
const start = emptyValue(widget) as ApiObject;
const none: Managers = new Map();
const conflictsOf = (result: ApplyResult): unknown =>
  result.ok ? null : result.conflicts.map((each) => [each.manager.manager, each.fields.toFieldsV1()]);

describe('server-side apply', () => {
  it('owns the leaves of what it applied, and items and map entries as a whole', () => {
    const { managers } = applied(start, none, 'a', object({ replicas: 1, items: [{ name: 'x', value: 1 }] }, { l: 'v' }));
    expect(fieldsOfManager(managers, 'a')).to.deep.equal({
      'f:metadata': { 'f:labels': { 'f:l': {} } },
      'f:spec': { 'f:items': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:value': {} } }, 'f:replicas': {} },
    });
  });

  it('owns what is not declared as entries of a map, beside what is', () => {
    const { managers } = applied(start, none, 'a', object({ open: { known: 1, other: { x: 1 }, empty: {} } }));
    expect(fieldsOfManager(managers, 'a')).to.deep.equal({
      'f:spec': { 'f:open': { 'f:known': {}, 'f:other': { '.': {}, 'f:x': {} }, 'f:empty': {} } },
    });
  });

  for (const [from, to] of [
    ['text', { b: 1 }],
    [{ b: 1 }, 'text'],
    [['a'], { b: 1 }],
    [{ b: 1 }, ['a']],
  ] as const)
    it(`changes the place where ${JSON.stringify(from)} becomes ${JSON.stringify(to)}, as far as nothing is known of it`, () => {
      const first = applied(start, none, 'a', object({ open: { x: from as JsonValue } }));
      const config = object({ open: { x: to as JsonValue } });
      const result = inOneGo(apply({ live: first.object, config }, first.managers, { id: applier('b'), now, force: false }, versions));
      expect(conflictsOf(result)).to.have.nested.property('[0][0]', 'a');
      const taken = applied(first.object, first.managers, 'b', config, true);
      expect(fieldsOfManager(taken.managers, 'a')).to.equal(undefined);
      expect(taken.object['spec']).to.deep.equal({ open: { x: to } });
    });

  it('takes a double for the number that it is stored as', () => {
    const [live, config] = [object({ args: [9223372036854775808n, 1] }), object({ args: [2 ** 63, 1] })];
    expect(applied(live, none, 'a', config)).to.have.property('unchanged');
    const owned = inOneGo(ownUpdate({ before: start, after: live }, none, { id: updater('first'), now }, versions));
    expect(conflictsOf(inOneGo(apply({ live, config }, owned, { id: applier('a'), now, force: false }, versions)))).to.equal(null);
    const other = object({ args: [9223372036854775807n, 1] });
    const exact = apply(
      { live: object({ args: [9223372036854775806n, 1] }), config: other },
      owned,
      { id: applier('a'), now, force: false },
      versions,
    );
    expect(conflictsOf(inOneGo(exact))).to.have.length(1);
  });

  it('names the manager and the field of a conflict, and takes the field over with force', () => {
    const first = applied(start, none, 'a', object({ replicas: 1, text: 'one' }));
    const config = object({ replicas: 2 });
    expect(
      conflictsOf(inOneGo(apply({ live: first.object, config }, first.managers, { id: applier('b'), now, force: false }, versions))),
    ).to.deep.equal([['a', { 'f:spec': { 'f:replicas': {} } }]]);
    const forced = applied(first.object, first.managers, 'b', config, true);
    expect(forced.object['spec']).to.deep.equal({ replicas: 2, text: 'one' });
    expect(fieldsOfManager(forced.managers, 'a')).to.deep.equal({ 'f:spec': { 'f:text': {} } });
  });

  it('lets two appliers share a field of equal value; it goes only when both have left it out', () => {
    let state = applied(start, none, 'a', object({ replicas: 1 }));
    state = applied(state.object, state.managers, 'b', object({ replicas: 1, text: 't' }));
    state = applied(state.object, state.managers, 'a', object({}));
    expect(state.object['spec']).to.deep.equal({ replicas: 1, text: 't' });
    state = applied(state.object, state.managers, 'b', object({ text: 't' }));
    expect(state.object['spec']).to.deep.equal({ text: 't' });
  });

  it('removes list items and map entries that it no longer sets, and keeps those of others', () => {
    let state = applied(start, none, 'a', object({ items: [{ name: 'x' }, { name: 'y' }] }, { one: '1' }));
    state = applied(state.object, state.managers, 'b', object({ items: [{ name: 'z', value: 3 }] }, { two: '2' }));
    state = applied(state.object, state.managers, 'a', object({ items: [{ name: 'y' }] }));
    expect(state.object).to.deep.equal(object({ items: [{ name: 'y' }, { name: 'z', value: 3 }] }, { two: '2' }));
  });

  it('takes an item that nobody owns away with the list, though somebody owns a field in it', () => {
    const managers = readManagers([
      { ...written(applier('a')), fieldsV1: { 'f:spec': { 'f:items': { 'k:{"name":"x"}': { '.': {}, 'f:name': {} } } } } },
      { ...written(updater('b')), fieldsV1: { 'f:spec': { 'f:items': { 'k:{"name":"y"}': { 'f:value': {} } } } } },
    ]);
    const config = { ...start, metadata: { name: 'w' } };
    const result = applied(object({ items: [{ name: 'x' }, { name: 'y', value: '1' }] }), managers, 'a', config);
    expect([result.object['spec'], result.managers.size]).to.deep.equal([undefined, 0]);
  });

  it('leaves what nobody owns in a struct that an updater owns itself', () => {
    const managers = readManagers([
      { ...written(applier('a')), fieldsV1: { 'f:spec': { 'f:template': { 'f:a': {} } } } },
      { ...written(updater('b')), fieldsV1: { 'f:spec': { 'f:template': { '.': {}, 'f:labels': {} } } } },
    ]);
    const live = object({ template: { a: '1', labels: { x: '1' } } });
    expect(applied(live, managers, 'a', object({})).object['spec']).to.deep.equal({ template: { labels: { x: '1' } } });
  });

  it('matches items by all key members, the default standing in for an absent one', () => {
    let state = applied(
      start,
      none,
      'a',
      object({
        ports: [
          { port: 80, protocol: 'TCP', name: 'web' },
          { port: 80, protocol: 'UDP' },
        ],
      }),
    );
    state = applied(
      state.object,
      state.managers,
      'a',
      object({
        ports: [
          { port: 80, name: 'http' },
          { port: 80, protocol: 'UDP' },
        ],
      }),
    );
    expect((state.object['spec'] as JsonObject)['ports']).to.deep.equal([
      { port: 80, name: 'http' },
      { port: 80, protocol: 'UDP' },
    ]);
  });

  it('leaves what is inside of a part that it sets to null, and empties none', () => {
    const live = object({ items: [{ name: 'x', value: 1 }], replicas: 1 }, { l: 'v' });
    const { object: after } = applied(live, none, 'a', {
      ...object({ items: null, replicas: 1 }),
      metadata: { name: 'w', labels: null },
    } as unknown as ApiObject);
    expect(after.spec).to.deep.equal({ items: [{ name: 'x', value: 1 }], replicas: 1 });
    expect(after.metadata.labels).to.deep.equal({ l: 'v' });
    expect((applied(object({}), none, 'a', object({ items: null })).object as { spec?: object }).spec).to.deep.equal({ items: null });
  });

  it('replaces atomic lists and structs as a whole', () => {
    let state = applied(start, none, 'a', object({ args: ['1', '2'], selector: { matchLabels: { a: 'b' } } }));
    state = applied(state.object, state.managers, 'a', object({ args: ['3'], selector: { matchLabels: { c: 'd' } } }));
    expect(state.object['spec']).to.deep.equal({ args: ['3'], selector: { matchLabels: { c: 'd' } } });
  });

  it('follows the order of the configuration for shared items and leaves others in their places', () => {
    const live = object({ items: [{ name: 'a' }, { name: 'x' }, { name: 'b' }] });
    const state = applied(live, none, 'm', object({ items: [{ name: 'b' }, { name: 'a' }, { name: 'new' }] }));
    const names = ((state.object['spec'] as JsonObject)['items'] as JsonObject[]).map((item) => item['name']);
    expect(names).to.deep.equal(['x', 'b', 'a', 'new']);
  });

  it('leaves an updater the fields that it changed, and the applier the rest', () => {
    const first = applied(start, none, 'a', object({ replicas: 1, text: 'one' }));
    const after = object({ replicas: 5, text: 'one' });
    const managers = inOneGo(ownUpdate({ before: first.object, after }, first.managers, { id: updater('scaler'), now }, versions));
    expect(fieldsOfManager(managers, 'scaler')).to.deep.equal({ 'f:spec': { 'f:replicas': {} } });
    expect(fieldsOfManager(managers, 'a')).to.deep.equal({ 'f:spec': { 'f:text': {} } });
  });

  it('never touches the prototype, whatever a member is called', () => {
    const config = JSON.parse(
      '{"apiVersion":"v1","kind":"Widget","metadata":{"name":"w","labels":{"__proto__":"x","constructor":"y"}},"spec":{}}',
    ) as ApiObject;
    const { object: merged } = applied(start, none, 'a', config);
    expect(Object.keys(merged.metadata.labels ?? {})).to.have.members(['__proto__', 'constructor']);
    expect(({} as JsonObject)['x']).to.equal(undefined);
  });

  const scalar = fc.constantFrom<string | number>('p', 'q', 1, 2);
  const items = fc.uniqueArray(fc.record({ name: fc.constantFrom('x', 'y', 'z'), value: scalar }), {
    selector: (item) => item.name,
    maxLength: 3,
  });
  const config = fc
    .record(
      {
        replicas: scalar,
        text: scalar,
        args: fc.array(scalar, { maxLength: 2 }),
        items,
        template: fc.record({ a: scalar }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    .map((spec) => object(spec as JsonObject));

  it('is idempotent: applying the same configuration again changes nothing', () => {
    fc.assert(
      fc.property(config, config, (one, two) => {
        let state = applied(start, none, 'a', one);
        state = applied(state.object, state.managers, 'b', two, true);
        const again = inOneGo(
          apply({ live: state.object, config: two }, state.managers, { id: applier('b'), now, force: false }, versions),
        );
        expect(again.ok && again.unchanged).to.equal(true);
      }),
    );
  });

  it('does not depend on the order of appliers that touch different fields', () => {
    fc.assert(
      fc.property(scalar, items, (text, list) => {
        const [one, two] = [object({ text }), object({ items: list as unknown as JsonObject[] })];
        const ab = applied(applied(start, none, 'a', one).object, applied(start, none, 'a', one).managers, 'b', two);
        const ba = applied(applied(start, none, 'b', two).object, applied(start, none, 'b', two).managers, 'a', one);
        expect(ab.object).to.deep.equal(ba.object);
        expect(writeManagers(ab.managers)).to.deep.equal(writeManagers(ba.managers));
      }),
    );
  });

  it('leaves nothing behind when the only applier applies nothing', () => {
    fc.assert(
      fc.property(config, (one) => {
        const first = applied(start, none, 'a', one);
        // An empty list has no owner.
        fc.pre(first.managers.size > 0);
        const last = applied(first.object, first.managers, 'a', { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'w' } });
        expect(last.object['spec'] ?? null).to.equal(null);
        expect(last.managers.size).to.equal(0);
      }),
    );
  });
});

describe('managed fields entries', () => {
  it('are read back as written', () => {
    const { managers } = applied(start, none, 'a', object({ replicas: 1 }));
    expect(writeManagers(readManagers(writeManagers(managers)))).to.deep.equal(writeManagers(managers));
  });

  it('are merged, oldest first, beyond the number allowed for updates', () => {
    let managers: Managers = none;
    let live = object({});
    for (let each = 0; each < updateEntriesMax + 5; each += 1) {
      const next = object({}, { ...live.metadata.labels, [`l${each}`]: 'v' });
      managers = capManagers(
        inOneGo(
          ownUpdate(
            { before: live, after: next },
            managers,
            { id: updater(`m${each}`), now: `2026-01-01T00:00:${String(each).padStart(2, '0')}Z` },
            versions,
          ),
        ),
      );
      live = next;
    }
    expect(managers.size).to.be.at.most(updateEntriesMax);
    expect(Object.keys((fieldsOfManager(managers, 'ancient-changes')?.['f:metadata'] as JsonObject)['f:labels'] as JsonObject)).to.include(
      'f:l0',
    );
    expect(fieldsOfManager(managers, `m${updateEntriesMax + 4}`)).to.not.equal(undefined);
  });

  it('are reset by one empty entry only', () => {
    expect([isReset([{}]), isReset([]), isReset([{}, {}]), isReset([{ manager: 'a' }]), isReset(undefined)]).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('take the manager from the request, else from the user agent', () => {
    expect(managerOf('mine', 'kubectl/v1')).to.equal('mine');
    expect(managerOf('', 'kubectl/v1.36 (linux)')).to.equal('kubectl');
    expect(managerOf('', undefined)).to.equal('unknown');
  });
});
