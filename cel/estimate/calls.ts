import type { Expression } from '../check/parser.js';
import type { Type } from '../check/types.js';
import { literalValue } from '../eval/literals.js';
import type { Place } from './paths.js';
import { capped, exactly, most, plus, share, times, unknownSize, type Size } from './sizes.js';

export interface Part {
  readonly expression: Expression;
  readonly type: Type;
  readonly place: Place;
  /** Known from the expression, or its place at the visit; null if unknown. */
  readonly size: Size | null;
}

/** Maximum cost of the call itself, and its result's size, if known. */
export interface CallEstimate {
  readonly cost: number;
  readonly size?: Size;
}

export interface KnownSizes {
  of(part: Part): Size;
  /** Returns the size of a list's elements by its place; list literals do not count. */
  ofElements(list: Part): Size;
}

/** `target` is the receiver, or null. Returns null for calls with the language's default cost. */
type Estimator = (target: Part | null, args: readonly Part[], sizes: KnownSizes) => CallEstimate | null;

const character = 0.1;
const patternCharacter = 0.25;
const listCost = 10;
const messageCost = 40;
/** The minimum characters of a selector requirement. */
const requirementShare = 0.5;
const addressBytesMax = 16;
/** `MaxNameFormatRegexSize` of the reference. */
const formatPatternMax = 128;
/** `MaxFormatSize` of the reference. */
const formatMax = 64;

const isText = ({ name }: Type): boolean => name === 'string' || name === 'bytes';
/** Such values may have any type at run time. */
const isAny = ({ name }: Type): boolean => name === 'dyn' || name === '!';
const fixed =
  (cost: number): Estimator =>
  () => ({ cost });

const ofFirst =
  (factor: number): Estimator =>
  (_, [first], sizes) =>
    first === undefined ? null : { cost: share(sizes.of(first).max, factor * character) };
/** Traverses the argument and keeps its size. */
const keepingSize: Estimator = (_, [first], sizes) =>
  first === undefined ? null : { cost: share(sizes.of(first).max, character), size: sizes.of(first) };
const ofTarget: Estimator = (target, _, sizes) =>
  target === null ? null : { cost: share(sizes.of(target).max, character), size: sizes.of(target) };

/** Traverses a list and compares its texts, or traverses a text. */
const walk: Estimator = (target, _, sizes) => {
  if (target === null) return null;
  const [element] = target.type.of;
  if (element === undefined) return { cost: share(sizes.of(target).max, character) };
  const each = 1 + (isText(element) ? share(sizes.ofElements(target).max, character) : 0);
  return { cost: capped(sizes.of(target).max * each) };
};

const replace: Estimator = (target, [from, to], sizes) => {
  if (target === null || from === undefined || to === undefined) return null;
  const [text, old, made] = [sizes.of(target), sizes.of(from), sizes.of(to)];
  const longest =
    old.min === 0
      ? { count: capped(text.max + 1), kept: text.max }
      : made.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const shortest =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= made.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  const count: Size = { min: shortest.count, max: longest.count };
  return {
    cost: share(text.max, 2 * character),
    size: plus(times(count, made), { min: shortest.kept, max: longest.kept }),
  };
};

const split: Estimator = (target, [, limit], sizes) => {
  if (target === null) return null;
  const text = sizes.of(target);
  const stated = limit === undefined ? null : statedInt(limit.expression);
  return {
    cost: share(text.max, 2 * character),
    size: { min: 0, max: stated === null ? text.max : stated < 0 ? most : stated },
  };
};

const join: Estimator = (target, [by], sizes) => {
  if (target === null) return null;
  const list = sizes.of(target);
  const all = target.type.of.length === 0 ? exactly(0) : times(list, sizes.ofElements(target));
  const between = by === undefined ? exactly(0) : times(sizes.of(by), { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) });
  const size = plus(all, between);
  return { cost: share(size.max, character), size };
};

const pattern = (text: Size, source: Size): number => capped(share(capped(text.max + 1), character) * share(source.max, patternCharacter));
const find: Estimator = (target, [source], sizes) =>
  target === null || source === undefined
    ? null
    : { cost: pattern(sizes.of(target), sizes.of(source)), size: { min: 0, max: sizes.of(target).max } };

/** A text argument is parsed as well. */
const within =
  (extra: number): Estimator =>
  (_, [other], sizes) => {
    if (other === undefined) return null;
    const read = other.type.name === 'string' || isAny(other.type) ? share(sizes.of(other).max, character) : 0;
    return { cost: capped(share(addressBytesMax * 2, character) + extra + read) };
  };

const selector: Estimator = (_, args, sizes) => {
  const [text] = args;
  if (text === undefined || args.length !== 1) return null;
  const { max } = sizes.of(text);
  const requirements = share(share(max, requirementShare), listCost + messageCost);
  return { cost: capped(listCost + share(max, character) + requirements) };
};

const validate: Estimator = (_, [text], sizes) =>
  text === undefined ? null : { cost: share(share(sizes.of(text).max, character), formatPatternMax * patternCharacter) };

const sameOfLibrary: Estimator = (_, [one, other]) => {
  const name = one?.type.name ?? '';
  if (one === undefined || other === undefined || name !== other.type.name || !/^(?:net|kubernetes)\./.test(name)) return null;
  if (name === 'kubernetes.NamedFormat') return { cost: share(formatMax, character) };
  if (name === 'kubernetes.URL') return { cost: share(other.size?.max ?? 1, character) };
  return /^(?:net\.(?:IP|CIDR)|kubernetes\.(?:Quantity|Semver|authorization\.\w+))$/.test(name) ? { cost: 1 } : null;
};

/** Cost of a new list of known size, charged `factor` times in addition to the call and the list. */
const madeList = (factor: number, size: Size): CallEstimate => ({ cost: capped(share(size.max, factor) + 1 + listCost), size });

/** An integer literal. */
const statedInt = (expression: Expression): number | null =>
  expression.kind === 'literal' && expression.type === 'int' ? Number(literalValue(expression)) : null;
const statedCount = (part: Part, otherwise: number): number => {
  const stated = statedInt(part.expression);
  return stated === null ? otherwise : Math.max(0, stated);
};

const slice: Estimator = (target, [from, to], sizes) => {
  if (target === null || from === undefined || to === undefined) return null;
  const length = statedCount(to, sizes.of(target).max) - statedCount(from, 0);
  // The reference uses unsigned numbers: the largest lies below zero.
  return madeList(1, exactly(length < 0 ? most : length));
};
const range: Estimator = (_, [count]) => (count === undefined ? null : madeList(1, exactly(statedCount(count, most))));
const reverse: Estimator = (target, _, sizes) => (target?.type.name === 'list' ? madeList(1, sizes.of(target)) : null);
const flatten: Estimator = (target, [depth], sizes) =>
  target === null ? null : madeList(depth === undefined ? 1 : statedCount(depth, most), sizes.of(target));
const compared = (size: Size, ofTexts: boolean): CallEstimate => madeList(2 + (ofTexts ? character : 0), times(size, size));
const distinct: Estimator = (target, _, sizes) => (target === null ? null : compared(sizes.of(target), false));
const sorted = (list: Part, sizes: KnownSizes): CallEstimate => {
  const [element] = list.type.of;
  return compared(sizes.of(list), element === undefined || isText(element) || isAny(element));
};
const sort: Estimator = (target, _, sizes) => (target === null ? null : sorted(target, sizes));
const sortByKeys: Estimator = (_, [keys], sizes) => (keys === undefined ? null : sorted(keys, sizes));
const sets =
  (factor: number): Estimator =>
  (_, [one, other], sizes) =>
    one === undefined || other === undefined ? null : { cost: capped(share(times(sizes.of(one), sizes.of(other)).max, factor) + 1) };

/** `EstimateCallCost` of the reference's libraries, and the estimates of `ext/lists.go` and `ext/sets.go` of cel-go. */
const table: readonly (readonly [string, Estimator])[] = [
  ['check', fixed(350_000)],
  ['fieldSelector labelSelector', selector],
  ['isSorted sum max min indexOf lastIndexOf', walk],
  ['url jsonpatch.escapeKey', keepingSize],
  ['lowerAscii upperAscii substring trim', ofTarget],
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['find findAll', find],
  ['cidr isIP isCIDR ip quantity isQuantity semver isSemver', ofFirst(1)],
  ['ip.isCanonical', ofFirst(2)],
  ['containsIP', within(0)],
  ['containsCIDR', within(share(addressBytesMax, character) + 1)],
  ['validate', validate],
  ['_==_', sameOfLibrary],
  ['slice', slice],
  ['lists.range', range],
  ['reverse', reverse],
  ['flatten', flatten],
  ['distinct', distinct],
  ['sort', sort],
  ['@sortByAssociatedKeys', sortByKeys],
  ['sets.contains sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
];
const estimators: ReadonlyMap<string, Estimator> = new Map(
  table.flatMap(([names, estimator]) => names.split(' ').map((name): [string, Estimator] => [name, estimator])),
);

/** Null where no library has an estimate. */
export const estimateByLibrary: (name: string, ...call: Parameters<Estimator>) => CallEstimate | null = (name, ...call) =>
  estimators.get(name)?.(...call) ?? null;

/** Ignores the places of parts. */
const sizeOf = (part: Part | undefined): Size => part?.size ?? unknownSize;
type OfLanguage = (target: Part | null, args: readonly Part[]) => CallEstimate;

const mayBe = (part: Part | undefined, test: (type: Type) => boolean): boolean =>
  part !== undefined && (isAny(part.type) || test(part.type));
const one: CallEstimate = { cost: 1 };

const bytes: OfLanguage = (_, [text]) =>
  mayBe(text, ({ name }) => name === 'string')
    ? { cost: share(sizeOf(text).max, character), size: { min: sizeOf(text).min, max: capped(sizeOf(text).max * 4) } }
    : one;
const string: OfLanguage = (_, [value]) =>
  mayBe(value, ({ name }) => name === 'bytes')
    ? {
        cost: Math.max(value !== undefined && isAny(value.type) ? 1 : 0, share(sizeOf(value).max, character)),
        size: { min: Math.floor(sizeOf(value).min / 4), max: sizeOf(value).max },
      }
    : one;
const quote: OfLanguage = (_, [text]) => {
  const { min, max } = sizeOf(text);
  // The reference's 64-bit number overflows to zero for a text without a limit.
  return { cost: share(max, character), size: { min: min + 2, max: max >= most / 2 ? 0 : max * 2 + 2 } };
};
const isIn: OfLanguage = (_, [, all]) =>
  mayBe(all, ({ name }) => name === 'list') ? { cost: Math.max(all?.type.name === 'list' ? 0 : 1, sizeOf(all).max) } : one;
/** The global function of two texts has the default cost. */
const matches: OfLanguage = (target, [source]) => (target === null ? one : { cost: pattern(sizeOf(target), sizeOf(source)) });
const contains: OfLanguage = (target, [part]) => ({
  cost: capped(share(sizeOf(target ?? undefined).max, character) * share(sizeOf(part).max, character)),
});
const addition: OfLanguage = (_, [left, right]) => {
  const size = plus(sizeOf(left), sizeOf(right));
  const certain = [left, right].find((part) => part !== undefined && !isAny(part.type));
  const type = certain?.type ?? null;
  if (type?.name === 'list') return { cost: 1, size };
  if (type !== null && !isText(type)) return one;
  return { cost: Math.max(type === null ? 1 : 0, share(size.max, character)), size };
};
const equality: OfLanguage = (_, [left, right]) => ({ cost: share(Math.min(sizeOf(left).max, sizeOf(right).max), character) });
/** Texts and bytes are compared by element, everything else at once. */
const order: OfLanguage = (target, args) => {
  const certain = args.find(({ type }) => !isAny(type));
  if (certain === undefined) return { cost: Math.max(1, equality(target, args).cost) };
  return isText(certain.type) ? equality(target, args) : one;
};

/** `functionCost` of cel-go's `checker/cost.go`. Arguments with several possible types cost the maximum of their overloads. */
const language: Readonly<Record<string, OfLanguage>> = {
  format: (target) => ({ cost: share(sizeOf(target ?? undefined).max, character) }),
  bytes,
  string,
  'strings.quote': quote,
  startsWith: (_, [part]) => ({ cost: share(sizeOf(part).max, character) }),
  endsWith: (_, [part]) => ({ cost: share(sizeOf(part).max, character) }),
  '@in': isIn,
  matches,
  contains,
  '_+_': addition,
  '_==_': equality,
  '_!=_': equality,
  '_<_': order,
  '_<=_': order,
  '_>_': order,
  '_>=_': order,
};

/** Returns the cost of a call without a library estimate; 1 if the language has none. */
export const estimateByLanguage: (name: string, ...call: Parameters<OfLanguage>) => CallEstimate = (name, ...call) =>
  Object.hasOwn(language, name) ? (language[name]?.(...call) ?? one) : one;
