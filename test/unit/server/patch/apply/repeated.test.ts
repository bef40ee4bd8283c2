import { expect } from 'chai';
import type { ApiObject, JsonObject, JsonValue } from '../../../../../api/object.js';
import { apply } from '../../../../../server/patch/apply/apply.js';
import { readManagers, writeManagers, type ManagerId, type Managers } from '../../../../../server/patch/apply/managers.js';
import { ownUpdate, type Versions } from '../../../../../server/patch/apply/ownership.js';
import { reconciled } from '../../../../../server/patch/apply/reconcile.js';
import { schemaOfKind } from '../../../../../server/patch/apply/typeSchema.js';
import { inOneGo } from '../../../../../api/steps.js';
import { widget } from './schemas.js';

const now = '2026-01-01T00:00:00Z';
const idOf = (manager: string, operation: 'Apply' | 'Update'): ManagerId => ({ manager, operation, apiVersion: 'v1', subresource: '' });
const versions: Versions = { schemaOf: () => widget, convert: (object) => object };
const items = (...list: JsonObject[]): ApiObject => ({ metadata: { name: 'w' }, spec: { items: list } }) as ApiObject;
const empty = { metadata: {} } as ApiObject;

function updated(before: ApiObject, after: ApiObject, managers: Managers, manager = 'u'): Managers {
  return inOneGo(ownUpdate({ before, after }, managers, { id: idOf(manager, 'Update'), now }, versions));
}
const applied = (live: ApiObject, config: ApiObject, managers: Managers, manager = 'a') =>
  inOneGo(apply({ live, config }, managers, { id: idOf(manager, 'Apply'), now, force: true }, versions));

/** Owners of the items, by manager. */
const owned = (managers: Managers): Record<string, JsonValue> =>
  Object.fromEntries(
    writeManagers(managers).map((entry) => [
      String(entry['manager']),
      ((entry['fieldsV1'] as JsonObject)['f:spec'] as JsonObject)['f:items'] ?? {},
    ]),
  );
const [a, b] = ['k:{"name":"a"}', 'k:{"name":"b"}'];
const whole = { '.': {}, 'f:name': {}, 'f:value': {} };
const one = { name: 'a', value: '1' };
const two = { name: 'a', value: '2' };
const other = { name: 'b', value: '1' };

/** The rules are from `typed/compare.go`, `tofieldset.go` and `merge.go` of structured-merge-diff. */
describe('an item of a list that is there several times', () => {
  it('is owned as one field, without those in it', () => {
    expect(owned(updated(empty, items(one, two, other), new Map()))).to.deep.equal({ u: { '.': {}, [a]: {}, [b]: whole } });
  });

  it('is taken over as a whole by who changes one of it, and not by who changes none', () => {
    const managers = updated(empty, items(one, two), new Map());
    expect(owned(updated(items(one, two), items(one, two), managers, 'v'))).to.deep.equal({ u: { '.': {}, [a]: {} } });
    expect(owned(updated(items(one, two), items(one, one), managers, 'v'))).to.deep.equal({ u: {}, v: { [a]: {} } });
  });

  it('comes and goes as a whole when it is there once before or afterwards', () => {
    const managers = updated(empty, items(one), new Map());
    expect(owned(updated(items(one), items(one, two), managers, 'v'))).to.deep.equal({ u: {}, v: { [a]: {} } });
    const twice = updated(empty, items(one, two), new Map());
    expect(owned(updated(items(one, two), items(two), twice, 'v'))).to.deep.equal({ u: {}, v: { [a]: whole } });
  });

  it('gives way to what is applied, of which nothing stays when it is applied no more', () => {
    const managers = updated(empty, items(one, { name: 'a', nested: { a: 'x' } }, other), new Map());
    const repaired = applied(items(one, { name: 'a', nested: { a: 'x' } }, other), items(two), managers);
    if (!repaired.ok) throw new Error('it is forced');
    expect(repaired.object['spec']).to.deep.equal({ items: [two, other] });
    expect(owned(repaired.managers)).to.deep.equal({ a: { [a]: whole }, u: { '.': {}, [b]: whole } });
    const dropped = applied(repaired.object, { metadata: { name: 'w' }, spec: {} } as ApiObject, repaired.managers);
    expect(dropped.ok && dropped.object['spec']).to.deep.equal({ items: [other] });
  });
});

describe('an item without a member of its key', () => {
  it('has a key without it', () => {
    const claim = schemaOfKind({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim' })!;
    const device = { driver: 'd', pool: 'p', device: 'x' };
    const change = { before: empty, after: { metadata: {}, status: { devices: [device] } } as ApiObject };
    const of = { schemaOf: () => claim, convert: (object: ApiObject) => object };
    const [entry] = writeManagers(inOneGo(ownUpdate(change, new Map(), { id: idOf('u', 'Update'), now }, of)));
    expect(JSON.stringify(entry?.['fieldsV1'])).to.contain('k:{\\"device\\":\\"x\\",\\"driver\\":\\"d\\",\\"pool\\":\\"p\\"}');
  });
});

describe('a manager without a name', () => {
  it('is written without one', () => {
    const entry = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:metadata': {} } };
    expect(writeManagers(readManagers([entry, { ...entry, manager: 'b' }]))).to.deep.equal([entry, { ...entry, manager: 'b' }]);
  });
});

describe('owners under a schema that has changed', () => {
  const entryOf = (fieldsV1: JsonObject): Managers =>
    readManagers([{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }]);
  const fieldsUnder = (fieldsV1: JsonObject): unknown =>
    [...inOneGo(reconciled(entryOf(fieldsV1), () => widget)).values()].map(({ fields }) => fields.toFieldsV1())[0];

  it('own the whole of what has become one', () => {
    expect(fieldsUnder({ 'f:spec': { 'f:selector': { 'f:matchLabels': { 'f:a': {} } }, 'f:args': { 'v:"x"': {} } } })).to.deep.equal({
      'f:spec': { 'f:args': {}, 'f:selector': {} },
    });
  });

  it('own what they did where nothing has', () => {
    const fields = {
      'f:metadata': { 'f:finalizers': { 'v:"x"': {} } },
      'f:spec': { 'f:selector': {}, 'f:open': { 'f:any': { 'f:x': {} } } },
    };
    const managers = entryOf(fields);
    expect(inOneGo(reconciled(managers, () => widget))).to.equal(managers);
    expect(inOneGo(reconciled(managers, () => null))).to.equal(managers);
  });

  it('do not hinder who applies members of what was one, as the claim of a volume was', () => {
    const volume = schemaOfKind({ group: '', version: 'v1', kind: 'PersistentVolume' })!;
    const live = { metadata: { name: 'v' }, spec: { claimRef: { name: 'c', namespace: 'n', uid: 'u' } } } as ApiObject;
    const config = { metadata: { name: 'v' }, spec: { claimRef: { name: 'c', namespace: 'n' } } } as ApiObject;
    const managers = entryOf({ 'f:spec': { 'f:claimRef': {} } });
    const of = { schemaOf: () => volume, convert: (object: ApiObject) => object };
    const result = inOneGo(apply({ live, config }, managers, { id: idOf('a', 'Apply'), now, force: false }, of));
    expect(result.ok && result.object).to.deep.equal(live);
  });
});
