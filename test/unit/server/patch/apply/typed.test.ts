import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { schemaOfKind } from '../../../../../server/patch/apply/typeSchema.js';
import type { Schema } from '../../../../../server/patch/apply/schema.js';
import { typeProblem, typeFaultsMax, type Typed } from '../../../../../server/patch/apply/typed.js';
import { inOneGo } from '../../../../../api/steps.js';
import { widget } from './schemas.js';

/** The reference's errors (`typed/validate.go` and `typed/helpers.go` of structured-merge-diff). */
const deployment = schemaOfKind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
const problem = (spec: JsonObject, as: Typed = 'configuration'): string | null => inOneGo(typeProblem({ spec }, deployment, as));
const containers = (...list: JsonValue[]): JsonObject => ({ template: { spec: { containers: list } } });
const at = '.spec.template.spec.containers';

describe('apply/typed', () => {
  const cases: readonly (readonly [what: string, spec: JsonObject, problem: string | null])[] = [
    ['nothing wrong', { replicas: 1, paused: true, minReadySeconds: null, ...containers({ name: 'c', image: 'i' }) }, null],
    ['a text for a number', { replicas: '3' }, '.spec.replicas: expected numeric (int or float), got string'],
    ['a list for a number', { replicas: [] }, '.spec.replicas: expected numeric (int or float), got []interface {}'],
    ['a number for a truth', { paused: 1 }, '.spec.paused: expected boolean, got &{1}'],
    ['a text for a map', { template: 'x' }, '.spec.template: expected map, got &{x}'],
    [
      'maps for texts',
      containers({ name: 'c', image: { b: [1, 'x'], a: null } }),
      `${at}[name="c"].image: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{1, "x"}}}`,
    ],
    [
      'a number beyond an int64, which Go prints as an unsigned one',
      containers({ name: 'c', image: 2n ** 64n - 1n }),
      `${at}[name="c"].image: expected string, got &value.valueUnstructured{Value:0xffffffffffffffff}`,
    ],
    [
      'a list for an amount, which is a number or a text',
      containers({ name: 'c', resources: { limits: { cpu: 1, memory: '1Gi', x: [] } } }),
      `${at}[name="c"].resources.limits.x: expected any scalar, got &{[]}`,
    ],
    [
      'wrong types in two places',
      { replicas: '3', template: { spec: { containers: { a: 1 } } } },
      'errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.template.spec.containers: expected list, got &{map[a:1]}',
    ],
    [
      'fields that are not declared: the first of each object',
      { template: { spec: { no: 1, neither: 1 } }, nope: 1, never: 1 },
      'errors:\n  .spec.template.spec.no: field not declared in schema\n  .spec.nope: field not declared in schema',
    ],
    [
      'what is there twice, and what is wrong in it',
      containers({ name: 'c', env: [{ name: 'A' }, { name: 'B' }, { name: 'A', value: 1 }] }),
      `errors:\n  ${at}[name="c"].env: duplicate entries for key [name="A"]\n  ${at}[name="c"].env[name="A"].value: expected string, got &value.valueUnstructured{Value:1}`,
    ],
    [
      'a map for a key',
      containers({ name: { a: 1, b: ['x', null] } }),
      `${at}[name=a=1b=["x",null]].name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1, "b":[]interface {}{"x", interface {}(nil)}}}`,
    ],
    [
      'items by their places in an atomic list',
      containers({ name: 'c', args: ['a', 1] }),
      `${at}[name="c"].args[1]: expected string, got &value.valueUnstructured{Value:1}`,
    ],
    ['no map for an item with a key', containers('c'), `${at}: element 0: associative list with keys may not have non-map elements`],
    ['an item that is null', containers({ name: 'c' }, null), `${at}: element 1: associative list with keys may not have a null element`],
  ];
  for (const [what, spec, expected] of cases)
    it(`tells ${what}`, () => {
      expect(problem(spec)).to.equal(expected);
    });

  it('tells of sets and keys what makes no item', () => {
    const of = (value: JsonObject): string | null => inOneGo(typeProblem(value, widget, 'configuration'));
    expect(of({ metadata: { finalizers: [{}] } })).to.equal(
      ".metadata.finalizers: element 0: associative list without keys has an element that's a map type",
    );
    expect(of({ metadata: { finalizers: ['a', 'a'] } })).to.equal('.metadata.finalizers: duplicate entries for key [="a"]');
    expect(of({ spec: { items: [{ value: 'x' }] } })).to.equal(
      '.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    );
    expect(of({ spec: { open: { any: { thing: [1] } } } })).to.equal(null);
  });

  it('lets what is there have fields that are not known, and items twice', () => {
    const spec = { nope: 1, ...containers({ name: 'c', env: [{ name: 'A' }, { name: 'A' }] }) };
    expect(problem(spec, 'live')).to.equal(null);
    expect(problem({ ...spec, replicas: 'x' }, 'live')).to.equal('.spec.replicas: expected numeric (int or float), got string');
  });

  it('finds that nulls of expressions fit no type', () => {
    const spec = { replicas: null, paused: null, selector: null, ...containers({ name: 'c', image: null, args: null }) };
    expect(problem(spec)).to.equal(null);
    expect(problem(spec, 'constructed')?.split('\n')).to.deep.equal([
      'errors:',
      '  .spec.replicas: expected numeric (int or float), got structpb.NullValue',
      '  .spec.paused: expected boolean, got &{NULL_VALUE}',
      '  .spec.selector: expected map, got &{NULL_VALUE}',
      `  ${at}[name="c"].image: expected string, got &value.valueUnstructured{Value:0}`,
      `  ${at}[name="c"].args: expected list, got &{NULL_VALUE}`,
    ]);
  });

  it('looks for no more faults than anybody would read', () => {
    const env = Array.from({ length: typeFaultsMax + 500 }, (_item, index) => ({ name: `e${index}`, value: 1 }));
    expect(problem(containers({ name: 'c', env }))?.split('\n')).to.have.length(typeFaultsMax + 1);
  });

  it('judges a small live value as it does many of them, which are looked at in steps', () => {
    const kinds: readonly JsonValue[] = [
      null,
      0,
      1.5,
      2n ** 64n,
      '',
      'a',
      true,
      [],
      {},
      [null],
      ['a', 'a'],
      [{ name: 'a' }, { name: 'a' }],
      [{}],
      { name: 1 },
    ];
    const members = ['replicas', 'paused', 'template', 'selector', 'nope', 'minReadySeconds'];
    const inContainer = ['name', 'image', 'env', 'ports', 'args', 'resources', 'nope', 'volumeMounts'];
    const values = kinds.flatMap((value) => [
      ...members.map((name): JsonObject => ({ [name]: value })),
      ...inContainer.map((name) => containers({ name: 'c', [name]: value })),
      ...inContainer.map((name) => containers({ [name]: value })),
      containers(value),
    ]);
    const many: Schema = { kind: 'list', relationship: 'atomic', element: deployment };
    let faulty = 0;
    for (const spec of values) {
      const one = inOneGo(typeProblem({ spec }, deployment, 'live'));
      const each = inOneGo(
        typeProblem(
          Array.from({ length: 1_000 }, () => ({ spec })),
          many,
          'live',
        ),
      );
      expect(
        one === null,
        JSON.stringify(spec, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      ).to.equal(each === null);
      if (one !== null) faulty += 1;
    }
    expect(faulty).to.be.within(50, values.length - 50);
  });
});
