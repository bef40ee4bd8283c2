import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { typeNamed, typeNames, type ApiType, type KindName } from '../../../../../api/catalogue/types.js';
import { fieldsOfCreator } from '../../../../../server/patch/apply/created.js';
import { FieldSet } from '../../../../../server/patch/apply/fieldSet.js';
import { ListItemError } from '../../../../../server/patch/apply/items.js';
import { writeManagers } from '../../../../../server/patch/apply/managers.js';
import { ownUpdate } from '../../../../../server/patch/apply/ownership.js';
import { emptyValue, unknown, type Schema } from '../../../../../server/patch/apply/schema.js';
import { schemaOfKind } from '../../../../../server/patch/apply/typeSchema.js';
import { checkStructure } from '../../../../../workers/schema/structure.js';
import type { JsonMembers } from '../../../../../workers/codecs/value.js';
import { randomObject } from '../../../workers/codecs/randomObjects.js';
import { widget } from './schemas.js';
import { inOneGo } from '../../../../../api/steps.js';

const types = typeNames()
  .map((name) => typeNamed(name))
  .filter((type): type is ApiType => type !== undefined && type.kinds.length > 0);

const id = { manager: 'test', operation: 'Update', apiVersion: 'v1', subresource: '' } as const;

/** The same by set comparison, as in updates and applies. */
function bySets(schema: Schema, empty: JsonObject, object: JsonObject): unknown {
  const managers = inOneGo(
    ownUpdate(
      { before: empty as ApiObject, after: object as ApiObject },
      new Map(),
      { id, now: 'now' },
      {
        schemaOf: () => schema,
        convert: () => null,
      },
    ),
  );
  return writeManagers(managers)[0]?.['fieldsV1'] ?? null;
}

/** The result of a walk: fields as text, because member order counts, or the refusal of an item. */
interface Outcome {
  readonly fields: string | null;
  readonly refusal: string | null;
}

const outcome = (work: () => unknown): Outcome => {
  try {
    return { fields: JSON.stringify(work()), refusal: null };
  } catch (error) {
    if (error instanceof ListItemError) return { fields: null, refusal: error.message };
    throw error;
  }
};

/** The refusal names the first faulty list, and the two walks have different orders. */
const checkSame = (schema: Schema, object: JsonObject): void => {
  const empty = emptyValue(schema);
  const inOneWalk = outcome(() => fieldsOfCreator(schema, empty, object, FieldSet.empty));
  const compared = outcome(() => bySets(schema, empty, object));
  expect(inOneWalk.fields).to.equal(compared.fields);
};

describe('apply/created', () => {
  it('gives the creator of an object of any built-in type what comparing it with nothing gives', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.integer(), (type, seed) => {
        const schema = schemaOfKind(type.kinds[0] as KindName) as Schema;
        const checked = checkStructure(randomObject(type, seed) as JsonMembers, type, { unknownFields: 'report' });
        if (checked.ok) checkSame(schema, checked.value as JsonObject);
      }),
      { numRuns: 600 },
    );
  });

  it('gives nothing of a status that is not taken, also where an empty object has one', () => {
    for (const type of types.filter(({ fields }) => fields?.has('status') && fields.has('metadata'))) {
      const schema = schemaOfKind(type.kinds[0] as KindName) as Schema;
      const checked = checkStructure(randomObject(type, 3) as JsonMembers, type, { unknownFields: 'report' });
      if (!checked.ok) throw new Error(checked.message);
      const empty = emptyValue(schema);
      const { status: _status, ...rest } = checked.value as JsonObject;
      const without = 'status' in empty ? { ...rest, status: {} } : rest;
      expect(
        outcome(() => fieldsOfCreator(schema, empty, checked.value as JsonObject, FieldSet.at(['f:status']))),
        type.name,
      ).to.deep.equal(outcome(() => bySets(schema, empty, without)));
    }
  });

  it('refuses an item for the same reason', () => {
    const wrong: readonly JsonObject[] = [
      { metadata: { finalizers: [{}] } },
      { metadata: { finalizers: [[1]] } },
      { spec: { items: [null] } },
      { spec: { items: [{ value: 'without a key' }] } },
      { spec: { ports: [1] } },
      { spec: { ports: [{ name: 'neither port nor protocol' }, 'x'] } },
    ];
    for (const object of wrong) {
      const inOneWalk = outcome(() => fieldsOfCreator(widget, emptyValue(widget), object, FieldSet.empty));
      expect(inOneWalk.refusal, JSON.stringify(object)).to.be.a('string');
      expect(inOneWalk).to.deep.equal(outcome(() => bySets(widget, emptyValue(widget), object)));
    }
  });

  it('does so whatever the values are, and where nothing is known of the type', () => {
    const names = fc.constantFrom(
      'metadata',
      'spec',
      'name',
      'labels',
      'finalizers',
      'items',
      'ports',
      'port',
      'template',
      'args',
      'apiVersion',
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, '', 'a', 0, 1, true),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(names, tie('json'), { maxKeys: 5 }),
      ),
    }));
    // Server-set members are texts in any object, and metadata is an object.
    const texts = (members: JsonObject, name: string): JsonObject =>
      typeof members[name] === 'object' ? { ...members, [name]: 'text' } : members;
    const object = fc.dictionary(names, json, { maxKeys: 6 }).map((members) => {
      const { metadata } = members as JsonObject;
      const known = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
      return { ...texts(members as JsonObject, 'apiVersion'), metadata: texts(known, 'name') };
    });
    fc.assert(
      fc.property(object, fc.constantFrom(widget, unknown), (members, schema) => {
        checkSame(schema, members as JsonObject);
      }),
      { numRuns: 1_000 },
    );
  });
});
