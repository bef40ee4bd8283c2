import type { JsonValue } from '../../../api/object.js';
import { membersOf } from '../../../api/json/members.js';
import { invalid, required, tooLong, type FieldError, type Path } from '../../registry/validation/field.js';
import { qualifiedNameProblems } from '../../registry/validation/names.js';

const parametersBytesMax = 256 * 1024;
const parametersMax = 512;

/** Parameters for a driver, which some classes require. */
export function validateParameters(parameters: JsonValue | undefined, mayBeEmpty: boolean, path: Path): FieldError[] {
  const entries = Object.entries(membersOf(parameters));
  if (entries.length > parametersMax) return [tooLong(path, parametersMax)];
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0);
  return [
    ...entries.filter(([key]) => key === '').map(() => invalid(path, '', 'field can not be empty.')),
    ...(size > parametersBytesMax ? [tooLong(path, parametersBytesMax)] : []),
    ...(entries.length === 0 && !mayBeEmpty ? [required(path, 'must contain at least one key/value pair')] : []),
  ];
}

/** A provisioner or driver, with or without a domain; capitals are tolerated. */
export const validateProvisioner = (name: string, path: Path): FieldError[] =>
  name === '' ? [required(path, '')] : qualifiedNameProblems(name.toLowerCase()).map((text) => invalid(path, name.toLowerCase(), text));
