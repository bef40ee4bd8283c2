import { expect } from 'chai';
import fc from 'fast-check';
import { typeNamed, typeNames, type ApiType } from '../../../../api/catalogue/types.js';
import { NumberLiteral, isMembers, type Json, type JsonMembers } from '../../../../workers/codecs/value.js';
import { checkStructure, structureSteps, type StructureResult } from '../../../../workers/schema/structure.js';
import { inOneGo, type Steps } from '../../../../api/steps.js';
import { randomObject } from '../codecs/randomObjects.js';
import { walked } from './walking.js';

const types = typeNames()
  .map((name) => typeNamed(name))
  .filter((type): type is ApiType => type !== undefined && type.kinds.length > 0);

/** Values of wrong types, and variants of right ones. */
const intruders: readonly (() => Json)[] = [
  () => null,
  () => '',
  () => 'text',
  () => 0,
  () => -0,
  () => 1,
  () => 1.5,
  () => 2 ** 31,
  () => 2 ** 53,
  () => 2n ** 63n - 1n,
  () => 2n ** 63n,
  () => true,
  () => false,
  () => [],
  () => ({}),
  () => [null],
  () => [{}],
  () => ['text', null, 1],
  () => ({ a: null, b: 'text', c: 1, name: 'a', metadata: { x: [{ y: 1 }] } }),
  () => new NumberLiteral('1.0'),
  () => new NumberLiteral('-0'),
  () => new NumberLiteral('1e400'),
  () => '1.50',
  () => '1000m',
  () => 'AB==\n',
  () => 'AB==',
  () => 'QUJD'.repeat(50),
  () => `${'QUJD'.repeat(50)}QUI=`,
  () => `${'QUJD'.repeat(50)}QUJ=`,
  () => '2026-02-31T00:00:00Z',
  () => '0001-01-01T00:00:00Z',
  () => '2026-01-01T02:00:00.123456+02:00',
  () => '2026-01-31T23:59:60.000000Z',
  () => '2026-01-29T23:59:59.000000Z',
];

/** `repeat` repeats a member in the text; the others insert or remove. */
type Change = readonly ['put' | 'add' | 'drop' | 'repeat', number, number];
const changes = fc.array(fc.tuple(fc.constantFrom('put', 'add', 'drop', 'repeat'), fc.nat(), fc.nat(intruders.length - 1)), {
  maxLength: 5,
});

/** All objects and lists in a value. */
function containers(value: Json): (JsonMembers | Json[])[] {
  if (Array.isArray(value)) return [value, ...value.flatMap(containers)];
  return isMembers(value) ? [value, ...Object.values(value).flatMap(containers)] : [];
}

const memberNames = ['zzz', 'name', 'metadata', 'spec', 'items', 'constructor', 'resources', 'env'];

/** A new equal object for equal arguments, because the check modifies it. */
function made(type: ApiType, seed: number, changed: readonly Change[]): { value: JsonMembers; order: Map<JsonMembers, string[][]> } {
  const value = randomObject(type, seed) as JsonMembers;
  const order = new Map<JsonMembers, string[]>();
  for (const [what, place, index] of changed) {
    const all = containers(value);
    const container = all[place % all.length] as JsonMembers | Json[];
    const intruder = intruders[index]?.() as Json;
    const names = Object.keys(container);
    const name = names[place % (names.length || 1)];
    if (Array.isArray(container)) container.splice(place % (container.length + 1), what === 'drop' ? 1 : 0, intruder);
    else if (what === 'add') container[memberNames[place % memberNames.length] as string] = intruder;
    else if (name !== undefined && what === 'put') container[name] = intruder;
    else if (name !== undefined && what === 'drop') delete container[name];
    else if (name !== undefined) order.set(container, [...names, name]);
  }
  // Members may have changed after a repetition.
  for (const [container, names] of order) {
    const kept = names.filter((name) => Object.hasOwn(container, name));
    order.set(container, [...kept, ...Object.keys(container).filter((name) => !kept.includes(name))]);
  }
  return { value, order: new Map([...order].map(([container, names]) => [container, [names]])) };
}

/** As text, because the order of members counts; that of respelled values does not. */
const reported = (result: StructureResult): string =>
  JSON.stringify(
    result.ok ? { ...result, respelled: result.respelled.map((path) => path.join('/')).sort() } : result,
    (_name, each: unknown) =>
      typeof each === 'bigint' ? `${each}n` : each instanceof NumberLiteral ? `literal ${each.text}` : Object.is(each, -0) ? '-0' : each,
  );

function checkSame(type: ApiType, seed: number, changed: readonly Change[]): StructureResult {
  const [one, other] = [made(type, seed, changed), made(type, seed, changed)];
  const orderOf = ({ order }: typeof one): Map<JsonMembers, string[][]> | undefined => (order.size === 0 ? undefined : order);
  const result = checkStructure(one.value, type, { unknownFields: 'report', order: orderOf(one) });
  expect(reported(result), `${type.name} ${seed}`).to.equal(reported(walked(other.value, type, orderOf(other))));
  // Every container is large enough for its own steps.
  for (const most of [0, 2]) {
    const again = made(type, seed, changed);
    const steps = structureSteps(again.value, type, { unknownFields: 'report', order: orderOf(again) }, most);
    expect(reported(inOneGo(steps)), `${type.name} ${seed} in steps of ${most}`).to.equal(reported(result));
  }
  return result;
}

describe('schema/structure', function () {
  it('finds in objects of every kind what a walk over the members of their types finds', () => {
    for (const type of types) for (const seed of [1, 2, 3]) expect(checkSame(type, seed, []).ok, type.name).to.equal(true);
  });

  it('finds the same in whatever is made of them, in the same order', () => {
    let [accepted, refused, strict] = [0, 0, 0];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.integer(), changes, (type, seed, changed) => {
        const result = checkSame(type, seed, changed);
        if (!result.ok) refused++;
        else if (result.strict.length > 0) strict++;
        else accepted++;
      }),
      { numRuns: 2_500 },
    );
    // All outcomes are frequent.
    expect(Math.min(accepted, refused, strict)).to.be.greaterThan(100);
  });

  it('drops empty bytes as if they were absent', () => {
    const type = types.find(({ name }) => name === 'certificates.v1.CertificateSigningRequest') as ApiType;
    const result = checkStructure({ status: { certificate: '', conditions: [] } }, type, { unknownFields: 'report' });
    expect(result).to.have.property('ok', true);
    expect(result).to.have.nested.property('value.status').deep.equal({});
  });

  it('names the type of lists in maps (`ExtraValue` of authorization/v1/types.go)', () => {
    const type = typeNamed('authorization.v1.SubjectAccessReview')!;
    const problem = (extra: Json): unknown => {
      const reported = checkStructure({ spec: { extra } }, type, { unknownFields: 'report' });
      return reported.ok ? null : reported.message.replace('json: cannot unmarshal ', '');
    };
    const at = 'into Go struct field SubjectAccessReviewSpec.spec.extra of type';
    expect(problem({ a: 'x' })).to.equal(`string ${at} v1.ExtraValue`);
    expect(problem({ a: [true] })).to.equal(`bool ${at} string`);
    expect(problem(['a'])).to.equal(`array ${at} map[string]v1.ExtraValue`);
  });

  const firstProblem = (kind: string, object: JsonMembers): string => {
    const reported = checkStructure(object, typeNamed(kind)!, { unknownFields: 'report' });
    return reported.ok ? '' : reported.message.replace(/^json: cannot unmarshal \w+ into Go struct field \S+ of type /, '');
  };
  const namedTypes: readonly (readonly [kind: string, object: JsonMembers, type: string])[] = [
    ['batch.v1.Job', { status: { uncountedTerminatedPods: { failed: 1 } } }, '[]types.UID'],
    ['core.v1.PersistentVolumeClaim', { status: { allocatedResourceStatuses: [] } }, 'map[v1.ResourceName]v1.ClaimResourceStatus'],
    ['core.v1.PersistentVolumeClaim', { status: { allocatedResourceStatuses: { a: 1 } } }, 'v1.ClaimResourceStatus'],
    ['core.v1.PersistentVolumeClaim', { status: { allocatedResources: [] } }, 'v1.ResourceList'],
    ['resource.v1.ResourceSlice', { spec: { devices: [{ attributes: [] }] } }, 'map[v1.QualifiedName]v1.DeviceAttribute'],
    ['resource.v1beta2.ResourceSlice', { spec: { devices: [{ attributes: [] }] } }, 'map[v1beta2.QualifiedName]v1beta2.DeviceAttribute'],
    [
      'resource.v1.ResourceClaim',
      { spec: { devices: { requests: [{ exactly: { capacity: { requests: 1 } } }] } } },
      'map[v1.QualifiedName]resource.Quantity',
    ],
    ['flowcontrol.v1.FlowSchema', { spec: { rules: [{ subjects: [{ kind: 1 }] }] } }, 'v1.SubjectKind'],
    ['rbac.v1.RoleBinding', { subjects: [{ kind: 1 }] }, 'string'],
    ['coordination.v1beta1.LeaseCandidate', { spec: { strategy: 1 } }, 'v1.CoordinatedLeaseStrategy'],
  ];
  it('names the types of texts, and of keys of maps', () => {
    expect(namedTypes.map(([kind, object]) => firstProblem(kind, structuredClone(object)))).to.deep.equal(
      namedTypes.map(([, , type]) => type),
    );
  });

  it('reports a text that is no bytes only if no type that reads itself ends the walk', () => {
    const secrets: readonly JsonMembers[] = [
      { data: { a: '!' }, type: 1 },
      { type: 1, data: { a: '!' } },
      { data: { a: '!' }, metadata: { creationTimestamp: 'x' } },
    ];
    expect(secrets.map((secret) => firstProblem('core.v1.Secret', secret))).to.deep.equal([
      'illegal base64 data at input byte 0',
      'v1.SecretType',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ]);
  });

  it('keeps empty lists and maps that refusals quote', () => {
    const kept = (kind: string, object: JsonMembers): unknown => {
      const checked = checkStructure(object, typeNamed(kind)!, { unknownFields: 'report' });
      return checked.ok ? checked.value : null;
    };
    expect(kept('storage.v1.StorageClass', { parameters: {} })).to.have.deep.property('parameters', {});
    expect(kept('batch.v1.Job', { spec: { podFailurePolicy: { rules: [] } } })).to.have.deep.nested.property(
      'spec.podFailurePolicy.rules',
      [],
    );
    expect(kept('storage.v1.CSINode', { spec: { drivers: [{ topologyKeys: [] }] } })).to.have.deep.nested.property(
      'spec.drivers[0].topologyKeys',
      [],
    );
  });

  it('ends at what a schema in a schema has, before what is wrong around it (`UnmarshalJSON` of apiextensions/v1/marshal.go)', () => {
    const type = typeNamed('apiextensions.v1.CustomResourceDefinition')!;
    const definition = (schema: JsonMembers): JsonMembers => ({ spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } });
    const problem = (schema: JsonMembers, most: number): unknown => {
      const reported = inOneGo(structureSteps(structuredClone(definition(schema)), type, { unknownFields: 'report' }, most));
      return reported.ok ? null : /cannot unmarshal (\w+) into .*openAPIV3Schema\.(.*) of/.exec(reported.message)?.slice(1).join(' ');
    };
    const inner = { minimum: 'x' };
    for (const most of [0, 1_000]) {
      expect(problem({ type: [], items: { items: { properties: { a: inner } } } }, most)).to.equal('string items.items.properties.minimum');
      expect(problem({ type: [], additionalProperties: { title: 1 }, items: [inner] }, most)).to.equal('number additionalProperties.title');
      expect(problem({ type: [], properties: { a: inner } }, most)).to.equal('array type');
    }
  });

  const stepsOf = (steps: Steps<unknown>): number => {
    let count = 0;
    while (steps.next().done !== true) count++;
    return count;
  };
  const many = <T>(each: (index: number) => T): T[] => Array.from({ length: 30_000 }, (_item, index) => each(index));
  const large: readonly (readonly [string, string, JsonMembers])[] = [
    ['a map of texts', 'core.v1.ConfigMap', { data: Object.fromEntries(many((i) => [`k${i}`, 'v'])) }],
    ['a list of texts', 'core.v1.ConfigMap', { metadata: { finalizers: many((i) => `f${i}`) } }],
    ['a list of objects', 'core.v1.Pod', { spec: { containers: [{ name: 'c', env: many((i) => ({ name: `N${i}`, value: 'v' })) }] } }],
    [
      'fields of an owner',
      'core.v1.ConfigMap',
      { metadata: { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': Object.fromEntries(many((i) => [`f:k${i}`, {}])) } }] } },
    ],
    [
      'quantities',
      'core.v1.Pod',
      { spec: { containers: [{ name: 'c', resources: { limits: Object.fromEntries(many((i) => [`a.b/r${i}`, '1'])) } }] } },
    ],
  ];
  for (const [name, typeName, value] of large)
    it(`takes many steps for ${name}`, () => {
      const type = typeNamed(typeName)!;
      expect(stepsOf(structureSteps(structuredClone(value), type, { unknownFields: 'report' }))).to.be.greaterThan(500);
      const inSteps = inOneGo(structureSteps(structuredClone(value), type, { unknownFields: 'report' }));
      expect(reported(inSteps)).to.equal(reported(checkStructure(structuredClone(value), type, { unknownFields: 'report' })));
    });
});
