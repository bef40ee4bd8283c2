import type * as v1 from '../../../api/types/scheduling/v1.js';
import {
  byDefault,
  forbidden,
  objectRules,
  oneOf,
  optional,
  Path,
  required,
  whenOwner,
  type Draft,
  type FieldError,
  type Kind,
} from '../language.js';
import { immutable } from '../immutable.js';

const systemPrefix = 'system-';
const userValueMax = 1_000_000_000;
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);

const ofUsers = (value: number, path: Path): FieldError[] =>
  value > userValueMax ? [forbidden(path, `maximum allowed value of a user defined priority is ${userValueMax}`)] : [];

const isSystem = ({ metadata: { name = '' } }: Draft<v1.PriorityClass>): boolean => name.startsWith(systemPrefix);

const validate = objectRules<v1.PriorityClass>({
  metadata: whenOwner(isSystem, (_, path, priority: Draft<v1.PriorityClass>) => {
    const problem = systemProblem(priority);
    const text = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
    return problem === null ? [] : [forbidden(path.child('name'), text)];
  }),
  value: whenOwner((priority) => !isSystem(priority), optional(ofUsers)),
  preemptionPolicy: byDefault('PreemptLowerPriority', required(oneOf('PreemptLowerPriority', 'Never'))),
});

function systemProblem(priority: Draft<v1.PriorityClass>): string | null {
  const name = priority.metadata.name ?? '';
  const value = systemClasses.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (value !== (priority.value ?? 0)) return `value of ${name} PriorityClass must be ${value}`;
  return priority.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : null;
}

export const priorityClasses: Kind<Draft<v1.PriorityClass>> = {
  name: 'priorityclasses.scheduling.k8s.io',
  defaults: validate.defaults,
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
