import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject, JsonValue } from '../../../../../api/object.js';
import { typeNamed, typeNames, type ApiType, type KindName } from '../../../../../api/catalogue/types.js';
import { fieldsOfCreator } from '../../../../../server/patch/apply/created.js';
import { FieldSet } from '../../../../../server/patch/apply/fieldSet.js';
import { ListItemError } from '../../../../../server/patch/apply/items.js';
import { touchedBy, touchedMax } from '../../../../../server/patch/apply/kept.js';
import { readManagers, reordered, writeManagers } from '../../../../../server/patch/apply/managers.js';
import { ownUpdate } from '../../../../../server/patch/apply/ownership.js';
import { emptyValue, type Schema } from '../../../../../server/patch/apply/schema.js';
import { schemaOfKind } from '../../../../../server/patch/apply/typeSchema.js';
import { checkStructure } from '../../../../../workers/schema/structure.js';
import type { JsonMembers } from '../../../../../workers/codecs/value.js';
import { randomObject } from '../../../workers/codecs/randomObjects.js';
import { inOneGo } from '../../../../../api/steps.js';

const types = typeNames()
  .map((name) => typeNamed(name))
  .filter((type): type is ApiType => type !== undefined && type.kinds.length > 0);

const id = { manager: 'me', operation: 'Update', apiVersion: 'v1', subresource: '' } as const;
const entryOf = (manager: string, fieldsV1: JsonObject): JsonObject => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const now = '2026-02-02T00:00:00Z';

/** A deterministic selection of fields. */
function some(fields: JsonObject, choice: number): JsonObject {
  const kept = Object.entries(fields).filter((_field, index) => ((choice >> (index % 16)) & 1) === 1);
  return Object.fromEntries(kept.map(([name, below]) => [name, name === '.' ? below : some(below as JsonObject, choice)]));
}

/** Changes scalars, and sometimes removes or adds a member. */
function edited(value: JsonValue, next: () => number, structure: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => edited(item as JsonValue, next, structure));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as Record<string, JsonValue>).flatMap(([name, member]): [string, JsonValue][] =>
      structure && next() % 20 === 0 ? [] : [[name, edited(member, next, structure)]],
    );
    return Object.fromEntries(structure && next() % 20 === 0 ? [...members, ['added', 'x']] : members);
  }
  if (next() % 4 !== 0) return value;
  return typeof value === 'string' ? `${value}'` : typeof value === 'number' ? value + 1 : value;
}

describe('apply/kept', () => {
  it('finds who owns what after an update, or leaves it to a closer look', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.nat(),
        fc.array(fc.nat(), { minLength: 8, maxLength: 64 }),
        fc.boolean(),
        fc.constantFrom(-1, 0b1011011, 0b111),
        fc.constantFrom(0, 0, 0b100, -1),
        (type, seed, numbers, structure, share, othersShare) => {
          const schema = schemaOfKind(type.kinds[0] as KindName) as Schema;
          const checked = checkStructure(randomObject(type, seed) as JsonMembers, type, { unknownFields: 'report' });
          if (!checked.ok) return;
          const before = checked.value as JsonObject;
          before['metadata'] ??= {};
          // Stored objects have no kind.
          delete before['apiVersion'];
          delete before['kind'];
          let at = 0;
          const next = (): number => numbers[at++ % numbers.length] as number;
          const after = edited(before, next, structure) as JsonObject;
          after['metadata'] ??= {};
          Object.assign(after, { apiVersion: 'v1', kind: type.kinds[0]?.kind });
          try {
            const all = fieldsOfCreator(schema, emptyValue(schema), before, FieldSet.empty) ?? {};
            const [mine, others] = [some(all, share), some(all, othersShare)];
            const entries = [['me', mine] as const, ['others', others] as const].filter(([, fields]) => Object.keys(fields).length > 0);
            const written = writeManagers(readManagers(entries.map(([manager, fields]) => entryOf(manager, fields))));
            const ofMe = written.find(({ manager }) => manager === 'me');
            if (ofMe === undefined) return;
            const touched = touchedBy(schema, before, after, {
              mine: ofMe['fieldsV1'],
              others: written.filter((entry) => entry !== ofMe).map((entry) => entry['fieldsV1'] as JsonObject),
            });
            seen.set(touched, (seen.get(touched) ?? 0) + 1);
            if (touched === 'more') return;
            const expected = writeManagers(
              inOneGo(
                ownUpdate(
                  { before: before as ApiObject, after: after as ApiObject },
                  readManagers(written),
                  { id, now },
                  {
                    schemaOf: () => schema,
                    convert: () => null,
                  },
                ),
              ),
            );
            const found =
              touched === 'nothing' ? written : reordered(written.map((entry) => (entry === ofMe ? { ...entry, time: now } : entry)));
            expect(found).to.deep.equal(expected);
          } catch (error) {
            if (!(error instanceof ListItemError)) throw error;
          }
        },
      ),
      { numRuns: 2_000, seed: 7 },
    );
    // Ensures that comparisons happened.
    expect([...seen.keys()].sort()).to.deep.equal(['more', 'nothing', 'own']);
  });

  it('leaves what others own as well, and what nobody owns, to a closer look', () => {
    const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' }) as Schema;
    const state = (text: string): JsonObject => ({ metadata: { labels: { a: 'b' } }, data: { k: text } });
    const data = { 'f:data': { '.': {}, 'f:k': {} } };
    const touched = (mine: JsonObject, ...others: JsonObject[]): string => touchedBy(schema, state('1'), state('2'), { mine, others });
    expect(touched(data)).to.equal('own');
    const sent = { apiVersion: 'v1', kind: 'ConfigMap', ...state('2') };
    expect(touchedBy(schema, state('1'), sent, { mine: data, others: [] }), 'what clients send names its kind').to.equal('own');
    expect(touched(data, { 'f:data': { 'f:other': {} } })).to.equal('own');
    expect(touched(data, data)).to.equal('more');
    expect(touched({ 'f:data': { '.': {} } })).to.equal('more');
    expect(touchedBy(schema, state('1'), { ...state('1'), data: { k: '1', l: '2' } }, { mine: data, others: [] })).to.equal('more');
    expect(touchedBy(schema, state('1'), state('1'), { mine: {}, others: [data] })).to.equal('nothing');
  });

  it('sees what becomes of the items of a list that stay in their places', () => {
    const schema = schemaOfKind({ group: '', version: 'v1', kind: 'Node' }) as Schema;
    const state = (...conditions: readonly (readonly [type: string, status: string])[]): JsonObject => ({
      metadata: {},
      status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
    });
    const owned = (...types: string[]): JsonObject => ({
      'f:status': {
        'f:conditions': Object.fromEntries(types.map((type) => [`k:{"type":"${type}"}`, { '.': {}, 'f:type': {}, 'f:status': {} }])),
      },
    });
    const before = state(['Ready', 'False'], ['Full', 'False']);
    const touched = (after: JsonObject, mine: JsonObject, ...others: JsonObject[]): string =>
      touchedBy(schema, before, after, { mine, others });
    const ready = state(['Ready', 'True'], ['Full', 'False']);
    expect(touched(ready, owned('Ready', 'Full'))).to.equal('own');
    expect(touched(ready, owned('Ready'), owned('Full'))).to.equal('own');
    expect(touched(ready, owned('Full'), owned('Ready'))).to.equal('more');
    expect(touched(ready, owned('Ready'), owned('Ready'))).to.equal('more');
    expect(touched(state(['Full', 'False'], ['Ready', 'False']), owned('Ready', 'Full')), 'in other places').to.equal('more');
    expect(touched(state(['Ready', 'False']), owned('Ready', 'Full')), 'one fewer').to.equal('more');
  });

  it('leaves what is long, and what many own, to a closer look', () => {
    const schema = schemaOfKind({ group: '', version: 'v1', kind: 'ConfigMap' })!;
    const state = (count: number, value: string): JsonObject => ({
      data: Object.fromEntries(Array.from({ length: count }, (_i, n) => [`k${n}`, value])),
    });
    const mine = { 'f:data': Object.fromEntries(Array.from({ length: touchedMax }, (_i, n) => [`f:k${n}`, {}])) };
    const touched = (count: number, others: readonly JsonObject[]): string =>
      touchedBy(schema, state(count, '1'), state(count, '2'), { mine, others });
    expect([touched(touchedMax - 1, []), touched(touchedMax, [])]).to.deep.equal(['own', 'more']);
    expect(
      touched(
        100,
        Array.from({ length: touchedMax }, () => ({ 'f:data': {} })),
      ),
    ).to.equal('more');
  });
});
