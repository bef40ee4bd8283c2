import { textAt } from '../../../api/json/members.js';
import type { TableColumn } from '../../registry/tableColumn.js';
import type { DefinedVersion } from '../definition.js';
import { pathCell } from './pathCells.js';

const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  cell: pathCell('.metadata.name', 'string'),
  description: 'The name of the object, unique among objects of its kind in its namespace.',
};
const age: TableColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  priority: 0,
  cell: pathCell('.metadata.creationTimestamp', 'date'),
  description: 'When the server created the object, in UTC.',
};

export function tableColumns({ columns }: DefinedVersion): readonly TableColumn[] {
  return [
    nameColumn,
    ...(columns.length === 0
      ? [age]
      : columns.map((column) => {
          const jsonPath = textAt(column, 'jsonPath');
          const description = textAt(column, 'description') || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
          const type = textAt(column, 'type');
          return {
            name: textAt(column, 'name'),
            type,
            format: textAt(column, 'format'),
            priority: Number(column['priority'] ?? 0),
            description,
            cell: pathCell(jsonPath, type),
          };
        })),
  ];
}
