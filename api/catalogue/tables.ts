import { apiVersionOf, type GroupVersion } from '../resource.js';
import { readCatalogueData } from './data.js';

/** Priority 0 is always printed, 1 only in wide output. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
  readonly description?: string;
}

type Row = [name: string, type: string, format: string, priority: number];

/** Columns of resource types that define none. */
const defaultColumns: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Created At', type: 'date', format: '', priority: 0 },
];

/** No printer of the reference has this column. */
export const hasNoPrinter = (columns: readonly Column[]): boolean => columns.some(({ name }) => name === defaultColumns[1]?.name);

let columns: ReadonlyMap<string, readonly Column[]> | undefined;

export const columnsOf = (resource: GroupVersion & { readonly resource: string }): readonly Column[] => {
  columns ??= new Map(
    Object.entries(readCatalogueData<Record<string, Row[]>>('tables')).map(([key, rows]) => [
      key,
      rows.map(([name, type, format, priority]) => ({ name, type, format, priority })),
    ]),
  );
  return columns.get(`${apiVersionOf(resource)} ${resource.resource}`) ?? defaultColumns;
};
