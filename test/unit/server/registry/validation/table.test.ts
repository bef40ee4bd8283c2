import { expect } from 'chai';
import type { Writable } from '../../../../../server/registry/draft.js';
import { invalid, Path, type FieldError } from '../../../../../server/registry/validation/field.js';
import { dnsLabelName } from '../../../../../server/registry/validation/names.js';
import { atOnce } from '../../../../../server/registry/validation/ofEach.js';
import {
  all,
  andThen,
  changed,
  declaredRules,
  distinct,
  each,
  eachValue,
  exactlyOne,
  forbiddenAs,
  format,
  ifNumber,
  ifOwner,
  ifText,
  immutable,
  invalidAs,
  keyedList,
  knowing,
  maxBytes,
  maximum,
  maxItems,
  members,
  minimum,
  nonZero,
  objectRules,
  objectRulesWith,
  off,
  on,
  oneOf,
  optional,
  orEmpty,
  orZero,
  required,
  requiredAs,
  requiredPointer,
  structure,
  union,
  unrepeated,
  when,
  whenFacts,
  whenOwner,
  withFacts,
  type Rule,
} from '../../../../../server/registry/validation/table.js';

interface Part {
  readonly name?: string;
  readonly count?: number | null;
  readonly mode?: string;
  readonly target?: number | string;
}
interface Thing {
  readonly metadata: object;
  readonly spec?: { readonly parts?: readonly Part[]; readonly mode?: string };
}

const shown = (findings: readonly FieldError[]): string[] => findings.map(({ path, message }) => `${path}: ${message}`);
const found = <V>(rule: Rule<V>, value: V, before?: { readonly value: unknown } | null): string[] =>
  shown(atOnce(rule(value, Path.of('at'), null, { before })));
const wrong: Rule<unknown> = (value, path) => [invalid(path, value, 'wrong')];

describe('server/registry/validation/table', () => {
  it('chooses between rules by the siblings', () => {
    const rule = members<Part>({
      name: ifOwner(({ mode }: Writable<Part>) => mode === 'A', required(), nonZero(invalidAs('only for A'))),
    });
    expect(found(rule, { mode: 'A' })).to.deep.equal(['at.name: Required value']);
    expect(found(rule, { mode: 'A', name: 'x' })).to.deep.equal([]);
    expect(found(rule, { name: 'x' })).to.deep.equal(['at.name: Invalid value: "x": only for A']);
    expect(found(rule, {})).to.deep.equal([]);
  });

  it('refuses items that repeat a computed key', () => {
    const rule = unrepeated<Part>(
      ({ name, mode = 'A' }) => `${mode} ${name}`,
      (part, path) => invalidAs('repeated')(part.name, path),
    );
    expect(found(rule, [{ name: 'x' }, { name: 'x', mode: 'B' }, { name: 'x', mode: 'A' }])).to.deep.equal([
      'at[2]: Invalid value: "x": repeated',
    ]);
    expect(found(rule, undefined)).to.deep.equal([]);
  });

  it('tells absent values, zero values and pointers apart', () => {
    const rows: readonly (readonly [
      rule: Rule<string | number | null | undefined>,
      value: string | number | null | undefined,
      findings: number,
    ])[] = [
      [optional(wrong), undefined, 0],
      [optional(wrong), null, 0],
      [optional(wrong), '', 1],
      [optional(wrong), 0, 1],
      [nonZero(wrong), '', 0],
      [nonZero(wrong), 0, 0],
      [nonZero(wrong), 'a', 1],
      [requiredPointer(), 0, 0],
      [requiredPointer(), null, 1],
      [required(), 0, 1],
      [required(), 'a', 0],
    ];
    expect(rows.map(([rule, value]) => found(rule, value).length)).to.deep.equal(rows.map(([, , count]) => count));
    expect(found(requiredAs('say why', wrong), '')).to.deep.equal(['at: Required value: say why']);
  });

  it('gives findings in the order of the table, with the path of each member', () => {
    const rule = all<Writable<Part>>(
      members<Part>({ mode: required(oneOf('A', 'B')), name: nonZero(format(dnsLabelName)), count: optional(minimum(1), maximum(3)) }),
      exactlyOne<Part>('name', 'target'),
    );
    expect(found(rule, { count: 9, name: 'x y', target: 1 }).map((text) => text.replace(/: a lowercase.*/, ''))).to.deep.equal([
      'at.mode: Required value',
      'at.name: Invalid value: "x y"',
      'at.count: Invalid value: 9: must be less than or equal to 3',
      'at: Invalid value: "{`name`, `target`}": must specify exactly one of: `name`, `target`',
    ]);
    expect(found(rule, { mode: 'C', count: 0, target: 1 })).to.deep.equal([
      'at.mode: Unsupported value: "C": supported values: "A", "B"',
      'at.count: Invalid value: 0: must be greater than or equal to 1',
    ]);
    expect(found(exactlyOne<Part>('name', 'target'), {})).to.deep.equal(['at: Invalid value: "": must specify one of: `name`, `target`']);
  });

  it('lets rules depend on the value, its type, its siblings, and earlier findings', () => {
    const target = members<Part>({ target: all(ifNumber(minimum(5)), ifText(maxBytes(1))) });
    expect(
      [found(target, { target: 1 }), found(target, { target: 'ab' }), found(target, { target: 7 })].map((all) => all.length),
    ).to.deep.equal([1, 1, 0]);
    const count = members<Part>({ count: whenOwner(({ mode }: Writable<Part>) => mode === 'A', forbiddenAs('not in A')) });
    expect(found(count, { mode: 'A', count: 1 })).to.deep.equal(['at.count: Forbidden: not in A']);
    expect(found(count, { mode: 'B', count: 1 })).to.deep.equal([]);
    expect(
      found(
        when((value: string) => value.startsWith('a'), wrong),
        'ab',
      ),
    ).to.have.length(1);
    expect(
      found(
        when((value: string) => value.startsWith('a'), wrong),
        'b',
      ),
    ).to.have.length(0);
    expect(found(andThen(maxBytes(1), wrong), 'ab')).to.deep.equal(['at: Too long: may not be more than 1 byte']);
    expect(found(andThen(maxBytes(1), wrong), 'a')).to.deep.equal(['at: Invalid value: "a": wrong']);
  });

  it('checks items with their positions, and leaves absent lists', () => {
    expect(found(each(wrong), ['a', 'b'])).to.deep.equal(['at[0]: Invalid value: "a": wrong', 'at[1]: Invalid value: "b": wrong']);
    expect(found(each(wrong), undefined)).to.deep.equal([]);
  });

  it('takes an absent text for an empty one, and an absent number for zero', () => {
    expect(found(orEmpty(wrong), undefined)).to.deep.equal(['at: Invalid value: "": wrong']);
    expect(found(orZero(wrong), null)).to.deep.equal(['at: Invalid value: 0: wrong']);
    expect(found(orZero(wrong), 2)).to.deep.equal(['at: Invalid value: 2: wrong']);
  });

  it('finds repeated keys and values where the rule of items has its place for them', () => {
    const parts = [{ name: 'a' }, { name: 'b' }, { name: 'a', count: 1 }];
    const counted = members<Part>({ count: optional(wrong) });
    expect(found(distinct<string>(null), ['a', 'b', 'a'])).to.deep.equal(['at[2]: Duplicate value: "a"']);
    expect(
      found(
        distinct<Writable<Part>>('name', (once) => all(counted, once)),
        parts,
      ),
    ).to.deep.equal(['at[2].count: Invalid value: 1: wrong', 'at[2].name: Duplicate value: "a"']);
    expect(
      found(
        distinct<Writable<Part>>('name', (once) => andThen(once, counted)),
        parts,
      ),
    ).to.deep.equal(['at[2].name: Duplicate value: "a"']);
  });

  it('marks findings of features, and changes them', () => {
    const [finding] = atOnce(on('SELinuxMount', wrong)('a', Path.root, null));
    expect(finding?.gate).to.deep.equal({ feature: 'SELinuxMount', standsWhile: 'on' });
    expect(atOnce(off('SELinuxMount', wrong)('a', Path.root, null))[0]?.gate?.standsWhile).to.equal('off');
    expect(
      found(
        changed(wrong, (findings, value) => [...findings, ...findings].slice(value === 'a' ? 1 : 2)),
        'a',
      ),
    ).to.have.length(1);
  });

  it('keeps what an update leaves as it is where rules are declared, and checks it elsewhere', () => {
    const parts = keyedList(2, 'name', members<Part>({ name: required(), count: optional(minimum(1)) }));
    const spec = members<NonNullable<Thing['spec']>>({ parts, mode: immutable(nonZero(oneOf('A'))) });
    const declared = declaredRules<Thing>({ spec });
    const bad = { metadata: {}, spec: { parts: [{ name: 'a', count: 0 }], mode: 'A' } };
    expect(shown(atOnce(declared.created(bad)))).to.deep.equal([
      'spec.parts[0].count: Invalid value: 0: must be greater than or equal to 1',
    ]);
    expect(shown(atOnce(declared.changed(bad, structuredClone(bad))))).to.deep.equal([]);
    expect(shown(atOnce(declared.changed({ ...bad, spec: { ...bad.spec, mode: 'B' } }, bad)))).to.deep.equal([
      'spec.mode: Invalid value: null: field is immutable',
    ]);
    expect(shown(atOnce(objectRules<Thing>({ spec: members<NonNullable<Thing['spec']>>({ parts: each(wrong) }) })(bad)))).to.have.length(1);
  });

  it('compares items of a keyed list by their keys, and refuses repeated ones and too many', () => {
    const list = keyedList(3, 'name', members<Part>({ count: optional(minimum(1)) }));
    const before = {
      value: [
        { name: 'a', count: 0 },
        { name: 'b', count: 2 },
      ],
    };
    expect(
      found(
        list,
        [
          { name: 'b', count: 0 },
          { name: 'a', count: 0 },
        ],
        before,
      ),
    ).to.deep.equal(['at[0].count: Invalid value: 0: must be greater than or equal to 1']);
    expect(found(list, [{ name: 'a' }, { name: 'a' }])).to.deep.equal(['at[1]: Duplicate value: {"name":"a"}']);
    expect(found(list, [{}, {}, {}, {}])).to.deep.equal(['at: Too many: 4: must have at most 3 items']);
  });

  it('checks the first member of a union, and refuses others', () => {
    const texts = { none: 'nothing', surplus: 'too much', names: { first: { count: 'n' }, further: { mode: 'm' } } };
    const rule = union<Part>({ count: maximum(5) as Rule<unknown>, mode: wrong, name: wrong }, { ...texts, checked: ['name'] });
    expect(found(rule, {})).to.deep.equal(['at: Required value: nothing']);
    expect(found(rule, { mode: 'x', count: 6 })).to.deep.equal([
      'at.n: Invalid value: 6: must be less than or equal to 5',
      'at.m: Forbidden: too much',
    ]);
    expect(found(rule, { name: 'x', count: 1 })).to.deep.equal(['at.name: Invalid value: "x": wrong']);
  });

  it('gives facts to the rules of parts', () => {
    const known = knowing((name: string | undefined, path: Path, names: ReadonlySet<string>) =>
      names.has(name ?? '') ? [] : [invalid(path, name, 'unknown')],
    );
    const rule = members<{ parts?: readonly Part[] }, ReadonlySet<string>>({
      parts: each(members<Part, ReadonlySet<string>>({ name: optional(known) })),
    });
    expect(shown(atOnce(withFacts(rule, new Set(['a']))({ parts: [{ name: 'a' }, { name: 'b' }] }, Path.root)))).to.deep.equal([
      'parts[1].name: Invalid value: "b": unknown',
    ]);
  });

  it('gives facts to the rules of items, of values in maps, and of members that depend on others', () => {
    type Names = ReadonlySet<string>;
    const known = knowing((name: string, path: Path, names: Names) => (names.has(name) ? [] : [invalid(path, name, 'unknown')]));
    const rules: readonly Rule<unknown, unknown, Names>[] = [
      distinct<string, unknown, Names>(null, (once) => all(once, known)) as Rule<unknown, unknown, Names>,
      eachValue<string, unknown, Names>(known) as Rule<unknown, unknown, Names>,
      keyedList<string, unknown, Names>(9, null, known) as Rule<unknown, unknown, Names>,
      each(orEmpty<unknown, Names>(whenOwner<string, unknown, Names>(() => true, known))) as Rule<unknown, unknown, Names>,
    ];
    for (const rule of rules)
      expect(shown(atOnce(withFacts(rule, new Set(['a']))(['a', 'b'], Path.of('at'))))).to.deep.equal([
        'at[1]: Invalid value: "b": unknown',
      ]);
  });

  it('lets rules depend on facts of each review', () => {
    interface Facts {
      readonly strict: boolean;
    }
    const rules = objectRulesWith<Thing, Facts>({
      spec: members<NonNullable<Thing['spec']>, Facts>({ mode: whenFacts(({ strict }: Facts) => strict, required()) }),
    });
    const thing = { metadata: {}, spec: {} };
    expect(shown(atOnce(rules(thing, { strict: true })))).to.deep.equal(['spec.mode: Required value']);
    expect(shown(atOnce(rules(thing, { strict: false })))).to.deep.equal([]);
  });

  it('makes the rule of distinct items once, and keeps lists within lists apart', () => {
    let made = 0;
    const lists = distinct<Writable<{ name?: string; parts?: readonly Part[] }>>('name', (once) => {
      made += 1;
      return all(once, members<{ name?: string; parts?: readonly Part[] }>({ parts: distinct('name') }));
    });
    const parts = [{ name: 'x' }, { name: 'y' }, { name: 'y' }];
    const list = [{ name: 'a' }, { name: 'a', parts }];
    for (let round = 0; round < 2; round++)
      expect(found(lists, list)).to.deep.equal(['at[1].name: Duplicate value: "a"', 'at[1].parts[2].name: Duplicate value: "y"']);
    expect(made).to.equal(1);
  });

  it('compares the member of a union with its own earlier value', () => {
    const rule = union<{ first?: Part }>({ first: members<Part>({ count: immutable(wrong) }) }, { none: '', surplus: '' });
    expect(found(rule, { first: { count: 1 } }, { value: { first: { count: 1 } } })).to.deep.equal([]);
    expect(found(rule, { first: { count: 2 } }, { value: { first: { count: 1 } } })).to.deep.equal([
      'at.first.count: Invalid value: null: field is immutable',
    ]);
  });

  it('takes an absent structure for an empty one, and counts items', () => {
    expect(found(structure<Writable<Part>>(members<Part>({ name: required() })), undefined)).to.deep.equal(['at.name: Required value']);
    expect(found(maxItems(1), [1, 2])).to.deep.equal(['at: Too many: 2: must have at most 1 items']);
  });
});
