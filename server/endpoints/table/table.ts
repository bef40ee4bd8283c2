import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { hasNoPrinter, type Column } from '../../../api/catalogue/tables.js';
import { servedObject } from '../../registry/conversion.js';
import { metadataAlone, orderedMetadata } from '../../registry/metadata.js';
import type { ServedResource } from '../../registry/resources.js';
import type { TableColumn } from '../../registry/tableColumn.js';
import type { StoredObject } from '../../storage/contract.js';
import type { ListMeta, TypeMeta } from '../encoders/encoder.js';
import type { Form } from '../negotiation.js';

export type TableForm = Extract<Form, { form: 'table' }>;

const descriptions: Readonly<Record<string, string>> = {
  Name: 'The name of the object, unique among objects of its kind in its namespace.',
  'Created At': 'When the server created the object, in UTC.',
  Age: 'Time since the object was created.',
};

const definition = ({ name, type, format, priority, description }: Column): JsonObject => ({
  name,
  type,
  format,
  description: description ?? descriptions[name] ?? `${name} of the object.`,
  priority,
});

interface Drawing {
  readonly form: TableForm;
  /** Later events of a watch omit the column definitions. Default true. */
  readonly headers?: boolean;
  /** Milliseconds, for ages; default: now. */
  readonly now?: number;
}

export function tableOf(resource: ServedResource, items: readonly StoredObject[], meta: ListMeta, drawing: Drawing): JsonObject {
  const { head, rows } = tableOfMany(resource, items, meta, drawing);
  return { ...head, rows: [...(rows ?? [])] };
}

/** The same for a possibly long list, with lazily generated rows. Rows are null for an empty list in columns of no printer (rest/table.go). */
export function tableOfMany(
  resource: ServedResource,
  items: readonly StoredObject[],
  meta: ListMeta,
  { form, headers = true, now = Date.now() }: Drawing,
): { readonly head: JsonObject; readonly rows: Iterable<JsonObject> | null } {
  const { columns } = resource.behaviour;
  const head = {
    kind: 'Table',
    apiVersion: form.apiVersion,
    metadata: { ...meta },
    columnDefinitions: headers ? columns.map(definition) : null,
  };
  const type = typeOf(resource);
  const conditionsOf = resource.behaviour.rowConditions;
  const drawnRow = (stored: StoredObject): JsonObject =>
    row(type, servedObject(resource, stored), columns, { form, now, conditionsOf, annotations: annotationsOf(resource, stored, form) });
  const isNull = items.length === 0 && !resource.behaviour.selfDescribed && hasNoPrinter(columns);
  return { head, rows: isNull ? null : rowsOf(items, drawnRow) };
}

/** Rows show a built-in kind's metadata before conversion, which adds annotations (rest/table.go). */
const annotationsOf = (resource: ServedResource, stored: StoredObject, { include }: TableForm): Annotations | undefined =>
  include === 'Metadata' &&
  (resource.behaviour.conversion !== null || resource.behaviour.contentAnnotations.length > 0) &&
  !resource.behaviour.selfDescribed
    ? (metadataAlone(resource, stored.decode().metadata).annotations ?? {})
    : undefined;
type Annotations = NonNullable<ApiObject['metadata']['annotations']>;

interface Drawn extends Required<Omit<Drawing, 'headers'>> {
  readonly annotations?: Annotations | undefined;
  readonly conditionsOf?: ServedResource['behaviour']['rowConditions'];
}

/** Clients read a bookmark's annotation from a row with only its metadata. */
export function bookmarkTable(
  resource: ServedResource,
  metadata: ApiObject['metadata'] & ListMeta,
  { form, headers = true, now = Date.now() }: Drawing,
): JsonObject {
  const { resourceVersion } = metadata;
  const { head } = tableOfMany(resource, [], { resourceVersion }, { form, headers, now });
  return { ...head, rows: [row(typeOf(resource), { metadata }, resource.behaviour.columns, { form, now })] };
}

export function tableOfView(
  object: ApiObject & JsonObject,
  columns: readonly TableColumn[],
  form: TableForm,
  now = Date.now(),
): JsonObject {
  const { kind = '', apiVersion = '', ...content } = object;
  const { resourceVersion = '' } = object.metadata;
  return {
    kind: 'Table',
    apiVersion: form.apiVersion,
    metadata: { resourceVersion },
    columnDefinitions: columns.map(definition),
    rows: [row({ kind, apiVersion }, content, columns, { form, now })],
  };
}

function* rowsOf(items: readonly StoredObject[], make: (stored: StoredObject) => JsonObject): Generator<JsonObject> {
  for (const stored of items) yield make(stored);
}

const typeOf = (resource: ServedResource): TypeMeta => ({ kind: resource.kind, apiVersion: apiVersionOf(resource) });

function row(
  type: TypeMeta,
  object: ApiObject,
  columns: readonly TableColumn[],
  { form, now, annotations, conditionsOf }: Drawn,
): JsonObject {
  // Columns of custom resource definitions may also show the type.
  const whole: ApiObject = { ...type, ...object };
  const cells: JsonValue[] = columns.map(({ cell }) => cell(whole, now));
  const conditions = conditionsOf?.(whole) ?? [];
  const start = { cells, ...(conditions.length > 0 ? { conditions: [...conditions] } : {}) };
  if (form.include === 'None') return { ...start, object: null };
  const { metadata, ...content } = object;
  if (form.include === 'Metadata') {
    const own = orderedMetadata(annotations === undefined ? metadata : { ...metadata, annotations });
    return { ...start, object: { kind: 'PartialObjectMetadata', apiVersion: form.apiVersion, metadata: own } };
  }
  return { ...start, object: { ...type, metadata, ...content } };
}
