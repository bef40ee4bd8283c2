import type { ApiObject, JsonObject } from '../../api/object.js';
import type { Column } from '../../catalogue/tables.js';
import { numberAt, type Cells } from './cell.js';
import { tableOfView, type TableForm } from './table.js';

const COLUMNS: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Desired', type: 'integer', format: '', priority: 0, description: 'How many replicas there are to be.' },
  { name: 'Available', type: 'integer', format: '', priority: 0, description: 'How many replicas there are.' },
  { name: 'Age', type: 'string', format: '', priority: 0 },
];
const CELLS: Cells = { Desired: numberAt('spec', 'replicas'), Available: numberAt('status', 'replicas') };

/** The scale of a workload as a table. */
export const scaleTable = (scale: ApiObject, form: TableForm): JsonObject =>
  tableOfView(scale as ApiObject & JsonObject, { columns: COLUMNS, cells: CELLS }, form);
