import type { Expression } from '../check/parser.js';
import type { Type } from '../check/types.js';
import { capped, exactly, plus, share, times, union, unknownSize, type Size } from './sizes.js';

/** An argument of a call, as far as it is known before anything runs. */
export interface Part {
  readonly expression: Expression;
  readonly type: Type;
  readonly size: Size | null;
  /** Sizes of the elements of a list or map. */
  readonly elements: Size | null;
}

/** The most that a call itself may cost, and how large its result may be. */
export interface CallEstimate {
  readonly cost: number;
  readonly size?: Size;
}

/** `target` is what the function is called on, or null. */
type Estimator = (target: Part | null, args: readonly Part[]) => CallEstimate | null;

const character = 0.1;
const patternCharacter = 0.25;
const sizeOf = (part: Part | null | undefined): Size => part?.size ?? unknownSize;
const fixed =
  (cost: number): Estimator =>
  () => ({ cost });
const addressBytesMax = 16;

const ofFirst =
  (factor: number): Estimator =>
  (_, [first]) => ({ cost: share(sizeOf(first).max, { factor: factor * character }) });
const ofTarget =
  (factor: number): Estimator =>
  (target) =>
    target === null ? null : { cost: share(sizeOf(target).max, { factor: factor * character }), size: sizeOf(target) };

/** A walk over a list, with what it takes to compare its texts; or over a text. */
const walk: Estimator = (target) => {
  if (target === null) return null;
  if (target.type.name !== 'list') return { cost: share(sizeOf(target).max, { factor: character }) };
  const texts = ['string', 'bytes'].includes(target.type.of[0]?.name ?? '');
  return { cost: capped(sizeOf(target).max * (1 + (texts ? share((target.elements ?? unknownSize).max, { factor: character }) : 0))) };
};

const replace: Estimator = (target, [from, to]) => {
  if (target === null) return null;
  const [text, old, made] = [sizeOf(target), sizeOf(from), sizeOf(to)];
  const most =
    old.min === 0
      ? { count: text.max + 1, kept: text.max }
      : made.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const least =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= made.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  const size: Size = { min: capped(least.count * made.min + least.kept), max: capped(most.count * made.max + most.kept) };
  return { cost: share(text.max, { factor: 2 * character }), size };
};

const split: Estimator = (target, [, limit]) => {
  if (target === null) return null;
  const most = limit?.expression.kind === 'literal' ? Number(limit.expression.text) : sizeOf(target).max;
  return { cost: share(sizeOf(target).max, { factor: 2 * character }), size: { min: 0, max: most } };
};

const join: Estimator = (target, [by]) => {
  if (target === null) return null;
  const list = sizeOf(target);
  const all = times(list, target.elements ?? unknownSize);
  const between = by === undefined ? exactly(0) : times(sizeOf(by), { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) });
  const size = plus(all, between);
  // What is read, and what is written: that is charged when it runs.
  return { cost: share(size.max, { factor: 2 * character }), size };
};

const pattern = (text: Size, { source }: { readonly source: Size }): number =>
  capped(share(text.max + 1, { factor: character }) * share(source.max, { factor: patternCharacter }));
const found: Estimator = (target, [source]) =>
  target === null ? null : { cost: pattern(sizeOf(target), { source: sizeOf(source) }), size: { min: 0, max: sizeOf(target).max } };
const matches: Estimator = (target, args) => ({
  cost: target === null ? pattern(sizeOf(args[0]), { source: sizeOf(args[1]) }) : pattern(sizeOf(target), { source: sizeOf(args[0]) }),
});
const contains: Estimator = (target, [part]) =>
  target === null
    ? null
    : { cost: capped(share(sizeOf(target).max, { factor: character }) * share(sizeOf(part).max, { factor: character })) };
const address =
  (extra: number): Estimator =>
  (_, [other]) => ({
    cost:
      share(addressBytesMax * 2, { factor: character }) +
      extra +
      (other?.type.name === 'string' ? share(sizeOf(other).max, { factor: character }) : 0),
  });
const sets =
  (factor: number): Estimator =>
  (_, [one, other]) => ({ cost: capped(times(sizeOf(one), sizeOf(other)).max * factor + 1) });

/** Values of libraries, of one size each. */
const isOpaque = (part: Part | undefined): boolean => /^(?:net|kubernetes)\./.test(part?.type.name ?? '');
const equality: Estimator = (_, [one, other]) => ({
  cost: isOpaque(one) || isOpaque(other) ? 1 : share(Math.min(sizeOf(one).max, sizeOf(other).max), { factor: character }),
});
/** Texts and bytes are compared one by one; everything else at once. */
const order: Estimator = (target, args) =>
  args.some(({ type }) => ['string', 'bytes', 'dyn', '?'].includes(type.name)) ? equality(target, args) : { cost: 1 };

const addition: Estimator = (_, [one, other]) => {
  const names = [one?.type.name ?? '', other?.type.name ?? ''];
  const size = plus(sizeOf(one), sizeOf(other));
  if (names.includes('list')) return { cost: 1, size };
  if (!names.some((name) => ['string', 'bytes', 'dyn', '?'].includes(name))) return { cost: 1 };
  return { cost: share(size.max, { factor: character }), size };
};

const isIn: Estimator = (_, [, all]) => ({ cost: all?.type.name === 'map' ? 1 : capped(sizeOf(all).max) });
const bytes: Estimator = (_, [text]) => ({
  cost: share(sizeOf(text).max, { factor: character }),
  size: { min: sizeOf(text).min, max: capped(sizeOf(text).max * 4) },
});
const textOf: Estimator = (_, [value]) =>
  value?.type.name === 'bytes'
    ? { cost: share(sizeOf(value).max, { factor: character }), size: { min: sizeOf(value).min / 4, max: sizeOf(value).max } }
    : { cost: 1 };
const quote: Estimator = (_, [text]) => ({
  cost: share(sizeOf(text).max, { factor: character }),
  size: { min: sizeOf(text).min + 2, max: capped(sizeOf(text).max * 2 + 2) },
});
const format: Estimator = (target) => (target === null ? null : { cost: share(sizeOf(target).max, { factor: character }) });
const same: Estimator = (target) => (target === null ? null : { cost: capped(sizeOf(target).max + 1), size: sizeOf(target) });
const square: Estimator = (target) => (target === null ? null : { cost: capped(sizeOf(target).max ** 2), size: sizeOf(target) });
const choice: Estimator = (_, [, yes, no]) => ({ cost: 0, size: union(sizeOf(yes), sizeOf(no)) });
const constant =
  (size: number): Estimator =>
  () => ({ cost: 1, size: exactly(size) });

const table: readonly (readonly [string, Estimator])[] = [
  ['check', fixed(350_000)],
  ['isSorted sum max min indexOf lastIndexOf', walk],
  ['url', ofFirst(1)],
  ['lowerAscii upperAscii substring trim', ofTarget(1)],
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['find findAll', found],
  ['matches', matches],
  ['contains', contains],
  ['startsWith endsWith', ofFirst(1)],
  ['containsIP', address(0)],
  ['containsCIDR', address(share(addressBytesMax, { factor: character }) + 1)],
  ['validate', ofFirst(1)],
  ['sets.contains sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
  ['_==_ _!=_', equality],
  ['_<_ _<=_ _>_ _>=_', order],
  ['_+_', addition],
  ['@in', isIn],
  ['bytes', bytes],
  ['string', textOf],
  ['strings.quote', quote],
  ['format', format],
  ['reverse slice', same],
  ['sort distinct', square],
  ['_?_:_', choice],
  ['charAt', constant(1)],
];
const estimators: ReadonlyMap<string, Estimator> = new Map(
  table.flatMap(([names, estimator]) => names.split(' ').map((name): [string, Estimator] => [name, estimator])),
);

/** What is not listed costs 1. */
export const estimateCall = (name: string, target: Part | null, args: readonly Part[]): CallEstimate =>
  estimators.get(name)?.(target, args) ?? { cost: 1 };
