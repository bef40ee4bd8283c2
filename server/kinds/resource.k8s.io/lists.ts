import {
  all,
  andThen,
  duplicate,
  each,
  inOrder,
  isSet,
  maxItems,
  ofEach,
  repeats,
  tooMany,
  type Found,
  type Path,
  type Rule,
} from '../language.js';
import { completedLike } from '../../registry/validation/completion.js';

/** This group checks no items of a list that is too long. */
export const list = <I, O = unknown, F = unknown>(
  most: number,
  ...rules: readonly Rule<I, O, F>[]
): Rule<readonly I[] | null | undefined, O, F> => andThen<readonly I[] | null | undefined, O, F>(maxItems(most), each(...rules));

interface Key<I> {
  readonly of: (item: I) => string;
  readonly shown: (item: I) => unknown;
}

/** A list without duplicates, which are reported last. */
export function set<I, O = unknown, F = unknown>(
  most: number,
  key: ((item: NonNullable<I>) => string) | Key<NonNullable<I>>,
  ...rules: readonly Rule<I, O, F>[]
): Rule<readonly I[] | null | undefined, O, F> {
  const items = each(...rules);
  const { of, shown } = typeof key === 'function' ? { of: key, shown: key } : key;
  const check: Rule<readonly I[] | null | undefined, O, F> = (value, path, owner, known) => {
    const given = value ?? [];
    if (given.length > most) return [tooMany(path, given.length, most)];
    const isRepeated = repeats(given.map((item) => (isSet(item) ? of(item) : '')));
    const repeated = given.flatMap((item, position) =>
      isRepeated(position) ? [duplicate(path.index(position), isSet(item) ? shown(item) : '')] : [],
    );
    return inOrder(items(given, path, owner, known), repeated);
  };
  return completedLike(check, items);
}

interface Named {
  readonly name?: string;
}
export const byName = ({ name = '' }: Named): string => name;

const ellipsis = '...';

interface KeyRules {
  readonly keyMax: number;
  readonly key: (key: string, path: Path) => Found;
}

/** Keys are reported at the map, values at their key, which messages shorten in the middle. */
export const map =
  <V, O = unknown>(
    { keyMax, key: checkKey }: KeyRules,
    ...rules: readonly Rule<V, O>[]
  ): Rule<Readonly<Record<string, V>> | undefined, O> =>
  (value, path, owner) =>
    ofEach(Object.entries(value ?? {}), ([key, held]) =>
      inOrder(checkKey(key, path), all(...rules)(held, path.key(shortened(key, keyMax)), owner)),
    );

function shortened(key: string, max: number): string {
  if (key.length <= max) return key;
  const rest = max - ellipsis.length;
  return `${key.slice(0, Math.ceil(rest / 2))}${ellipsis}${key.slice(key.length - Math.floor(rest / 2))}`;
}
