import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { apply } from '../../../../../server/patch/apply/apply.js';
import { compare } from '../../../../../server/patch/apply/compare.js';
import { FieldSet } from '../../../../../server/patch/apply/fieldSet.js';
import { comparedInStep } from '../../../../../server/patch/apply/items.js';
import { capManagers, readingManagers, updateEntriesMax, writeManagers } from '../../../../../server/patch/apply/managers.js';
import { ownUpdate } from '../../../../../server/patch/apply/ownership.js';
import { parentManagers, scaleManagers } from '../../../../../server/patch/apply/scaled.js';
import { schemaOfKind } from '../../../../../server/patch/apply/typeSchema.js';
import { inOneGo, type Steps } from '../../../../../api/steps.js';

const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' })!;
const versions = { schemaOf: (version: string) => (version === 'v1' ? schema : null), convert: (object: ApiObject) => object };
const now = '2026-01-01T00:00:00Z';
const many = 10 * comparedInStep;

const data = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_item, index) => [`k${index}`, value]));
const configMap = (count: number, value: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data: data(count, value),
});
const entry = (index: number, operation: 'Apply' | 'Update', name = `m${index}`): JsonObject => ({
  manager: name,
  operation,
  apiVersion: 'v1',
  time: now,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { [`f:k${index}`]: {} } },
});

/** The number of steps and the result. */
function counted<T>(work: Steps<T>): { readonly steps: number; readonly value: T } {
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done === true) return { steps, value: step.value };
  }
}

describe('apply/many', () => {
  it('compares wide objects in steps, and small ones in one', () => {
    expect(counted(compare(configMap(many, 'a') as JsonObject, configMap(many, 'b') as JsonObject, schema)).steps).to.be.at.least(10);
    expect(counted(compare(configMap(10, 'a') as JsonObject, configMap(10, 'b') as JsonObject, schema)).steps).to.equal(0);
  });

  it('reads many managers one by one, and looks at each of them in a step of its own', () => {
    const { steps, value } = counted(readingManagers(Array.from({ length: 500 }, (_item, index) => entry(index, 'Apply'))));
    expect([steps, value.size]).to.deep.equal([500, 500]);
    const id = { manager: 'me', operation: 'Update', apiVersion: 'v1', subresource: '' } as const;
    const owning = counted(ownUpdate({ before: configMap(500, 'a'), after: configMap(500, 'b') }, value, { id, now }, versions));
    expect(owning.steps).to.be.at.least(500);
    expect([...owning.value.keys()]).to.have.length(1);
  });

  it('applies wide configurations in steps', () => {
    const id = { manager: 'me', operation: 'Apply', apiVersion: 'v1', subresource: '' } as const;
    const live = configMap(many, 'a');
    const first = counted(apply({ live, config: configMap(many, 'b') }, new Map(), { id, now, force: true }, versions));
    expect(first.steps).to.be.at.least(30);
    if (!first.value.ok) throw new Error('nobody else owns anything');
    // Omitted members are pruned, in steps too.
    const second = counted(
      apply({ live: first.value.object, config: configMap(1, 'b') }, first.value.managers, { id, now, force: true }, versions),
    );
    expect(second.steps).to.be.at.least(30);
    expect(second.value.ok && second.value.object['data']).to.deep.equal({ k0: 'b' });
  });

  it('takes the last entry of those of one manager, however many there are', () => {
    const repeated = Array.from({ length: 300 }, (_item, index) => entry(index, 'Update', 'same'));
    const [only, ...others] = [...inOneGo(readingManagers(repeated)).values()];
    expect(others).to.deep.equal([]);
    expect([...(only?.fields.child('f:data').children.keys() ?? [])]).to.deep.equal(['f:k299']);
  });

  it('merges thousands of updaters into one', () => {
    const managers = inOneGo(readingManagers(Array.from({ length: 2_000 }, (_item, index) => entry(index, 'Update'))));
    const capped = capManagers(managers);
    expect(capped.size).to.equal(updateEntriesMax);
    const ancient = [...capped.values()].find(({ manager }) => manager === 'ancient-changes');
    expect(ancient?.fields.child('f:data').children.size).to.equal(2_000 - (updateEntriesMax - 1));
    expect(writeManagers(capped)).to.have.length(updateEntriesMax);
  });

  it('finds the owners of replicas among thousands', () => {
    const owners = new Map(
      Array.from({ length: 2_000 }, (_item, index) => {
        const fields = FieldSet.fromFieldsV1({ 'f:spec': { 'f:replicas': {} } });
        return [
          `${index}`,
          { manager: `m${index}`, operation: 'Update', apiVersion: 'apps/v1', subresource: '', time: now, fields } as const,
        ];
      }),
    );
    const paths = (): readonly string[] => ['f:spec', 'f:replicas'];
    expect(parentManagers(owners, scaleManagers(owners, paths), paths, 'apps/v1').size).to.equal(2_000);
  });

  it('joins many sets as it joins them one after the other', () => {
    const elements = fc.constantFrom('f:a', 'f:b', 'k:{"n":"x"}', 'v:1', '.');
    const leaf = fc.constant<JsonObject>({});
    const fields = [0, 1, 2].reduce<fc.Arbitrary<JsonObject>>(
      (below) => fc.dictionary(elements, fc.oneof(leaf, below), { maxKeys: 4 }),
      leaf,
    );
    fc.assert(
      fc.property(fc.array(fields, { maxLength: 6 }), (trees) => {
        const sets = trees.map((tree) => FieldSet.fromFieldsV1(tree));
        const inTurn = sets.reduce((all, set) => all.union(set), FieldSet.empty);
        expect(FieldSet.unionOf(sets).toFieldsV1()).to.deep.equal(inTurn.toFieldsV1());
        for (const other of sets) expect(inTurn.intersection(other).equals(other.intersection(inTurn))).to.equal(true);
      }),
    );
  });
});
