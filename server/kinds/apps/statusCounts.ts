import type * as v1 from '../../../api/types/apps/v1.js';
import {
  all,
  invalid,
  isSet,
  memberAt,
  members,
  membersOf,
  nonNegative,
  optional,
  Path,
  whole,
  type ChangeFindings,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Rule,
  type Writable,
} from '../language.js';
import type { PathIn } from '../../registry/memberPath.js';

export const count = optional(nonNegative);

/** Parts must not exceed the whole. Absent numbers count as zero. */
export const countsWithin =
  <T>(total: keyof T & string, ...parts: readonly (keyof T & string)[]): Rule<Writable<T> | null | undefined> =>
  (value, path) => {
    const status = membersOf(value as JsonValue | undefined);
    return parts
      .filter((part) => Number(status[part] ?? 0) > Number(status[total] ?? 0))
      .map((part) => invalid(path.child(part), status[part] ?? 0, `cannot be greater than status.${total}`));
  };

interface Replicas {
  readonly availableReplicas?: number;
  readonly readyReplicas?: number;
}
export const availableAreReady = (whose: string): Rule<Replicas | null | undefined> =>
  whole<Replicas>(({ availableReplicas = 0, readyReplicas = 0 }, path): FieldError[] =>
    availableReplicas > readyReplicas
      ? [invalid(path.child('availableReplicas'), availableReplicas, `cannot be greater than ${whose}readyReplicas`)]
      : [],
  );

/** Available replicas are ready, and all are counted. */
export const replicaStatus = all<Writable<v1.ReplicaSetStatus> | null | undefined>(
  members<v1.ReplicaSetStatus>({
    replicas: count,
    fullyLabeledReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    terminatingReplicas: count,
    observedGeneration: count,
  }),
  countsWithin<v1.ReplicaSetStatus>('replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'),
  availableAreReady(''),
);

export function counter<T extends object, const P extends string>(path: PathIn<T, P>): ChangeFindings<T> {
  const names = path.split('.');
  return (object, old) => {
    const [value, before] = [memberAt(object as JsonObject, ...names), memberAt(old as JsonObject, ...names)];
    if (!isSet(before) || (isSet(value) && Number(value) >= Number(before))) return [];
    return [invalid(Path.root.child(...names), value ?? 0, 'cannot be decremented')];
  };
}
