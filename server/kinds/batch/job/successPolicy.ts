import type { JsonObject } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { invalid, type Path, required, tooLong, tooMany, type FieldError } from '../../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../../registry/validation/internalform.js';
import { nonNegative } from '../../../registry/validation/values.js';
import { parseIndexes } from './indexes.js';

const rulesMax = 20;
const indexesBytesMax = 64 * 1024;
const form: StructureForm = [
  [
    'rules',
    'Rules',
    {
      list: [
        ['succeededIndexes', 'SucceededIndexes', 'optional'],
        ['succeededCount', 'SucceededCount', 'optional'],
      ],
    },
  ],
];

export function validateSuccessPolicy(spec: JsonObject, path: Path): FieldError[] {
  const policy = objectAt(spec, 'successPolicy');
  if (policy === null) return [];
  if (spec['completionMode'] !== 'Indexed') return [invalid(path, printedStructure(policy, form), 'requires indexed completion mode')];
  const rules = objectsIn(policy, 'rules');
  const at = path.child('rules');
  const completions = Number(spec['completions'] ?? 0);
  return [
    ...(rules.length === 0 ? [required(at, 'at least one rules must be specified when the successPolicy is specified')] : []),
    ...(rules.length > rulesMax ? [tooMany(at, rules.length, rulesMax)] : []),
    ...rules.flatMap((rule, position) => validateRule(rule, completions, at.index(position))),
  ];
}

function validateRule({ succeededIndexes, succeededCount }: JsonObject, completions: number, path: Path): FieldError[] {
  const hasIndexes = succeededIndexes !== undefined && succeededIndexes !== null;
  const hasCount = succeededCount !== undefined && succeededCount !== null;
  const text = hasIndexes ? String(succeededIndexes) : '';
  const at = path.child('succeededIndexes');
  const indexes = parseIndexes(text, completions);
  return [
    ...(hasIndexes || hasCount ? [] : [required(path, 'at least one of succeededCount or succeededIndexes must be specified')]),
    ...(Buffer.byteLength(text) > indexesBytesMax ? [tooLong(at, indexesBytesMax)] : []),
    ...(indexes.ok ? [] : [invalid(at, text, `error parsing succeededIndexes: ${indexes.message}`)]),
    ...(hasCount
      ? validateCount(
          Number(succeededCount),
          { completions, listed: hasIndexes ? (indexes.ok ? indexes.total : 0) : null },
          path.child('succeededCount'),
        )
      : []),
  ];
}

function validateCount(
  count: number,
  {
    completions,
    listed,
  }: { readonly completions: number; /** The number of listed indexes; null for all. */ readonly listed: number | null },
  path: Path,
): FieldError[] {
  return [
    ...nonNegative(count, path),
    ...(count > completions
      ? [invalid(path, count, `must be less than or equal to ${completions} (the number of specified completions)`)]
      : []),
    ...(listed !== null && count > listed
      ? [invalid(path, count, `must be less than or equal to ${listed} (the number of indexes in the specified succeededIndexes field)`)]
      : []),
  ];
}
