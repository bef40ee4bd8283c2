import { expect } from 'chai';
import fc from 'fast-check';
import { isMembers, type Json, type JsonMembers } from '../../../../../workers/codecs/value.js';
import { compile } from '../../../../../workers/schema/custom/compile.js';
import { inOneGo } from '../../../../../api/steps.js';

/** Random schemas, and objects with the same names but other types. */

const names = ['a', 'b', 'c', '__proto__', 'constructor'];
const name = fc.constantFrom(...names);
const flags = fc.record({ nullable: fc.boolean(), 'x-kubernetes-preserve-unknown-fields': fc.boolean() }, { requiredKeys: [] });

const { schema } = fc.letrec<{ schema: JsonMembers; object: JsonMembers }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'schema' },
    fc.constantFrom<JsonMembers>(
      { type: 'string', minLength: 2 },
      { type: 'string', default: 'dd' },
      { type: 'integer', maximum: 3 },
      { type: 'integer', default: 1 },
      { type: 'boolean' },
      { 'x-kubernetes-int-or-string': true, default: 'x' },
      { type: 'string', enum: ['x', 'yy'] },
      { type: 'string', pattern: '^x', nullable: true },
    ),
    tie('object'),
    fc
      .record({ items: tie('schema'), listType: fc.constantFrom('atomic', 'set', undefined), maxItems: fc.constantFrom(1, 5) })
      .map(({ items, listType, maxItems }): JsonMembers => ({
        type: 'array',
        items,
        maxItems,
        ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
      })),
    fc.record({ rest: tie('schema') }).map(({ rest }): JsonMembers => ({ type: 'object', additionalProperties: rest })),
    fc.record({ whole: tie('object') }).map(({ whole }): JsonMembers => ({ ...whole, 'x-kubernetes-embedded-resource': true })),
  ),
  object: fc
    .record({
      properties: fc.uniqueArray(fc.tuple(name, tie('schema')), { selector: ([key]) => key, maxLength: 3 }),
      required: fc.subarray(names, { maxLength: 1 }),
      more: flags,
      isDefault: fc.boolean(),
      any: fc.boolean(),
    })
    .map(({ properties, required, more, isDefault, any }): JsonMembers => ({
      type: 'object',
      properties: fromEntries(properties),
      required,
      ...more,
      ...(isDefault ? { default: {} } : {}),
      ...(any ? { anyOf: [{ required: ['a'] }, { required: ['b'], not: { required: ['c'] } }] } : {}),
    })),
}));

const fromEntries = (entries: readonly (readonly [string, Json])[]): JsonMembers =>
  JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`) as JsonMembers;
const root = schema.filter((each) => each['type'] === 'object' && each['additionalProperties'] === undefined);

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    fc.constantFrom<Json>(null, 'x', 'yyy', '', 1, 5, 1.5, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...names, 'metadata', 'kind', 'apiVersion'), tie('value')), {
        selector: ([key]) => key,
        maxLength: 4,
      })
      .map(fromEntries),
  ),
}));
const object = fc
  .uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 4 })
  .map((entries) => fromEntries([...entries, ['apiVersion', 'a.b/v1'], ['kind', 'Widget']]));
const copy = (from: JsonMembers): JsonMembers => JSON.parse(JSON.stringify(from)) as JsonMembers;
const membersOf = ({ properties }: JsonMembers): JsonMembers => (isMembers(properties) ? properties : {});
const frame = { apiVersion: { type: 'string' }, kind: { type: 'string' } };
const runs = { numRuns: 400 };

describe('schemas of custom resources, whatever they are', () => {
  it('prune once and for all', () => {
    fc.assert(
      fc.property(root, object, (described, given) => {
        const compiled = compile(described, {});
        compiled.prune(given);
        const once = copy(given);
        expect(compiled.prune(given)).to.deep.equal([]);
        expect(given).to.deep.equal(once);
      }),
      runs,
    );
  });

  it('set defaults once and for all', () => {
    fc.assert(
      fc.property(root, object, (described, given) => {
        const compiled = compile(described, {});
        inOneGo(compiled.applyDefaults(given));
        const once = copy(given);
        inOneGo(compiled.applyDefaults(given));
        expect(given).to.deep.equal(once);
      }),
      runs,
    );
  });

  it('receive once and for all: what was received is received as it is', () => {
    fc.assert(
      fc.property(root, object, (described, given) => {
        const compiled = compile(described, {});
        if (!inOneGo(compiled.receive(given)).ok) return;
        const once = copy(given);
        expect(inOneGo(compiled.receive(given))).to.deep.equal({ ok: true, unknown: [] });
        expect(given).to.deep.equal(once);
      }),
      runs,
    );
  });

  it('accept what they accepted, when it comes back as it was kept', () => {
    fc.assert(
      fc.property(root, object, (described, given) => {
        const compiled = compile(described, {});
        if (!inOneGo(compiled.receive(given)).ok || inOneGo(compiled.validate(given)).length > 0) return;
        const kept = copy(given);
        inOneGo(compiled.restore(kept));
        expect(kept).to.deep.equal(given);
        expect(inOneGo(compiled.validate(kept))).to.deep.equal([]);
      }),
      runs,
    );
  });

  it('never refuse an object that has not changed, and find nothing new in an update', () => {
    fc.assert(
      fc.property(root, object, object, (described, given, other) => {
        const compiled = compile(described, {});
        // Embedded objects are checked again, and so are rules on whole objects and on objects with unknown members.
        const within = compile(
          { type: 'object', properties: { within: { ...described, properties: { ...membersOf(described), ...frame } } } },
          {},
        );
        const whole = { within: given };
        if (inOneGo(within.receive(whole)).ok && !/embedded-resource|preserve-unknown/.test(JSON.stringify(described))) {
          const causes = inOneGo(within.validateUpdate(whole, copy(whole)));
          // An object in a wrong place has such members too.
          if (!causes.some(({ type }) => type === 'FieldValueTypeInvalid')) expect(causes).to.deep.equal([]);
        }
        const [found, all] = [compiled.validateUpdate(given, other), compiled.validate(given)].map((causes) =>
          inOneGo(causes).map(({ path, message }) => `${path} ${message}`),
        );
        if (!JSON.stringify(described).includes('anyOf')) expect(all).to.include.members(found ?? []);
      }),
      runs,
    );
  });
});
