import type { ApiObject, JsonObject, JsonValue } from '../api/object.js';
import { selectorText as textOfSelector } from '../../api/selectors.js';
import type { LabelSelector } from '../../api/types/meta/v1.js';
import { itemsOf, memberAt, membersOf, textAt } from '../registry/members.js';
import type { Cell } from '../registry/tableColumn.js';

/** Cells by column name. Columns that mean the same everywhere need not be listed. */
export type Cells<T extends object = ApiObject> = Readonly<Record<string, Cell<T>>>;

export const none = '<none>';
export const unset = '<unset>';
const unknown = '<unknown>';

/** Columns that mean the same for every kind. */
const common: Cells = {
  Name: (object) => object.metadata.name ?? '',
  Age: (object, now) => age(object.metadata.creationTimestamp, now),
  'Created At': (object) => object.metadata.creationTimestamp ?? '',
};

/** Columns whose cells are not worked out yet. */
const missing: Cell = () => none;

/** The cell of a column, of a kind that has these of its own. */
export const cellOf = (column: string, cells: Cells = {}): Cell => cells[column] ?? common[column] ?? missing;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Units below a bound are shown in the first unit, with what is left over in the second where there is one. */
const scale: readonly {
  readonly below: number;
  readonly unit: number;
  readonly name: string;
  readonly rest?: { readonly unit: number; readonly name: string };
}[] = [
  { below: 2 * minute, unit: 1, name: 's' },
  { below: 10 * minute, unit: minute, name: 'm', rest: { unit: 1, name: 's' } },
  { below: 3 * hour, unit: minute, name: 'm' },
  { below: 8 * hour, unit: hour, name: 'h', rest: { unit: minute, name: 'm' } },
  { below: 2 * day, unit: hour, name: 'h' },
  { below: 8 * day, unit: day, name: 'd', rest: { unit: hour, name: 'h' } },
  { below: 2 * year, unit: day, name: 'd' },
  { below: 8 * year, unit: year, name: 'y', rest: { unit: day, name: 'd' } },
  { below: Infinity, unit: year, name: 'y' },
];

/** A span of time as people say it: `45s`, `5m30s`, `3h`, `2d4h`. */
export function duration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  const whole = Math.max(0, Math.floor(seconds));
  const { unit, name, rest } = scale.find(({ below }) => whole < below) ?? { unit: year, name: 'y', rest: undefined };
  const left = rest === undefined ? 0 : Math.floor((whole % unit) / rest.unit);
  return `${Math.floor(whole / unit)}${name}${rest === undefined || left === 0 ? '' : `${left}${rest.name}`}`;
}

/** Time since `from`, RFC 3339. */
export const age = (from: JsonValue | undefined, now: number): string =>
  typeof from === 'string' && from !== '' ? duration((now - Date.parse(from)) / 1000) : unknown;

/** The text at a path of members, or `<none>`. */
export const at =
  (...path: readonly string[]): Cell =>
  (object) =>
    textAt(object, ...path) || none;
/** The text at a path, or another one. */
export const atOr =
  (absent: string, ...path: readonly string[]): Cell =>
  (object) =>
    textAt(object, ...path) || absent;
/** A number at a path, 0 when absent. */
export const numberAt =
  (...path: readonly string[]): Cell =>
  (object) =>
    Number(textAt(object, ...path) || 0);
export const booleanAt =
  (...path: readonly string[]): Cell =>
  (object) =>
    memberAt(object, ...path) === true;
export const countAt =
  (...path: readonly string[]): Cell =>
  (object) =>
    itemsOf(memberAt(object, ...path)).length;
export const keysAt =
  (...paths: readonly (readonly string[])[]): Cell =>
  (object) =>
    paths.reduce((sum, path) => sum + Object.keys(membersOf(memberAt(object, ...path))).length, 0);
export const ageAt =
  (...path: readonly string[]): Cell =>
  (object, now) =>
    age(memberAt(object, ...path), now);

/** `a=b,c=d` of a map of strings. */
export const labelsText = (labels: JsonValue | undefined): string =>
  Object.entries(membersOf(labels))
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(',') || none;

/** A label selector object as clients write selectors. */
export const selectorText = (selector: JsonValue | undefined): string => textOfSelector(selector as LabelSelector | undefined) || none;

export const containersAt = (...path: readonly string[]): Readonly<{ Containers: Cell; Images: Cell }> => {
  const all = (object: ApiObject, member: string): string =>
    itemsOf(memberAt(object, ...path, 'containers'))
      .map((container) => textAt(container, member))
      .join(',');
  return { Containers: (object) => all(object, 'name'), Images: (object) => all(object, 'image') };
};

/** The condition of a type in the status, or undefined. */
export const condition = (object: ApiObject, type: string): JsonObject | undefined =>
  itemsOf(memberAt(object, 'status', 'conditions'))
    .map(membersOf)
    .find((each) => each['type'] === type);

/** Where a workload says what its pods are like. */
export const podTemplate = ['spec', 'template', 'spec'] as const;
export const selectorCell: Cell = (object) => selectorText(memberAt(object, 'spec', 'selector'));
