import type { JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { simplePath } from './columns.js';

interface Rule {
  readonly member: string;
  readonly under: readonly string[];
  readonly demand: string;
  readonly optional?: boolean;
}

const rules: readonly Rule[] = [
  { member: 'specReplicasPath', under: ['.spec.'], demand: 'should be a json path under .spec' },
  { member: 'statusReplicasPath', under: ['.status.'], demand: 'should be a json path under .status' },
  {
    member: 'labelSelectorPath',
    under: ['.spec.', '.status.'],
    demand: 'should be a json path under either .spec or .status',
    optional: true,
  },
];

export function validateSubresources(subresources: JsonObject | null, path: Path): FieldError[] {
  const scale = objectAt(subresources ?? {}, 'scale');
  return scale === null ? [] : rules.flatMap((rule) => validatePath(textAt(scale, rule.member), rule, path.child(`scale.${rule.member}`)));
}

function validatePath(text: string, { under, demand, optional = false }: Rule, path: Path): FieldError[] {
  if (text === '') return optional ? [] : [required(path, '')];
  const findings = simplePath(text, path);
  return findings.length > 0 || under.some((prefix) => text.startsWith(prefix)) ? findings : [invalid(path, text, demand)];
}
