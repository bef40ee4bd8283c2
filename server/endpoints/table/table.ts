import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { apiVersionOf, qualifiedName } from '../../api/resource.js';
import type { Column } from '../../catalogue/tables.js';
import type { ServedResource } from '../../catalogue/resources.js';
import { behaviourOf } from '../../registry/behaviour.js';
import { servedObject } from '../../registry/conversion.js';
import { orderedMetadata } from '../../registry/metadata.js';
import type { StoredObject } from '../../storage/contract.js';
import type { ListMeta, TypeMeta } from '../encoders/encoder.js';
import type { Form } from '../negotiation.js';
import { appsCells } from './apps.js';
import { age, NONE, type Cell, type Cells } from './cell.js';
import { coreCells } from './core.js';
import { otherCells } from './others.js';
import { pathCell } from './pathCells.js';

export type TableForm = Extract<Form, { form: 'table' }>;

const CELLS: Readonly<Record<string, Cells>> = { ...coreCells, ...appsCells, ...otherCells };

/** Columns that mean the same for every kind. */
const COMMON: Cells = {
  Name: (object) => object.metadata.name ?? '',
  Age: (object, now) => age(object.metadata.creationTimestamp, now),
  'Created At': (object) => object.metadata.creationTimestamp ?? '',
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Name: 'The name of the object, unique among objects of its kind in its namespace.',
  'Created At': 'When the server created the object, in UTC.',
  Age: 'Time since the object was created.',
};

const definition = ({ name, type, format, priority, description }: Column): JsonObject => ({
  name,
  type,
  format,
  description: description ?? DESCRIPTIONS[name] ?? `${name} of the object.`,
  priority,
});

/**
 * The Table form of some objects. Later events of a watch leave the column definitions out (`headers` false): they cannot change.
 * Cells are worked out anew each time because most tables show ages; `now` is in milliseconds.
 */
export function tableOf(
  resource: ServedResource,
  items: readonly StoredObject[],
  meta: ListMeta,
  form: TableForm,
  headers = true,
  now = Date.now(),
): JsonObject {
  const { head, rows } = tableOfMany(resource, items, meta, form, headers, now);
  return { ...head, rows: [...rows] };
}

/** The same for a list that may be long: rows are made as they are asked for. */
export function tableOfMany(
  resource: ServedResource,
  items: readonly StoredObject[],
  meta: ListMeta,
  form: TableForm,
  headers = true,
  now = Date.now(),
): { readonly head: JsonObject; readonly rows: Iterable<JsonObject> } {
  const makers = makersOf(resource);
  const head = {
    kind: 'Table',
    apiVersion: form.apiVersion,
    metadata: { ...meta },
    columnDefinitions: headers ? behaviourOf(resource).columns.map(definition) : null,
  };
  return { head, rows: rowsOf(items, (stored) => row(typeOf(resource), servedObject(resource, stored), makers, form, now)) };
}

/** A bookmark as a table: the row of an object that has nothing but this metadata, where clients find its annotation. */
export function bookmarkTable(
  resource: ServedResource,
  metadata: ApiObject['metadata'] & ListMeta,
  form: TableForm,
  headers: boolean,
  now = Date.now(),
): JsonObject {
  const { resourceVersion } = metadata;
  const { head } = tableOfMany(resource, [], { resourceVersion }, form, headers, now);
  return { ...head, rows: [row(typeOf(resource), { metadata }, makersOf(resource), form, now)] };
}

/** The table of an object that is no stored one, such as a scale, with columns and cells of its own. */
export function tableOfView(
  object: ApiObject & JsonObject,
  { columns, cells }: { readonly columns: readonly Column[]; readonly cells: Cells },
  form: TableForm,
  now = Date.now(),
): JsonObject {
  const { kind = '', apiVersion = '', ...content } = object;
  const makers = columns.map(({ name }) => cells[name] ?? COMMON[name] ?? missing);
  const { resourceVersion = '' } = object.metadata;
  return {
    kind: 'Table',
    apiVersion: form.apiVersion,
    metadata: { resourceVersion },
    columnDefinitions: columns.map(definition),
    rows: [row({ kind, apiVersion }, content, makers, form, now)],
  };
}

function makersOf(resource: ServedResource): Cell[] {
  const cells = CELLS[qualifiedName(resource)] ?? {};
  return behaviourOf(resource).columns.map((column) =>
    column.jsonPath === undefined ? (cells[column.name] ?? COMMON[column.name] ?? missing) : pathCell(column.jsonPath, column.type),
  );
}

function* rowsOf(items: readonly StoredObject[], make: (stored: StoredObject) => JsonObject): Generator<JsonObject> {
  for (const stored of items) yield make(stored);
}

const typeOf = (resource: ServedResource): TypeMeta => ({ kind: resource.kind, apiVersion: apiVersionOf(resource) });

/** Columns whose cells are not worked out yet. */
const missing: Cell = () => NONE;

function row(type: TypeMeta, object: ApiObject, makers: readonly Cell[], form: TableForm, now: number): JsonObject {
  const cells: JsonValue[] = makers.map((make) => make(object, now));
  if (form.include === 'None') return { cells, object: null };
  const { metadata, ...content } = object;
  if (form.include === 'Metadata')
    return { cells, object: { kind: 'PartialObjectMetadata', apiVersion: form.apiVersion, metadata: orderedMetadata(metadata) } };
  return { cells, object: { ...type, metadata, ...content } };
}
