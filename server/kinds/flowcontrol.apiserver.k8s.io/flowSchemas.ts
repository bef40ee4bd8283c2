import type { FlowSchema, FlowSchemaSpec } from '../../../api/types/flowcontrol/v1.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { at, condition, numberAt } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';
import { mandatorySpec } from './mandatory.js';
import { validateRules } from './rules.js';
import { statusWrites, validateStatus } from './status.js';

const specPath = Path.of('spec');
const precedenceDefault = 1000;
const precedenceMax = 10_000;
const methods = ['ByNamespace', 'ByUser'];
const nameForm: StructureForm = [['name', 'Name', 'text']];
const specForm: StructureForm = [
  ['priorityLevelConfiguration', 'PriorityLevelConfiguration', { of: nameForm }],
  ['matchingPrecedence', 'MatchingPrecedence', 'number'],
  ['distinguisherMethod', 'DistinguisherMethod', { optional: [['type', 'Type', 'text']] }],
  [
    'rules',
    'Rules',
    {
      list: [
        [
          'subjects',
          'Subjects',
          {
            list: [
              ['kind', 'Kind', 'text'],
              ['user', 'User', { optional: nameForm }],
              ['group', 'Group', { optional: nameForm }],
              [
                'serviceAccount',
                'ServiceAccount',
                {
                  optional: [
                    ['namespace', 'Namespace', 'text'],
                    ['name', 'Name', 'text'],
                  ],
                },
              ],
            ],
          },
        ],
        [
          'resourceRules',
          'ResourceRules',
          {
            list: [
              ['verbs', 'Verbs', 'optional'],
              ['apiGroups', 'APIGroups', 'optional'],
              ['resources', 'Resources', 'optional'],
              ['clusterScope', 'ClusterScope', 'flag'],
              ['namespaces', 'Namespaces', 'optional'],
            ],
          },
        ],
        [
          'nonResourceRules',
          'NonResourceRules',
          {
            list: [
              ['verbs', 'Verbs', 'optional'],
              ['nonResourceURLs', 'NonResourceURLs', 'optional'],
            ],
          },
        ],
      ],
    },
  ],
];

function validate(schema: Draft<FlowSchema>): FieldError[] {
  const name = schema.metadata.name ?? '';
  const spec = specOf(schema);
  const fixed = mandatorySpec('flowschemas', name);
  return [
    ...validatePrecedence(Number(spec.matchingPrecedence ?? 0), name, specPath.child('matchingPrecedence')),
    ...validateMethod(spec, specPath.child('distinguisherMethod', 'type')),
    ...validateLevel(textAt(spec, 'priorityLevelConfiguration', 'name'), specPath.child('priorityLevelConfiguration', 'name')),
    ...validateRules(objectsIn(spec, 'rules'), specPath.child('rules')),
    ...(fixed === null || sameValue(spec, fixed)
      ? []
      : [invalid(specPath, printedStructure(spec, specForm), `spec of '${name}' must equal the fixed value`)]),
    ...validateStatus(schema),
  ];
}

function validatePrecedence(precedence: number, name: string, path: Path): FieldError[] {
  return [
    ...(precedence <= 0 ? [invalid(path, precedence, 'must be a positive value')] : []),
    ...(precedence > precedenceMax ? [invalid(path, precedence, `must not be greater than ${precedenceMax}`)] : []),
    ...(precedence === 1 && name !== 'exempt'
      ? [invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
      : []),
  ];
}

function validateMethod(spec: Writable<FlowSchemaSpec>, path: Path): FieldError[] {
  const method = objectAt(spec, 'distinguisherMethod');
  return method === null || methods.includes(textAt(method, 'type')) ? [] : [notSupported(path, { Type: textAt(method, 'type') }, methods)];
}

const validateLevel = (level: string, path: Path): FieldError[] =>
  level === '' ? [required(path, 'must reference a priority level')] : dnsSubdomain(level, path);

export const flowSchemas: Kind<Draft<FlowSchema>> = {
  name: 'flowschemas.flowcontrol.apiserver.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults(schema) {
    const spec = ensureObject(schema, 'spec');
    if (Number(spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = precedenceDefault;
  },
  validate,
  update: { review: ['objectMeta', validate] },
  subresources: statusWrites,
  cells: {
    PriorityLevel: at('spec.priorityLevelConfiguration.name'),
    MatchingPrecedence: numberAt('spec.matchingPrecedence'),
    DistinguisherMethod: at('spec.distinguisherMethod.type'),
    MissingPL: (object) => textAt(condition(object, 'Dangling'), 'status') || '?',
  },
};
