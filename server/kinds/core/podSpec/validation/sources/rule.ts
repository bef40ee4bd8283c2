import type { JsonObject, JsonValue } from '../../../../../../api/object.js';
import { objectAt } from '../../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../../api/json/members.js';
import { type Path, required, type FieldError } from '../../../../../registry/validation/field.js';

/** Rules of a volume source, shared by pods and persistent volumes. */
export type SourceRule = (source: JsonObject, path: Path, volumeName: string) => FieldError[];

export const needs =
  (...members: readonly string[]): SourceRule =>
  (source, path) =>
    members.filter((member) => isEmpty(source[member])).map((member) => required(path.child(member), ''));
const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

export const all =
  (...rules: readonly SourceRule[]): SourceRule =>
  (source, path, name) =>
    rules.flatMap((rule) => rule(source, path, name));

export const namedSecret: SourceRule = (source, path) => {
  const secret = objectAt(source, 'secretRef');
  return secret !== null && textAt(secret, 'name') === '' ? [required(path.child('secretRef', 'name'), '')] : [];
};
