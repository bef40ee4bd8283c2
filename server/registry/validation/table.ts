import type { JsonObject, JsonValue } from '../../../api/object.js';
import { sameValue } from '../../../api/json/equality.js';
import { isSet, itemsOf, membersOf, type MemberOf } from '../../../api/json/members.js';
import type { FieldGate } from '../../../program/features/gates.js';
import type { Draft, Writable } from '../draft.js';
import { completedLike, like, ofItems, ofMembers, provided, straightLine, together, type Completing } from './completion.js';
import { duplicate, forbidden, invalid, notSupported, Path, required as missing, tooLong, tooMany, type FieldError } from './field.js';
import { whileOff, whileOn } from './gatedFindings.js';
import type { NameRule } from './names.js';
import { atOnce, fromFound, inOrder, ofEach, type Found } from './ofEach.js';
import { groupedBy, repeats } from './repeats.js';
import { unrolledMembers, unrolledRules } from './unrolled.js';

/** The language of kinds; `server/kinds/DESIGN.md` shows every word. Any function that takes a value and its path is a rule. */
export interface Rule<V, O = unknown, F = unknown> extends Completing {
  /** `owner` is the object that has the value, or the list that it is in. */
  (value: V, path: Path, owner: O, known?: Known<F>): Found;
  /** The rule has nothing to say of an absent value. */
  readonly skipsAbsent?: true;
}

/** Rules pass on what they know to the rules of parts. */
export interface Known<F = unknown> {
  /** The value that an update replaces; null for what is new, undefined where unchanged values are checked as well. */
  readonly before?: { readonly value: unknown } | null | undefined;
  /** Facts of a whole, such as a pod's volumes. */
  readonly facts?: F | undefined;
  /** The item has the key of an earlier one. */
  readonly isRepeated?: boolean;
}

type Members<T, F = unknown> = { readonly [M in keyof T]?: Rule<T[M], T, F> };

export type ObjectRules<T, A extends unknown[] = []> = ((object: Draft<T>, ...facts: A) => Found) & WithDefaults<T>;
export interface WithDefaults<T> {
  readonly defaults: (object: Draft<T>) => void;
}

function defaultsOf<T>({ completes = [] }: Completing): WithDefaults<T> {
  let made: ((object: Draft<T>) => void) | null = null;
  return { defaults: (object) => (made ??= straightLine(completes))(object) };
}

export const objectRules = <T>(table: Members<Draft<T>>): ObjectRules<T> => {
  const rule = members<T>(table as Members<Writable<T>>);
  return Object.assign((object: Draft<T>) => rule(object as Writable<T>, Path.root, null), defaultsOf<T>(rule));
};

/** Like `objectRules`, with facts for each review. */
export const objectRulesWith = <T, F>(table: Members<Draft<T>, F>): ObjectRules<T, [F]> => {
  const rule = members<T, F>(table as Members<Writable<T>, F>);
  return Object.assign((object: Draft<T>, facts: F) => withFacts(rule, facts)(object as Writable<T>, Path.root), defaultsOf<T>(rule));
};

/** The rules of a kind whose updates may keep what they leave as it is: the reference generates such rules from `+k8s:` tags. */
export function declaredRules<T>(table: Members<Draft<T>>): WithDefaults<T> & {
  readonly created: (object: Draft<T>) => Found;
  readonly changed: (object: Draft<T>, old: Draft<T>) => Found;
} {
  const rule = members<T>(table as Members<Writable<T>>);
  return {
    ...defaultsOf<T>(rule),
    created: (object) => rule(object as Writable<T>, Path.root, null, { before: null }),
    changed: (object, old) => rule(object as Writable<T>, Path.root, null, { before: { value: old } }),
  };
}

export function all<V, O = unknown, F = unknown>(...rules: readonly Rule<V, O, F>[]): Rule<V, O, F> {
  if (rules.length === 1) return rules[0] as Rule<V, O, F>;
  const checks = rules.filter(({ checksNothing }) => checksNothing !== true);
  const [check] = checks;
  if (check !== undefined && checks.length === 1)
    return completedLike<Rule<V, O, F>>((value, path, owner, known) => check(value, path, owner, known), together(rules));
  const rule: Rule<V, O, F> = unrolledRules(checks);
  return like(rule, together(rules));
}

const skippingAbsent = <V, O, F>(rule: Rule<V, O, F>, part: Completing = {}): Rule<V, O, F> =>
  like(Object.assign(rule, { skipsAbsent: true } as const), part);

/** Members that an update leaves as they are stay accepted where `before` is given. */
export function members<T, F = unknown>(table: Members<Writable<T>, F>): Rule<Writable<T> | null | undefined, unknown, F> {
  const rules = table as Readonly<Record<string, Rule<unknown>>>;
  const rows = Object.entries(rules).flatMap(([name, rule]) =>
    rule.checksNothing === true ? [] : { name, rule, skipsAbsent: rule.skipsAbsent === true },
  );
  const sinceBefore = (value: unknown, path: Path, known: Known<F>): Found => {
    const now = membersOf(value as JsonValue | undefined);
    const was = earlierMembers(known);
    const found: Found[] = [];
    for (const { name, rule, skipsAbsent } of rows) {
      const member = now[name];
      if (skipsAbsent && !isSet(member)) continue;
      if (was !== null && sameValue(member ?? null, was[name] ?? null)) continue;
      found.push(rule(member, path.child(name), now, inMember(known, was, name)));
    }
    return inOrder(...found);
  };
  const unrolled = unrolledMembers(rows);
  const check: Rule<Writable<T> | null | undefined, unknown, F> = (value, path, _owner, known) =>
    known?.before === undefined ? unrolled(value, path, null, known) : sinceBefore(value, path, known);
  return like(check, ofMembers(rules));
}

const earlierMembers = (known: Known | undefined): JsonObject | null =>
  isSet(known?.before) && isSet(known.before.value) ? membersOf(known.before.value as JsonValue) : null;

function inMember<F>(known: Known<F> | undefined, was: JsonObject | null, name: string): Known<F> | undefined {
  if (known?.before === undefined) return known;
  return { facts: known.facts, before: was && { value: was[name] } };
}

/** Items have no earlier value, since nothing says which one. */
function inItems<F>(known: Known<F> | undefined): Known<F> | undefined {
  if (known?.before === undefined && known?.isRepeated !== true) return known;
  return known.facts === undefined ? undefined : { facts: known.facts };
}

/** A whole, such as a pod, gives its parts facts. */
export const withFacts = <V, F>(rule: Rule<V, unknown, F>, facts: F): ((value: V, path: Path) => Found) => {
  const known = { facts };
  return (value, path) => rule(value, path, null, known);
};
/** Siblings give the parts facts. */
export const withFactsOf = <V, O, F>(factsOf: (owner: O) => F, rule: Rule<V, unknown, F>): Rule<V, O> =>
  completedLike<Rule<V, O>>((value, path, owner) => rule(value, path, null, { facts: factsOf(owner) }), rule);
export const knowing =
  <V, O, F>(rule: (value: V, path: Path, facts: F, owner: O) => Found): Rule<V, O, F> =>
  (value, path, owner, known) =>
    rule(value, path, known?.facts as F, owner);

/** Go's zero values of members without a pointer count as absent. */
const isZero = (value: unknown): boolean =>
  !isSet(value) || value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0);

/** A pointer: an empty text and zero are set too. */
export const optional = <V, O = unknown, F = unknown>(...rules: readonly Rule<V, O, F>[]): Rule<V | null | undefined, O, F> => {
  const rule = all(...rules);
  return skippingAbsent((value, path, owner, known) => (isSet(value) ? rule(value, path, owner, known) : []), rule);
};

/** A member without a pointer, checked unless it has the zero value. */
export const nonZero = <V, O = unknown, F = unknown>(...rules: readonly Rule<V, O, F>[]): Rule<V | null | undefined, O, F> => {
  const rule = all(...rules);
  return skippingAbsent((value, path, owner, known) => (isZero(value) ? [] : rule(value as V, path, owner, known)), rule);
};

/** Refuses an absent value and the zero value, with `detail`. */
export const requiredAs = <V, O = unknown, F = unknown>(
  detail: string,
  ...rules: readonly Rule<V, O, F>[]
): Rule<V | null | undefined, O, F> => {
  const rule = all(...rules);
  return completedLike<Rule<V | null | undefined, O, F>>(
    (value, path, owner, known) => (isZero(value) ? [missing(path, detail)] : rule(value as V, path, owner, known)),
    rule,
  );
};

export const required = <V, O = unknown, F = unknown>(...rules: readonly Rule<V, O, F>[]): Rule<V | null | undefined, O, F> =>
  requiredAs('', ...rules);

/** Absent texts are empty, absent numbers zero. */
export const orEmpty = <O, F = unknown>(...rules: readonly Rule<string, O, F>[]): Rule<string | null | undefined, O, F> =>
  orElse<string, O, F>('', ...rules);
export const orZero = <O, F = unknown>(...rules: readonly Rule<number, O, F>[]): Rule<number | null | undefined, O, F> =>
  orElse<number, O, F>(0, ...rules);

const orElse = <V, O, F>(zero: V, ...rules: readonly Rule<V, O, F>[]): Rule<V | null | undefined, O, F> => {
  const rule = all(...rules);
  return completedLike<Rule<V | null | undefined, O, F>>((value, path, owner, known) => rule(value ?? zero, path, owner, known), rule);
};

/** Refuses an absent pointer, with `detail`. */
export const requiredPointerAs = <V, O = unknown, F = unknown>(
  detail: string,
  ...rules: readonly Rule<V, O, F>[]
): Rule<V | null | undefined, O, F> => {
  const rule = all(...rules);
  return completedLike<Rule<V | null | undefined, O, F>>(
    (value, path, owner, known) => (isSet(value) ? rule(value, path, owner, known) : [missing(path, detail)]),
    rule,
  );
};

export const requiredPointer = <V, O = unknown, F = unknown>(...rules: readonly Rule<V, O, F>[]): Rule<V | null | undefined, O, F> =>
  requiredPointerAs('', ...rules);

/** A structure without a pointer: an absent one is empty. */
export const structure = <V extends object, O = unknown, F = unknown>(
  ...rules: readonly Rule<V, O, F>[]
): Rule<V | null | undefined, O, F> => {
  const rule = all(...rules);
  return like<Rule<V | null | undefined, O, F>>((value, path, owner, known) => rule(value ?? ({} as V), path, owner, known), rule);
};

/** Further rules run only where the first finds nothing. */
export const andThen = <V, O = unknown, F = unknown>(first: Rule<V, O, F>, ...further: readonly Rule<V, O, F>[]): Rule<V, O, F> => {
  const rule = all(...further);
  const inOrder: Rule<V, O, F> = (value, path, owner, known) => {
    const found = atOnce(first(value, path, owner, known));
    return found.length > 0 ? found : rule(value, path, owner, known);
  };
  return completedLike(inOrder, together([first, rule]));
};

/** Rules that depend on the value. */
export const when = <V, O = unknown, F = unknown>(holds: (value: V) => boolean, ...rules: readonly Rule<V, O, F>[]): Rule<V, O, F> => {
  const rule = all(...rules);
  return like<Rule<V, O, F>>((value, path, owner, known) => (holds(value) ? rule(value, path, owner, known) : []), provided(holds, rule));
};

/** Rules that depend on siblings. */
export const whenOwner = <V, O, F = unknown>(holds: (owner: O) => boolean, ...rules: readonly Rule<V, O, F>[]): Rule<V, O, F> => {
  const rule = all(...rules);
  return like<Rule<V, O, F>>(
    (value, path, owner, known) => (holds(owner) ? rule(value, path, owner, known) : []),
    provided((_: unknown, owner: O) => holds(owner), rule),
  );
};

/** Rules that depend on facts of the whole. */
export const whenFacts = <V, O, F>(holds: (facts: F) => boolean, ...rules: readonly Rule<V, O, F>[]): Rule<V, O, F> => {
  const rule = all(...rules);
  return (value, path, owner, known) => (holds(known?.facts as F) ? rule(value, path, owner, known) : []);
};

/** One rule or another, depending on siblings. */
export const ifOwner = <V, O, F = unknown>(holds: (owner: O) => boolean, rule: Rule<V, O, F>, otherwise: Rule<V, O, F>): Rule<V, O, F> =>
  completedLike<Rule<V, O, F>>(
    (value, path, owner, known) => (holds(owner) ? rule : otherwise)(value, path, owner, known),
    together([whenOwner(holds, rule), whenOwner((owner: O) => !holds(owner), otherwise)]),
  );

/** A rule about a whole object; an absent one is empty. */
export const whole =
  <T>(rule: (object: Writable<T>, path: Path) => Found): Rule<Writable<T> | null | undefined> =>
  (value, path) =>
    rule(value ?? ({} as Writable<T>), path);

/** Checks the numbers, or texts, of a member. */
export const ifNumber = <O>(...rules: readonly Rule<number, O>[]): Rule<unknown, O> =>
  when<unknown, O>((value) => typeof value === 'number', all(...rules) as Rule<unknown, O>);
export const ifText = <O>(...rules: readonly Rule<string, O>[]): Rule<unknown, O> =>
  when<unknown, O>((value) => typeof value === 'string', all(...rules) as Rule<unknown, O>);

export const each = <I, O = unknown, F = unknown>(...rules: readonly Rule<I, O, F>[]): Rule<readonly I[] | null | undefined, O, F> => {
  const rule = all(...rules);
  return skippingAbsent((value, path, owner, known) => {
    const ofItem = inItems(known);
    return ofEach(itemsOf(value) as readonly I[], (item, position) => rule(item, path.index(position), owner, ofItem));
  }, ofItems(rule));
};

/** Like `each`; `once` refuses an item with the key, or value, of an earlier one. */
export const distinct = <I, O = unknown, F = unknown>(
  key: MemberOf<I> | null,
  ofItem: (once: Rule<I, O, F>) => Rule<I, O, F> = (once) => once,
): Rule<readonly I[] | null | undefined, O, F> => {
  const keyOf = (item: I): JsonValue => (key === null ? (item as JsonValue) : (membersOf(item as JsonValue)[key] ?? ''));
  const rule = ofItem((item, path, _owner, known) =>
    known?.isRepeated === true ? [duplicate(key === null ? path : path.child(key), keyOf(item))] : [],
  );
  return skippingAbsent((value, path, owner, known) => {
    const items = itemsOf(value) as readonly I[];
    const isRepeated = repeats(items.map(keyOf));
    const first = inItems(known);
    return ofEach(items, (item, position) =>
      rule(item, path.index(position), owner, isRepeated(position) ? { ...first, isRepeated: true } : first),
    );
  }, ofItems(rule));
};

/** Refuses items that have the key of an earlier one. */
export const unrepeated =
  <I>(keyOf: (item: I) => unknown, refuse: Check<I>): Rule<readonly I[] | null | undefined> =>
  (value, path) => {
    const items = itemsOf(value) as readonly I[];
    const isRepeated = repeats(items.map(keyOf));
    return ofEach(items, (item, position) => (isRepeated(position) ? refuse(item, path.index(position)) : []));
  };

export const maxItems =
  (most: number): Check<readonly unknown[] | null | undefined> =>
  (value, path) =>
    itemsOf(value).length > most ? [tooMany(path, itemsOf(value).length, most)] : [];

export const eachValue = <V, O = unknown, F = unknown>(
  ...rules: readonly Rule<V, O, F>[]
): Rule<Readonly<Record<string, V | undefined>> | null | undefined, O, F> => {
  const rule = all(...rules);
  return skippingAbsent((value, path, owner, known) => {
    const ofValue = inItems(known);
    return ofEach(Object.entries(value ?? {}), ([key, each]) => rule(each as V, path.key(key), owner, ofValue));
  });
};

/** Findings that hold while a feature is on, or off. */
export const on = <V, O = unknown, F = unknown>(feature: FieldGate, ...rules: readonly Rule<V, O, F>[]): Rule<V, O, F> =>
  changed(all(...rules), (findings) => whileOn(feature, findings));
export const off = <V, O = unknown, F = unknown>(feature: FieldGate, ...rules: readonly Rule<V, O, F>[]): Rule<V, O, F> =>
  changed(all(...rules), (findings) => whileOff(feature, findings));

export const changed = <V, O = unknown, F = unknown>(
  rule: Rule<V, O, F>,
  change: (findings: FieldError[], value: V, owner: O) => FieldError[],
): Rule<V, O, F> =>
  completedLike<Rule<V, O, F>>(
    (value, path, owner, known) => fromFound(rule(value, path, owner, known), (findings) => change(findings, value, owner)),
    rule,
  );

/** A change suppresses all other findings about the value. */
export const immutable = <V, O>(rule: Rule<V, O>): Rule<V, O> =>
  completedLike<Rule<V, O>>(
    (value, path, owner, known) => (isSet(known?.before) ? [invalid(path, null, 'field is immutable')] : rule(value, path, owner, known)),
    rule,
  );

/** An update may keep a violation as long as the same members are set. */
export const exactlyOne =
  <T>(...names: readonly (keyof T & string)[]): Rule<Writable<T> | null | undefined> =>
  (value, path, _owner, known) => {
    const quoted = (list: readonly string[]): string => list.map((name) => `\`${name}\``).join(', ');
    const thereIn = (holder: unknown): string[] => names.filter((name) => isSet(membersOf(holder as JsonValue | undefined)[name]));
    const there = thereIn(value);
    if (there.length === 1 || (isSet(known?.before) && sameValue(there, thereIn(known.before.value)))) return [];
    return there.length === 0
      ? [invalid(path, '', `must specify one of: ${quoted(names)}`)]
      : [invalid(path, `{${quoted(there)}}`, `must specify exactly one of: ${quoted(names)}`)];
  };

/** The first member that is set is checked; further ones are surplus. */
export function union<T, F = unknown>(
  table: Members<Writable<T>, F>,
  { none, surplus, names = {}, checked = [] }: UnionTexts,
): Rule<Writable<T> | null | undefined, unknown, F> {
  const rules = new Map(Object.entries(table) as [string, Rule<unknown>][]);
  const order = [...rules.keys()];
  return (value, path, _owner, known) => {
    const now = membersOf(value as JsonValue | undefined);
    const was = earlierMembers(known);
    const present = Object.keys(now).filter((name) => rules.has(name) && isSet(now[name]));
    if (present.length > 1) present.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    if (present.length === 0) return [missing(path, none)];
    return inOrder(
      ...present.map((name, position) =>
        position > 0 && !checked.includes(name)
          ? [forbidden(path.child(names.further?.[name] ?? name), surplus)]
          : (rules.get(name)?.(now[name], path.child(names.first?.[name] ?? name), now, inMember(known, was, name)) ?? []),
      ),
    );
  };
}

interface UnionTexts {
  readonly none: string;
  readonly surplus: string;
  /** Differing names in paths. */
  readonly names?: { readonly first?: Readonly<Record<string, string>>; readonly further?: Readonly<Record<string, string>> };
  /** Members checked even after another. */
  readonly checked?: readonly string[];
}

/** A list of at most so many items, with a key or without; items that an update leaves as they are stay accepted. */
export const keyedList =
  <I, O = unknown, F = unknown>(
    itemsMax: number,
    key: (keyof NonNullable<I> & string) | null,
    rule: Rule<I, O, F> = () => [],
  ): Rule<readonly I[] | null | undefined, O, F> =>
  (value, path, owner, known) => {
    const items = itemsOf(value) as readonly (I & JsonValue)[];
    if (items.length > itemsMax) return [tooMany(path, items.length, itemsMax)];
    const keyOf = (item: JsonValue): JsonValue => (key === null ? null : (membersOf(item)[key] ?? null));
    const isRepeated = key === null ? (): boolean => false : repeats(items.map(keyOf));
    const earlier = key === null || !isSet(known?.before) ? null : groupedBy(itemsOf(known.before.value as readonly JsonValue[]), keyOf);
    return inOrder(
      items.flatMap((item, position) => (isRepeated(position) ? [duplicate(path.index(position), item)] : [])),
      ofEach(items, (item, position) => {
        const was = earlier?.get(keyOf(item))?.[0];
        if (was !== undefined && sameValue(item, was)) return [];
        return rule(item, path.index(position), owner, { facts: known?.facts, before: was === undefined ? null : { value: was } });
      }),
    );
  };

/** A rule that needs nothing but the value. */
export type Check<V> = (value: V, path: Path) => FieldError[];

export const forbiddenAs = (detail: string): Rule<unknown> => optional((_, path) => [forbidden(path, detail)]);

export const invalidAs =
  (detail: string): Check<unknown> =>
  (value, path) => [invalid(path, value, detail)];

/** `values` in the order of messages. An absent text is empty. */
export const oneOf =
  (...values: readonly string[]): Check<JsonValue | undefined> =>
  (value, path) =>
    values.includes(String(value ?? '')) ? [] : [notSupported(path, value ?? '', values)];

export const minimum =
  (least: number): Check<number> =>
  (value, path) =>
    value < least ? [invalid(path, value, `must be greater than or equal to ${least}`)] : [];

export const maximum =
  (most: number): Check<number> =>
  (value, path) =>
    value > most ? [invalid(path, value, `must be less than or equal to ${most}`)] : [];

export const maxBytes =
  (most: number): Check<string> =>
  (value, path) =>
    Buffer.byteLength(value) > most ? [tooLong(path, most)] : [];

/** A text of the form of a name, label or key. */
export const format =
  (rule: NameRule): Check<string> =>
  (value, path) =>
    rule(value, false).map((problem) => invalid(path, value, problem));
