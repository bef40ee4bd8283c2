import type { ApiObject, JsonObject } from '../../../api/object.js';
import { cellOf, numberAt } from '../../kinds/cells.js';
import type { TableColumn } from '../../registry/tableColumn.js';
import { tableOfView, type TableForm } from './table.js';

const columns: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: '', priority: 0, cell: cellOf('Name') },
  {
    name: 'Desired',
    type: 'integer',
    format: '',
    priority: 0,
    description: 'How many replicas there are to be.',
    cell: numberAt('spec.replicas'),
  },
  {
    name: 'Available',
    type: 'integer',
    format: '',
    priority: 0,
    description: 'How many replicas there are.',
    cell: numberAt('status.replicas'),
  },
  { name: 'Age', type: 'string', format: '', priority: 0, cell: cellOf('Age') },
];

export const scaleTable = (scale: ApiObject, form: TableForm): JsonObject => tableOfView(scale as ApiObject & JsonObject, columns, form);
