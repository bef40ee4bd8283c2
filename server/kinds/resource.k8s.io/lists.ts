import { isSet } from '../../../api/json/members.js';
import { duplicate, tooMany, type Path } from '../../registry/validation/field.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';
import { repeats } from '../../registry/validation/repeats.js';
import { all, andThen, each, maxItems, type Rule } from '../../registry/validation/table.js';

/** This group checks no items of a list that is too long. */
export const list = <I, O = unknown>(most: number, ...rules: readonly Rule<I, O>[]): Rule<readonly I[] | null | undefined, O> =>
  andThen<readonly I[] | null | undefined, O>(maxItems(most), each(...rules));

/** A list without duplicates, which are reported last. */
export const set =
  <I, O = unknown>(
    most: number,
    key: (item: NonNullable<I>) => string,
    ...rules: readonly Rule<I, O>[]
  ): Rule<readonly I[] | null | undefined, O> =>
  (value, path, owner) => {
    const items = value ?? [];
    if (items.length > most) return [tooMany(path, items.length, most)];
    const keys = items.map((item) => (isSet(item) ? key(item) : ''));
    const isRepeated = repeats(keys);
    const repeated = keys.flatMap((text, position) => (isRepeated(position) ? [duplicate(path.index(position), text)] : []));
    return inOrder(each(...rules)(items, path, owner), repeated);
  };

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
