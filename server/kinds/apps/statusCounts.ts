import type { JsonObject } from '../../../api/object.js';
import { isSet, memberAt } from '../../../api/json/members.js';
import type { PathIn } from '../../registry/memberPath.js';
import type { ChangeFindings } from '../../registry/rules.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { nonNegative } from '../../registry/validation/values.js';

/** Rules of pod counts, shared by workloads. */

/** Members that must not be negative, in reporting order. */
export const nonNegativeMembers = (holder: JsonObject, members: readonly string[], path: Path): FieldError[] =>
  members.flatMap((member) => nonNegative(holder[member], path.child(member)));

/** Parts must not exceed the whole. Absent numbers count as zero. */
export const countsWithin = (status: JsonObject, parts: readonly string[], whole: string, path: Path): FieldError[] =>
  parts
    .filter((part) => Number(status[part] ?? 0) > Number(status[whole] ?? 0))
    .map((part) => invalid(path.child(part), status[part] ?? 0, `cannot be greater than status.${whole}`));

/** Available replicas are ready, and all are counted. */
export function validateReplicaCounts(status: JsonObject, counts: readonly string[], path: Path): FieldError[] {
  const [available, ready] = [Number(status['availableReplicas'] ?? 0), Number(status['readyReplicas'] ?? 0)];
  return [
    ...nonNegativeMembers(status, counts, path),
    ...countsWithin(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'replicas', path),
    ...(available > ready ? [invalid(path.child('availableReplicas'), available, 'cannot be greater than readyReplicas')] : []),
  ];
}

export function counter<T extends object, const P extends string>(path: PathIn<T, P>): ChangeFindings<T> {
  const names = path.split('.');
  return (object, old) => {
    const [value, before] = [memberAt(object as JsonObject, ...names), memberAt(old as JsonObject, ...names)];
    if (!isSet(before) || (isSet(value) && Number(value) >= Number(before))) return [];
    return [invalid(Path.root.child(...names), value ?? 0, 'cannot be decremented')];
  };
}
