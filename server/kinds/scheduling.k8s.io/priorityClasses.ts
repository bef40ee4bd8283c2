import type { PriorityClass } from '../../../api/types/scheduling/v1.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { oneOf } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';

const systemPrefix = 'system-';
const userValueMax = 1_000_000_000;
/** Classes of every cluster, and their values. */
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

function validate(priority: Draft<PriorityClass>): FieldError[] {
  return [
    ...(priority.metadata.name?.startsWith(systemPrefix) === true ? validateSystemClass(priority) : validateUserValue(priority)),
    ...oneOf(priority.preemptionPolicy, ['PreemptLowerPriority', 'Never'], Path.of('preemptionPolicy')),
  ];
}

function validateSystemClass(priority: Draft<PriorityClass>): FieldError[] {
  const problem = systemProblem(priority);
  if (problem === null) return [];
  return [
    forbidden(
      Path.of('metadata', 'name'),
      `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`,
    ),
  ];
}

function systemProblem(priority: Draft<PriorityClass>): string | null {
  const name = priority.metadata.name ?? '';
  const value = systemClasses.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (value !== (priority.value ?? 0)) return `value of ${name} PriorityClass must be ${value}`;
  return priority.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : null;
}

const validateUserValue = (priority: Draft<PriorityClass>): FieldError[] =>
  (priority.value ?? 0) > userValueMax
    ? [forbidden(Path.of('value'), `maximum allowed value of a user defined priority is ${userValueMax}`)]
    : [];

export const priorityClasses: Kind<Draft<PriorityClass>> = {
  name: 'priorityclasses.scheduling.k8s.io',
  defaults(priority) {
    priority.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate,
  create: {
    // Counts no generation: a class's relevant parts are immutable.
    prepare(priority) {
      priority.metadata.generation = 1;
    },
  },
  update: {
    // An update is only compared with the old state.
    review: [
      'objectMetaUpdate',
      (priority, old) =>
        (priority.value ?? 0) === (old.value ?? 0) ? [] : [forbidden(Path.of('value'), 'may not be changed in an update.')],
      immutable('preemptionPolicy'),
    ],
  },
  delete: { protectedBy: (name) => (systemClasses.has(name) ? 'this is a system priority class and cannot be deleted' : null) },
  cells: {
    Value: ({ value = 0 }) => value,
    'Global-Default': ({ globalDefault = false }) => globalDefault,
    PreemptionPolicy: ({ preemptionPolicy = '' }) => preemptionPolicy,
  },
};
