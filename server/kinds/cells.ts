import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { selectorText as textOfSelector } from '../../api/selectors.js';
import type { LabelSelector } from '../../api/types/meta/v1.js';
import type { PathIn, PathsIn } from '../registry/memberPath.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../api/json/members.js';
import type { Cell } from '../registry/tableColumn.js';

/** Cells by column name. Common columns need not be listed. */
export type Cells<T extends object = ApiObject> = Readonly<Record<string, Cell<T>>>;

export const none = '<none>';
export const unset = '<unset>';
const unknown = '<unknown>';

/** Columns with the same meaning for every kind. */
const common: Cells = {
  Name: (object) => object.metadata.name ?? '',
  Age: (object, now) => age(object.metadata.creationTimestamp, now),
  'Created At': (object) => object.metadata.creationTimestamp ?? '',
};

/** Throws for a column without a cell. */
export function cellOf(column: string, cells: Cells = {}): Cell {
  const cell = cells[column] ?? common[column];
  if (cell === undefined) throw new Error(`no cell is declared for column ${JSON.stringify(column)}`);
  return cell;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** The second unit, if any, shows the remainder. */
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

/** `45s`, `5m30s`, `3h`, `2d4h`. */
export function duration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  const whole = Math.max(0, Math.floor(seconds));
  const { unit, name, rest } = scale.find(({ below }) => whole < below) ?? { unit: year, name: 'y', rest: undefined };
  const left = rest === undefined ? 0 : Math.floor((whole % unit) / rest.unit);
  return `${Math.floor(whole / unit)}${name}${rest === undefined || left === 0 ? '' : `${left}${rest.name}`}`;
}

export const age = (from: JsonValue | undefined, now: number): string =>
  typeof from === 'string' && from !== '' ? duration((now - Date.parse(from)) / 1000) : unknown;

function valuesAt(value: object, path: string): readonly (JsonValue | undefined)[] {
  let values: readonly (JsonValue | undefined)[] = [value as JsonObject];
  for (const step of path.split('.')) {
    const isList = step.endsWith('[]');
    const name = isList ? step.slice(0, -2) : step;
    values = values.flatMap((each): readonly (JsonValue | undefined)[] =>
      isList ? itemsOf(membersOf(each)[name]) : [membersOf(each)[name]],
    );
  }
  return values;
}

function shown(path: string, show: (value: JsonValue | undefined, now: number) => JsonValue): (object: object, now: number) => JsonValue {
  const steps = path.split('.');
  return (object, now) => show(memberAt(object as JsonObject, ...steps), now);
}

/* Helpers for cells, whose paths are checked against the kind's type. */

export const at = <T extends object, const P extends string>(path: PathIn<T, P>, absent = none): Cell<T> =>
  shown(path, (value) => textAt(value) || absent);
export const valueAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> => shown(path, (value) => value ?? none);
/** Absent numbers are 0. */
export const numberAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> =>
  shown(path, (value) => Number(textAt(value) || 0));
export const booleanAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> => shown(path, (value) => value === true);
export const countAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> =>
  shown(path, (value) => itemsOf(value).length);
export function keysAt<T extends object, const P extends readonly string[]>(...paths: PathsIn<T, P>): Cell<T> {
  const counts = paths.map((path) => shown(path as string, (value) => Object.keys(membersOf(value)).length));
  return (object, now) => counts.reduce((sum, count) => sum + Number(count(object, now)), 0);
}
export const ageAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> =>
  shown(path, (value, now) => (value === undefined ? none : age(value, now)));
export function joinedAt<T extends object, const P extends string>(path: PathIn<T, P>, absent = ''): Cell<T> {
  return (object) =>
    valuesAt(object, path)
      .map((value) => textAt(value))
      .join(',') || absent;
}
interface Balanced {
  readonly ip?: string | null;
  readonly hostname?: string | null;
}

/** Addresses of a load balancer: distinct and sorted (`loadBalancerStatusStringer` in printers/internalversion/printers.go). */
export function balancerAddresses(entries: readonly Balanced[] | null | undefined): string[] {
  const texts = itemsOf(entries).map(({ ip, hostname }) => ip || (hostname ?? ''));
  return [...new Set(texts)].filter((text) => text !== '').sort();
}

export const labelsAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> => shown(path, labelsText);
export const selectorAt = <T extends object, const P extends string>(path: PathIn<T, P>): Cell<T> => shown(path, selectorText);

const labelsText = (labels: JsonValue | undefined): string =>
  Object.entries(membersOf(labels))
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(',') || none;

const selectorText = (selector: JsonValue | undefined): string => textOfSelector(selector as LabelSelector | undefined) || none;

export const condition = (object: ApiObject, type: string): JsonObject | undefined =>
  itemsOf(memberAt(object, 'status', 'conditions'))
    .map(membersOf)
    .find((each) => each.type === type);
