import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../../api/object.js';
import { FieldSet } from '../../../../../server/patch/apply/fieldSet.js';
import { managerKey, readManagers, writeManagers, type ManagerEntry, type Managers } from '../../../../../server/patch/apply/managers.js';
import { parentManagers, scaleManagers, scaleApiVersion } from '../../../../../server/patch/apply/scaled.js';

const replicas = ['f:spec', 'f:replicas'];
const paths = (apiVersion: string): readonly string[] | null | undefined =>
  ({ 'apps/v1': replicas, 'apps/v2': ['f:spec', 'f:size'], 'apps/v0': null })[apiVersion];
const time = '2026-01-01T00:00:00Z';

const entryOf = (entry: Omit<ManagerEntry, 'fields' | 'time'>, fields: readonly string[]): ManagerEntry => ({
  ...entry,
  time: time,
  fields: FieldSet.fromFieldsV1({ 'f:spec': Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) }),
});
const entry = fc
  .record({
    manager: fc.constantFrom('one', 'two', 'three'),
    operation: fc.constantFrom('Apply' as const, 'Update' as const),
    apiVersion: fc.constantFrom('apps/v1', 'apps/v2', 'apps/v0'),
    subresource: fc.constantFrom('', 'scale'),
  })
  .chain((id) => fc.uniqueArray(fc.constantFrom('replicas', 'size', 'paused'), { minLength: 1 }).map((fields) => entryOf(id, fields)));
const managers = fc.array(entry, { maxLength: 5 }).map((entries): Managers => new Map(entries.map((each) => [managerKey(each), each])));
const ownsReplicas = ({ apiVersion, fields }: ManagerEntry): boolean => fields.has(paths(apiVersion) ?? ['f:nothing']);

describe('owners of a scale', () => {
  it('are those who own the replicas of the workload, whichever version they are spelled in', () => {
    fc.assert(
      fc.property(managers, (all) => {
        const seen = scaleManagers(all, paths);
        expect(new Set([...seen.values()].map(({ manager, operation }) => `${manager} ${operation}`))).to.deep.equal(
          new Set([...all.values()].filter(ownsReplicas).map(({ manager, operation }) => `${manager} ${operation}`)),
        );
        for (const { apiVersion, fields } of seen.values())
          expect([apiVersion, fields.toFieldsV1()]).to.deep.equal([scaleApiVersion, { 'f:spec': { 'f:replicas': {} } }]);
      }),
    );
  });

  it('leave appliers as they are when none of them changes, and give updaters an entry without time', () => {
    fc.assert(
      fc.property(managers, (all) => {
        const after = writeManagers(parentManagers(all, scaleManagers(all, paths), paths, 'apps/v1'));
        const appliers = ({ operation }: JsonObject): boolean => operation === 'Apply';
        expect(after.filter(appliers)).to.deep.equal(writeManagers(all).filter(appliers));
        const owners = [...all.values()].filter((each) => ownsReplicas(each) && each.operation === 'Update');
        const apart = after.filter((each) => !appliers(each) && each['time'] === undefined);
        expect(apart.map(({ manager, subresource = '' }) => `${String(manager)} ${String(subresource)}`)).to.have.members([
          ...new Set(owners.map(({ manager, subresource }) => `${manager} ${subresource}`)),
        ]);
        for (const { apiVersion, fieldsV1 } of apart)
          expect([apiVersion, fieldsV1]).to.deep.equal(['apps/v1', { 'f:spec': { 'f:replicas': {} } }]);
        for (const each of after.filter((other) => !appliers(other) && other['time'] !== undefined)) {
          const fields = FieldSet.fromFieldsV1(each['fieldsV1'] as JsonObject);
          expect(fields.has(paths(String(each['apiVersion'])) ?? ['f:nothing'])).to.equal(false);
        }
      }),
    );
  });

  it('take the replicas, and nothing else, from those who own them no longer', () => {
    fc.assert(
      fc.property(managers, (all) => {
        const left = parentManagers(all, new Map(), paths, 'apps/v1');
        expect([...left.values()].some(ownsReplicas)).to.equal(false);
        for (const [key, { apiVersion, fields }] of all) {
          const rest = fields.difference(FieldSet.fromFieldsV1({ 'f:spec': { [paths(apiVersion)?.[1] ?? 'f:nothing']: {} } }));
          expect(left.get(key)?.fields ?? FieldSet.empty).to.satisfy((kept: FieldSet) => kept.equals(rest));
        }
      }),
    );
  });

  it('become owners in the workload without a time, and join what they own there already', () => {
    const owner: ManagerEntry = {
      manager: 'new',
      operation: 'Update',
      apiVersion: scaleApiVersion,
      subresource: 'scale',
      time: time,
      fields: FieldSet.fromFieldsV1({ 'f:spec': { 'f:replicas': {} } }),
    };
    const before = readManagers([
      {
        manager: 'old',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: time,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
      },
    ]);
    expect(writeManagers(parentManagers(before, new Map([[managerKey(owner), owner]]), paths, 'apps/v1'))).to.deep.equal([
      {
        manager: 'old',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: time,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:paused': {} } },
      },
      {
        manager: 'new',
        operation: 'Update',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
    ]);
  });

  it('of a version that does not exist go', () => {
    const gone = entryOf({ manager: 'm', operation: 'Apply', apiVersion: 'apps/v9', subresource: '' }, ['paused']);
    expect(parentManagers(new Map([[managerKey(gone), gone]]), new Map(), paths, 'apps/v1').size).to.equal(0);
  });
});
