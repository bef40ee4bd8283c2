import type * as v1 from '../../../api/types/flowcontrol/v1.js';
import {
  all,
  at,
  byDefault,
  created,
  forbidden,
  forbiddenAs,
  inOrder,
  inRange,
  insteadOfZero,
  invalid,
  members,
  notSupported,
  objectRules,
  oneOf,
  optional,
  orEmpty,
  orZero,
  printedAs,
  requiredPointer,
  requiredPointerAs,
  sameValue,
  valueAt,
  whenOwner,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { mandatorySpec } from './mandatory.js';
import { status, statusWrites } from './status.js';

type Level = Draft<v1.PriorityLevelConfiguration>;
type Spec = Writable<v1.PriorityLevelConfigurationSpec> | undefined;
type Response = Writable<v1.LimitResponse>;

const exempt = 'exempt';
const sharesDefault = 30;
const queuesMax = 10_000_000;
/** The bits of a flow's hash, which deals its queues. */
const hashBitsMax = 60;
/** An annotation for values that older versions could not express. */
const roundtripAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

const atLeast =
  (least: number, text: string) =>
  (value: number, path: Path): FieldError[] =>
    value < least ? [invalid(path, value, text)] : [];
const nominalConcurrencyShares = orZero(atLeast(0, 'must be a non-negative integer'));
const lendablePercent = orZero((value, path) => inRange(value, 0, 100, path));

const queuingDefaults = members<v1.QueuingConfiguration>({
  queues: insteadOfZero(64),
  handSize: insteadOfZero(8),
  queueLengthLimit: insteadOfZero(50),
});
const queuing = members<v1.QueuingConfiguration>({
  queueLengthLimit: orZero(atLeast(1, 'must be positive')),
  queues: orZero(atLeast(1, 'must be positive'), (queues, path) =>
    queues > queuesMax ? [invalid(path, queues, `must not be greater than ${queuesMax}`)] : [],
  ),
  handSize: orZero((hand, path, { queues = 0 }: Writable<v1.QueuingConfiguration>) => {
    const problem = handProblem(hand, queues);
    return problem === null ? [] : [invalid(path, hand, problem)];
  }),
});

function handProblem(hand: number, queues: number): string | null {
  if (hand <= 0) return 'must be positive';
  if (hand > queues) return `should not be greater than queues (${queues})`;
  return Math.ceil(Math.log2(queues) * hand) > hashBitsMax
    ? `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${hashBitsMax}`
    : null;
}

const limitResponse = members<v1.LimitResponse>({
  type: orEmpty(oneOf('Queue', 'Reject')),
  queuing: all(
    whenOwner(({ type }: Response) => type === 'Reject', forbiddenAs('must be nil if limited.limitResponse.type is not Limited')),
    whenOwner(
      ({ type }: Response) => type === 'Queue',
      requiredPointerAs('must not be empty if limited.limitResponse.type is Limited', queuing),
    ),
  ),
});

const ofExempt = members<v1.PriorityLevelConfigurationSpec>({
  limited: forbiddenAs('must be nil if the type is not Limited'),
  exempt: optional(members<v1.ExemptPriorityLevelConfiguration>({ nominalConcurrencyShares, lendablePercent })),
});
const limited = members<v1.LimitedPriorityLevelConfiguration>({
  nominalConcurrencyShares,
  limitResponse,
  lendablePercent,
  borrowingLimitPercent: optional(atLeast(0, 'if specified, must be a non-negative integer')),
});
const ofLimited = members<v1.PriorityLevelConfigurationSpec>({
  exempt: forbiddenAs('must be nil if the type is Limited'),
  limited: requiredPointerAs('must not be empty when type is Limited', limited),
});

function byType(spec: Spec, path: Path, { metadata }: Level): Found {
  const { type = '' } = spec ?? {};
  const text = "must be 'Exempt' if and only if `name` is 'exempt'";
  const onlyExempt = (metadata.name === exempt) === (type === 'Exempt') ? [] : [invalid(path.child('type'), type, text)];
  if (type === 'Exempt') return inOrder(onlyExempt, ofExempt(spec, path, spec));
  if (type === 'Limited') return inOrder(onlyExempt, ofLimited(spec, path, spec));
  return [...onlyExempt, notSupported(path.child('type'), type, ['Exempt', 'Limited'])];
}

const defaults = members<v1.PriorityLevelConfigurationSpec>({
  exempt: members<v1.ExemptPriorityLevelConfiguration>({ nominalConcurrencyShares: byDefault(0), lendablePercent: byDefault(0) }),
  limited: members<v1.LimitedPriorityLevelConfiguration>({
    nominalConcurrencyShares: byDefault(sharesDefault),
    lendablePercent: byDefault(0),
    limitResponse: created(members<v1.LimitResponse>({ queuing: queuingDefaults })),
  }),
});

/** Only the shares of the exempt level may change; the other mandatory level is immutable. */
function fixedSpec(spec: Spec, path: Path, { metadata: { name = '' } }: Level): FieldError[] {
  const fixed = mandatorySpec('prioritylevelconfigurations', name);
  const without = name === exempt ? { exempt: null } : {};
  if (fixed === null || sameValue({ ...fixed, ...without }, { ...spec, ...without })) return [];
  const part = name === exempt ? ` except the 'spec.${exempt}' field` : '';
  return [
    invalid(path, printedAs('flowcontrol.v1.PriorityLevelConfigurationSpec', spec), `spec of '${name}'${part} must equal the fixed value`),
  ];
}

function withoutRoundtrip({ annotations }: Level['metadata'], path: Path): FieldError[] {
  if (annotations?.[roundtripAnnotation] === undefined) return [];
  return [forbidden(path.child('annotations'), `annotation '${roundtripAnnotation}' is forbidden`)];
}

const validate = objectRules<v1.PriorityLevelConfiguration>({
  metadata: requiredPointer(withoutRoundtrip),
  spec: all(defaults, byType, fixedSpec),
  status,
});

export const priorityLevels: Kind<Level> = {
  name: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults: validate.defaults,
  validate,
  update: { review: ['objectMeta', validate] },
  subresources: statusWrites,
  cells: {
    Type: at('spec.type'),
    NominalConcurrencyShares: valueAt('spec.limited.nominalConcurrencyShares'),
    Queues: valueAt('spec.limited.limitResponse.queuing.queues'),
    HandSize: valueAt('spec.limited.limitResponse.queuing.handSize'),
    QueueLengthLimit: valueAt('spec.limited.limitResponse.queuing.queueLengthLimit'),
  },
};
