import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn, setTextDefault } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { invalid, notSupported, required, type FieldError, type Path } from '../../registry/validation/field.js';
import type { StructureForm } from '../../registry/validation/internalform.js';
import { dnsLabel, dnsSubdomain } from '../../registry/validation/values.js';
import { configurationsMax, setTolerationDefaults, validateConfiguration, validateSelectors, validateTolerations } from './devices.js';
import { validateList, validateSet } from './lists.js';
import { fullyQualifiedName } from './names.js';

/** The common specification of claims and their templates: device requests, constraints, and configuration. */

const requestsMax = 32;
const constraintsMax = 32;
const alternativesMax = 8;
const modes = ['All', 'ExactCount'];
const unknownRequest = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';

const devices: StructureForm = [
  ['deviceClassName', 'DeviceClassName', 'text'],
  ['selectors', 'Selectors', { list: [['cel', 'CEL', { optional: [['expression', 'Expression', 'text']] }]] }],
  ['allocationMode', 'AllocationMode', 'text'],
  ['count', 'Count', 'number'],
];
const tolerations = [
  'tolerations',
  'Tolerations',
  {
    list: [
      ['key', 'Key', 'text'],
      ['operator', 'Operator', 'text'],
      ['value', 'Value', 'text'],
      ['effect', 'Effect', 'text'],
      ['tolerationSeconds', 'TolerationSeconds', 'optional'],
    ],
  },
] as const;
const capacity = ['capacity', 'Capacity', { optional: [['requests', 'Requests', 'optional']] }] as const;
export const claimSpecForm: StructureForm = [
  [
    'devices',
    'Devices',
    {
      of: [
        [
          'requests',
          'Requests',
          {
            list: [
              ['name', 'Name', 'text'],
              ['exactly', 'Exactly', { optional: [...devices, ['adminAccess', 'AdminAccess', 'optional'], tolerations, capacity] }],
              ['firstAvailable', 'FirstAvailable', { list: [['name', 'Name', 'text'], ...devices, tolerations, capacity] }],
            ],
          },
        ],
        [
          'constraints',
          'Constraints',
          {
            list: [
              ['requests', 'Requests', 'optional'],
              ['matchAttribute', 'MatchAttribute', 'optional'],
              ['distinctAttribute', 'DistinctAttribute', 'optional'],
            ],
          },
        ],
        [
          'config',
          'Config',
          {
            list: [
              ['requests', 'Requests', 'optional'],
              [
                'opaque',
                'Opaque',
                {
                  optional: [
                    ['driver', 'Driver', 'text'],
                    ['parameters', 'Parameters', 'optional'],
                  ],
                },
              ],
            ],
          },
        ],
      ],
    },
  ],
];

const devicesOf = (spec: JsonObject): JsonObject => objectAt(spec, 'devices') ?? {};
const requestsOf = (spec: JsonObject): JsonObject[] => objectsIn(devicesOf(spec), 'requests');

export function setClaimDefaults(spec: JsonObject): void {
  for (const request of requestsOf(spec)) {
    const exactly = objectAt(request, 'exactly');
    for (const devices of exactly === null ? objectsIn(request, 'firstAvailable') : [exactly, ...objectsIn(request, 'firstAvailable')]) {
      setTextDefault(devices, 'allocationMode', 'ExactCount');
      if (devices['allocationMode'] === 'ExactCount' && Number(devices['count'] ?? 0) === 0) devices['count'] = 1;
      setTolerationDefaults(devices);
    }
  }
}

export function validateClaimSpec(spec: JsonObject, specPath: Path): FieldError[] {
  const path = specPath.child('devices');
  const names = requestNames(spec);
  return [
    ...validateSet(requestsOf(spec), requestsMax, path.child('requests'), {
      key: (request) => textAt(request, 'name'),
      check: validateRequest,
    }),
    ...validateList(objectsIn(devicesOf(spec), 'constraints'), constraintsMax, path.child('constraints'), (constraint, at) =>
      validateConstraint(constraint, names, at),
    ),
    ...validateList(objectsIn(devicesOf(spec), 'config'), configurationsMax, path.child('config'), (configuration, at) => [
      ...validateReferences(configuration, names, at.child('requests')),
      ...validateConfiguration(configuration, at),
    ]),
  ];
}

function validateRequest(request: JsonObject, path: Path): FieldError[] {
  const findings = dnsLabel(textAt(request, 'name'), path.child('name'));
  const exactly = objectAt(request, 'exactly');
  const alternatives = objectsIn(request, 'firstAvailable');
  if (exactly === null && alternatives.length === 0) return [...findings, required(path, oneOf)];
  if (exactly !== null && alternatives.length > 0) return [...findings, invalid(path, null, `${oneOf}, but multiple fields are set`)];
  if (exactly !== null) return [...findings, ...validateDevices(exactly, path.child('exactly'))];
  return [
    ...findings,
    ...validateSet(alternatives, alternativesMax, path.child('firstAvailable'), {
      key: (alternative) => textAt(alternative, 'name'),
      check: (alternative, at) => [...dnsLabel(textAt(alternative, 'name'), at.child('name')), ...validateDevices(alternative, at)],
    }),
  ];
}

function validateDevices(devices: JsonObject, path: Path): FieldError[] {
  const className = textAt(devices, 'deviceClassName');
  return [
    ...(className === '' ? [required(path.child('deviceClassName'), '')] : dnsSubdomain(className, path.child('deviceClassName'))),
    ...validateSelectors(devices, path.child('selectors')),
    ...validateMode(textAt(devices, 'allocationMode'), Number(devices['count'] ?? 0), path),
    ...validateTolerations(devices, path.child('tolerations')),
  ];
}

function validateMode(mode: string, count: number, path: Path): FieldError[] {
  if (!modes.includes(mode)) return [notSupported(path.child('allocationMode'), mode, modes)];
  if (mode === 'All') return count === 0 ? [] : [invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'")];
  return count > 0 ? [] : [invalid(path.child('count'), count, 'must be greater than zero')];
}

function validateConstraint(constraint: JsonObject, names: RequestNames, path: Path): FieldError[] {
  const member = ['matchAttribute', 'distinctAttribute'].find((name) => constraint[name] !== undefined);
  return [
    ...validateReferences(constraint, names, path.child('requests')),
    ...(member === undefined
      ? [required(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set')]
      : fullyQualifiedName(textAt(constraint, member), path.child(member))),
  ];
}

/** Names of requests, and `request/alternative`, to which a claim refers. */
export type RequestNames = ReadonlySet<string>;

export const requestNames = (spec: JsonObject): RequestNames =>
  new Set(
    requestsOf(spec).flatMap((request) => {
      const name = textAt(request, 'name');
      return [name, ...objectsIn(request, 'firstAvailable').map((alternative) => `${name}/${textAt(alternative, 'name')}`)];
    }),
  );

export const validateReferences = (holder: JsonObject, names: RequestNames, path: Path): FieldError[] =>
  validateSet(itemsOf(holder['requests']).map(String), requestsMax, path, {
    key: (name) => name,
    check: (name, at) => validateReference(name, names, at),
  });

export function validateReference(name: string, names: RequestNames, path: Path): FieldError[] {
  const segments = name.split('/');
  if (segments.length > 2) return [invalid(path, name, unknownRequest)];
  return [...segments.flatMap((segment) => dnsLabel(segment, path)), ...(names.has(name) ? [] : [invalid(path, name, unknownRequest)])];
}
