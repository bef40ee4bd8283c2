import type { ApiObject, JsonValue } from '../../api/object.js';
import type { Column } from '../../api/catalogue/tables.js';

/** `now` is in milliseconds, for ages. */
export type Cell<T extends object = ApiObject> = { cell(object: T, now: number): JsonValue }['cell'];

export interface TableColumn extends Column {
  readonly cell: Cell;
}
