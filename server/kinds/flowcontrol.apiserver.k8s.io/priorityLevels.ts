import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '../../../api/types/flowcontrol/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, setDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { forbidden, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { at, valueAt } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';
import { mandatorySpec } from './mandatory.js';
import { statusWrites, validateStatus } from './status.js';

const specPath = Path.of('spec');
const exempt = 'exempt';
const sharesDefault = 30;
const queuesMax = 10_000_000;
/** The bits of a flow's hash, which deals its queues. */
const hashBitsMax = 60;
const queuingDefaults = [
  ['queues', 64],
  ['handSize', 8],
  ['queueLengthLimit', 50],
] as const;
/** An annotation for values that older versions could not express. */
const roundtripAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const specForm: StructureForm = [
  ['type', 'Type', 'text'],
  [
    'limited',
    'Limited',
    {
      optional: [
        ['nominalConcurrencyShares', 'NominalConcurrencyShares', 'number'],
        [
          'limitResponse',
          'LimitResponse',
          {
            of: [
              ['type', 'Type', 'text'],
              [
                'queuing',
                'Queuing',
                {
                  optional: [
                    ['queues', 'Queues', 'number'],
                    ['handSize', 'HandSize', 'number'],
                    ['queueLengthLimit', 'QueueLengthLimit', 'number'],
                  ],
                },
              ],
            ],
          },
        ],
        ['lendablePercent', 'LendablePercent', 'optional'],
        ['borrowingLimitPercent', 'BorrowingLimitPercent', 'optional'],
      ],
    },
  ],
  [
    'exempt',
    'Exempt',
    {
      optional: [
        ['nominalConcurrencyShares', 'NominalConcurrencyShares', 'optional'],
        ['lendablePercent', 'LendablePercent', 'optional'],
      ],
    },
  ],
];

function setDefaults(level: Draft<PriorityLevelConfiguration>): void {
  const spec = specOf(level);
  const [limited, exempt] = [objectAt(spec, 'limited'), objectAt(spec, 'exempt')];
  if (exempt !== null) for (const member of ['nominalConcurrencyShares', 'lendablePercent'] as const) setDefault(exempt, member, 0);
  if (limited === null) return;
  setDefault(limited, 'nominalConcurrencyShares', sharesDefault);
  setDefault(limited, 'lendablePercent', 0);
  const queuing = objectAt(ensureObject(limited, 'limitResponse'), 'queuing');
  if (queuing === null) return;
  for (const [member, value] of queuingDefaults) if (Number(queuing[member] ?? 0) === 0) queuing[member] = value;
}

function validate(level: Draft<PriorityLevelConfiguration>): FieldError[] {
  const annotations = Path.of('metadata', 'annotations');
  return [
    ...(level.metadata.annotations?.[roundtripAnnotation] === undefined
      ? []
      : [forbidden(annotations, `annotation '${roundtripAnnotation}' is forbidden`)]),
    ...validateSpec(specOf(level), level.metadata.name ?? ''),
    ...validateFixed(specOf(level), level.metadata.name ?? ''),
    ...validateStatus(level),
  ];
}

function validateSpec(spec: Writable<PriorityLevelConfigurationSpec>, name: string): FieldError[] {
  const type = textAt(spec, 'type');
  const onlyExempt =
    (name === exempt) === (type === 'Exempt')
      ? []
      : [invalid(specPath.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'")];
  switch (type) {
    case 'Exempt':
      return [...onlyExempt, ...validateExempt(spec)];
    case 'Limited':
      return [...onlyExempt, ...validateLimited(spec)];
    default:
      return [...onlyExempt, notSupported(specPath.child('type'), type, ['Exempt', 'Limited'])];
  }
}

function validateExempt(spec: Writable<PriorityLevelConfigurationSpec>): FieldError[] {
  const exempt = objectAt(spec, 'exempt');
  return [
    ...(objectAt(spec, 'limited') === null ? [] : [forbidden(specPath.child('limited'), 'must be nil if the type is not Limited')]),
    ...(exempt === null
      ? []
      : [...validateShares(exempt, specPath.child('exempt')), ...validateLendable(exempt, specPath.child('exempt'))]),
  ];
}

function validateLimited(spec: Writable<PriorityLevelConfigurationSpec>): FieldError[] {
  const limited = objectAt(spec, 'limited');
  const path = specPath.child('limited');
  const findings = objectAt(spec, 'exempt') === null ? [] : [forbidden(specPath.child('exempt'), 'must be nil if the type is Limited')];
  if (limited === null) return [...findings, required(path, 'must not be empty when type is Limited')];
  const borrowing = limited.borrowingLimitPercent;
  return [
    ...findings,
    ...validateShares(limited, path),
    ...validateResponse(objectAt(limited, 'limitResponse') ?? {}, path.child('limitResponse')),
    ...validateLendable(limited, path),
    ...(borrowing !== undefined && Number(borrowing) < 0
      ? [invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

const validateShares = ({ nominalConcurrencyShares: shares }: JsonObject, path: Path): FieldError[] =>
  Number(shares ?? 0) < 0 ? [invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')] : [];

const validateLendable = ({ lendablePercent: percent }: JsonObject, path: Path): FieldError[] =>
  Number(percent ?? 0) < 0 || Number(percent ?? 0) > 100
    ? [invalid(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')]
    : [];

function validateResponse(response: JsonObject, path: Path): FieldError[] {
  const type = textAt(response, 'type');
  const queuing = objectAt(response, 'queuing');
  const at = path.child('queuing');
  if (type === 'Reject') return queuing === null ? [] : [forbidden(at, 'must be nil if limited.limitResponse.type is not Limited')];
  if (type !== 'Queue') return [notSupported(path.child('type'), type, ['Queue', 'Reject'])];
  return queuing === null ? [required(at, 'must not be empty if limited.limitResponse.type is Limited')] : validateQueuing(queuing, at);
}

function validateQueuing(queuing: JsonObject, path: Path): FieldError[] {
  const [queues, hand, length] = ['queues', 'handSize', 'queueLengthLimit'].map((member) => Number(queuing[member] ?? 0)) as [
    number,
    number,
    number,
  ];
  const problem = handProblem(hand, queues);
  return [
    ...(length <= 0 ? [invalid(path.child('queueLengthLimit'), length, 'must be positive')] : []),
    ...(queues <= 0 ? [invalid(path.child('queues'), queues, 'must be positive')] : []),
    ...(queues > queuesMax ? [invalid(path.child('queues'), queues, `must not be greater than ${queuesMax}`)] : []),
    ...(problem === null ? [] : [invalid(path.child('handSize'), hand, problem)]),
  ];
}

function handProblem(hand: number, queues: number): string | null {
  if (hand <= 0) return 'must be positive';
  if (hand > queues) return `should not be greater than queues (${queues})`;
  return Math.ceil(Math.log2(queues) * hand) > hashBitsMax
    ? `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${hashBitsMax}`
    : null;
}

/** Only the shares of the exempt level may change; the other mandatory level is immutable. */
function validateFixed(spec: Writable<PriorityLevelConfigurationSpec>, name: string): FieldError[] {
  const fixed = mandatorySpec('prioritylevelconfigurations', name);
  if (fixed === null) return [];
  const [wanted, present] =
    name === exempt
      ? [
          { ...fixed, exempt: null },
          { ...spec, exempt: null },
        ]
      : [fixed, spec];
  if (sameValue(wanted, present)) return [];
  const part = name === exempt ? ` except the 'spec.${exempt}' field` : '';
  return [invalid(specPath, printedStructure(spec, specForm), `spec of '${name}'${part} must equal the fixed value`)];
}

export const priorityLevels: Kind<Draft<PriorityLevelConfiguration>> = {
  name: 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults: setDefaults,
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
