import type { JsonObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import { required, type FieldError, type Path } from '../../registry/validation/field.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { dnsSubdomain, named } from '../../registry/validation/values.js';

/** A required member that fits in a path. */
export function segment(holder: JsonObject, member: string, path: Path): FieldError[] {
  const value = textAt(holder, member);
  return value === '' ? [required(path.child(member), '')] : named(value, pathSegmentName, path.child(member));
}

export function validateTypedReference(reference: JsonObject, path: Path): FieldError[] {
  const group = reference['apiGroup'];
  return [
    ...(group === undefined || group === null ? [] : dnsSubdomain(String(group), path.child('apiGroup'))),
    ...segment(reference, 'kind', path),
    ...segment(reference, 'name', path),
  ];
}
