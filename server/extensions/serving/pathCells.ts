import { writeSortedJson } from '../../../workers/codecs/jsonWriter.js';
import { parseJsonPath } from '../../../api/jsonPath.js';
import type { JsonValue } from '../../../api/object.js';
import { age } from '../../kinds/cells.js';
import type { Cell } from '../../registry/tableColumn.js';

/** Formats a value for a column's type; null where it does not fit. Like the reference, shows the first value of a path. */
const shown: Readonly<Record<string, (value: JsonValue, now: number) => JsonValue>> = {
  string: (value) => printed(value),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null),
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value !== 'string' ? null : Number.isNaN(Date.parse(value)) ? '<invalid>' : age(value, now)),
};

const noValue = '<no value>';

export function pathCell(jsonPath: string, type: string): Cell {
  const find = parseJsonPath(jsonPath);
  const show = Object.hasOwn(shown, type) ? shown[type] : undefined;
  if (find === null || show === undefined) return () => null;
  return (object, now) => {
    const [first] = find(object);
    if (first === undefined) return null;
    return first === null ? (type === 'string' ? noValue : null) : show(first, now);
  };
}

const printed = (value: JsonValue): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? writeSortedJson(value) : String(value);
