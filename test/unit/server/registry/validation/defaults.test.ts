import { expect } from 'chai';
import type { Draft, Writable } from '../../../../../server/registry/draft.js';
import { byDefault, completed, created, insteadOfZero } from '../../../../../server/registry/validation/defaults.js';
import { invalid, Path, type FieldError } from '../../../../../server/registry/validation/field.js';
import { atOnce } from '../../../../../server/registry/validation/ofEach.js';
import {
  all,
  changed,
  distinct,
  each,
  ifOwner,
  immutable,
  knowing,
  maximum,
  members,
  minimum,
  objectRules,
  oneOf,
  required,
  requiredPointer,
  when,
  whenOwner,
  withFactsOf,
  type Rule,
} from '../../../../../server/registry/validation/table.js';

interface Part {
  readonly name?: string;
  readonly count?: number | null;
  readonly mode?: string;
}
interface Thing {
  readonly metadata: object;
  readonly spec?: { readonly parts?: readonly Part[]; readonly part?: Part; readonly mode?: string; readonly names?: readonly string[] };
}
type Spec = Writable<NonNullable<Thing['spec']>>;

const defaulted = (part: Rule<Writable<Part>>, given: Writable<Part>): string => {
  const object: Draft<Thing> = { metadata: {}, spec: { part: given } };
  const { defaults } = objectRules<Thing>({ spec: members<NonNullable<Thing['spec']>>({ part: requiredPointer(part) }) });
  defaults(object);
  const once = JSON.stringify(object.spec?.part);
  defaults(object);
  expect(JSON.stringify(object.spec?.part)).to.equal(once);
  return once;
};

const found = (rule: Rule<Writable<Part>>, value: Writable<Part>): string[] =>
  atOnce(rule(value, Path.of('at'), null)).map(({ path, message }: FieldError) => `${path}: ${message}`);

describe('server/registry/validation/defaults', () => {
  it('sets a default where a pointer is absent, and checks the value that is set', () => {
    const rule = members<Part>({ count: byDefault(3, minimum(1), maximum(5)) });
    expect(defaulted(rule, {})).to.equal('{"count":3}');
    expect(defaulted(rule, { count: null })).to.equal('{"count":3}');
    expect(defaulted(rule, { count: 0 })).to.equal('{"count":0}');
    expect(found(rule, { count: 0 })).to.deep.equal(['at.count: Invalid value: 0: must be greater than or equal to 1']);
    expect(found(rule, {})).to.deep.equal([]);
  });

  it('replaces the zero value of a member without a pointer', () => {
    const rule = members<Part>({ mode: insteadOfZero('A', oneOf('A', 'B')), count: insteadOfZero(2) });
    expect(defaulted(rule, { mode: '', count: 0 })).to.equal('{"mode":"A","count":2}');
    expect(defaulted(rule, { mode: 'C', count: 1 })).to.equal('{"mode":"C","count":1}');
    expect(found(rule, { mode: 'C' })).to.deep.equal(['at.mode: Unsupported value: "C": supported values: "A", "B"']);
  });

  it('computes defaults from siblings, and sets nothing for undefined', () => {
    const rule = members<Part>({ name: byDefault(({ mode }) => (mode === undefined ? undefined : `of ${mode}`)) });
    expect(defaulted(rule, { mode: 'A' })).to.equal('{"mode":"A","name":"of A"}');
    expect(defaulted(rule, {})).to.equal('{}');
  });

  it('makes an own value for each object', () => {
    const { defaults } = objectRules<Thing>({ spec: created(members<NonNullable<Thing['spec']>>({ names: byDefault(() => ['a']) })) });
    const [one, other]: Draft<Thing>[] = [{ metadata: {} }, { metadata: {} }];
    for (const object of [one, other]) defaults(object as Draft<Thing>);
    one?.spec?.names?.push('b');
    expect(other).to.deep.equal({ metadata: {}, spec: { names: ['a'] } });
  });

  it('creates objects, and leaves values of another form to the structural check', () => {
    const spec = created<Spec>(members<NonNullable<Thing['spec']>>({ part: created(members<Part>({ mode: byDefault('A') })) }));
    const { defaults } = objectRules<Thing>({ spec });
    const object: Draft<Thing> = { metadata: {} };
    defaults(object);
    expect(object).to.deep.equal({ metadata: {}, spec: { part: { mode: 'A' } } });
    const absent: Draft<Thing> = { metadata: {} };
    objectRules<Thing>({ spec: members<NonNullable<Thing['spec']>>({ mode: byDefault('A') }) }).defaults(absent);
    expect(absent).to.deep.equal({ metadata: {} });
  });

  it('runs in the order of the table, with the functions that relate members', () => {
    const rule = all<Writable<Part>>(
      members<Part>({ mode: byDefault('A') }),
      completed<Writable<Part>>((part) => {
        part.name ??= `${part.mode}${part.count ?? ''}`;
      }),
      members<Part>({ count: byDefault(1), name: required() }),
    );
    expect(defaulted(rule, {})).to.equal('{"mode":"A","name":"A","count":1}');
    expect(found(rule, {})).to.deep.equal(['at.name: Required value']);
  });

  it('completes the items of lists, under whatever rules they have', () => {
    const part = members<Part>({ mode: byDefault('A') });
    const lists: Rule<Writable<Part>[] | null | undefined>[] = [each(part), distinct<Writable<Part>>('name', (once) => all(once, part))];
    for (const parts of lists) {
      const object: Draft<Thing> = { metadata: {}, spec: { parts: [{}, { mode: 'B' }] } };
      objectRules<Thing>({ spec: members<NonNullable<Thing['spec']>>({ parts }) }).defaults(object);
      expect(object.spec?.parts).to.deep.equal([{ mode: 'A' }, { mode: 'B' }]);
    }
  });

  it('sets defaults under conditions, as rules are checked under them', () => {
    const isB = ({ mode }: Writable<Part>): boolean => mode === 'B';
    const ofB = members<Part>({ count: whenOwner(isB, byDefault(2)), name: ifOwner(isB, byDefault('b'), byDefault('other')) });
    expect(defaulted(ofB, { mode: 'B' })).to.equal('{"mode":"B","count":2,"name":"b"}');
    expect(defaulted(ofB, {})).to.equal('{"name":"other"}');
    expect(defaulted(when(isB, members<Part>({ count: byDefault(1) })), {})).to.equal('{}');
  });

  it('passes through rules that change findings or give facts', () => {
    const part = members<Part>({ mode: byDefault('A') });
    const most = knowing<Writable<Part>, unknown, number>((value, path, facts) =>
      (value.count ?? 0) > facts ? [invalid(path, facts, 'most')] : [],
    );
    const rules: Rule<Writable<Part>>[] = [
      changed(part, () => []),
      immutable(part),
      withFactsOf(() => 1, all<Writable<Part>, unknown, number>(part, most)),
    ];
    for (const rule of rules) expect(defaulted(rule, {})).to.equal('{"mode":"A"}');
    expect(found(rules[2] as Rule<Writable<Part>>, { count: 2 })).to.deep.equal(['at: Invalid value: 1: most']);
  });
});
