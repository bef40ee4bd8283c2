import type { Column } from '../../catalogue/tables.js';
import { textAt } from '../../registry/members.js';
import type { DefinedVersion } from '../definition.js';

const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  jsonPath: '.metadata.name',
  description: 'The name of the object, unique among objects of its kind in its namespace.',
};
const AGE: Column = {
  name: 'Age',
  type: 'date',
  format: '',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
  description: 'When the server created the object, in UTC.',
};

/** Columns of the Table form: the name, and what the definition asks for, or else the age. */
export function tableColumns({ columns }: DefinedVersion): readonly Column[] {
  return [
    NAME,
    ...(columns.length === 0
      ? [AGE]
      : columns.map((column) => {
          const jsonPath = textAt(column, 'jsonPath');
          const description = textAt(column, 'description') || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
          return {
            name: textAt(column, 'name'),
            type: textAt(column, 'type'),
            format: textAt(column, 'format'),
            priority: Number(column['priority'] ?? 0),
            jsonPath,
            description,
          };
        })),
  ];
}
