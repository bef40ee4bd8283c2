import type { ApiObject } from '../../api/object.js';
import { setDefault } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { oneOf } from '../../registry/validation/values.js';
import { booleanAt, numberAt } from '../cells.js';
import type { Kind } from '../kind.js';

const SYSTEM_PREFIX = 'system-';
const USER_VALUE_MAX = 1_000_000_000;
/** Classes that every cluster has, and their values. */
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

const valueOf = (priority: ApiObject): number => Number(priority['value'] ?? 0);

function validate(priority: ApiObject): FieldError[] {
  return [
    ...(priority.metadata.name?.startsWith(SYSTEM_PREFIX) === true ? validateSystemClass(priority) : validateUserValue(priority)),
    ...oneOf(priority['preemptionPolicy'], ['PreemptLowerPriority', 'Never'], Path.of('preemptionPolicy')),
  ];
}

function validateSystemClass(priority: ApiObject): FieldError[] {
  const complaint = systemComplaint(priority);
  if (complaint === null) return [];
  return [
    forbidden(
      Path.of('metadata', 'name'),
      `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${complaint}`,
    ),
  ];
}

function systemComplaint(priority: ApiObject): string | null {
  const name = priority.metadata.name ?? '';
  const value = SYSTEM_CLASSES.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (value !== valueOf(priority)) return `value of ${name} PriorityClass must be ${value}`;
  return priority['globalDefault'] === true ? `globalDefault of ${name} PriorityClass must be false` : null;
}

const validateUserValue = (priority: ApiObject): FieldError[] =>
  valueOf(priority) > USER_VALUE_MAX
    ? [forbidden(Path.of('value'), `maximum allowed value of a user defined priority is ${USER_VALUE_MAX}`)]
    : [];

export const priorityClasses: Kind = {
  name: 'priorityclasses.scheduling.k8s.io',
  defaults(priority) {
    setDefault(priority, 'preemptionPolicy', 'PreemptLowerPriority');
  },
  validate,
  create: {
    // Counts nothing: what matters of a class never changes.
    prepare(priority) {
      priority.metadata.generation = 1;
    },
  },
  update: {
    // An update is only compared with what there was.
    review: (priority, old, metadata) => [
      ...metadata.update(),
      ...(valueOf(priority) === valueOf(old) ? [] : [forbidden(Path.of('value'), 'may not be changed in an update.')]),
      ...unchanged(priority['preemptionPolicy'], old['preemptionPolicy'], Path.of('preemptionPolicy')),
    ],
  },
  delete: { protectedBy: (name) => (SYSTEM_CLASSES.has(name) ? 'this is a system priority class and cannot be deleted' : null) },
  cells: {
    Value: numberAt('value'),
    'Global-Default': booleanAt('globalDefault'),
    PreemptionPolicy: (object) => textAt(object, 'preemptionPolicy'),
  },
};
