import type { Steps } from '../../../api/steps.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import {
  flags,
  listOf,
  numbers,
  optionals,
  optionalStructure,
  printedBy,
  printedStructure,
  texts,
  type StructureForm,
} from '../../registry/validation/internalform.js';
import { oneOf } from '../../registry/validation/values.js';
import { validateConversion } from './conversion.js';
import { requiredNames, validateGroup, validateNames } from './definitionNames.js';
import { hoist } from './hoisting.js';
import { mustBeStructural, schemaOf, schemasOf } from './oldSchemas.js';
import { anySchema, isSet } from './schema/nodes.js';
import { printedSchema } from './schema/printed.js';
import { dns1035LabelName } from '../../registry/validation/names.js';
import { reviewInSteps } from './schema/schema.js';
import { validateParts, validateVersion } from './versions.js';

export const specPath = Path.of('spec');

const hasStatus = (holder: JsonObject): boolean => objectAt(objectAt(holder, 'subresources') ?? {}, 'status') !== null;

/** `before` is the stored one, null on create: it is exempt from newer requirements. */
export function validateSpec(spec: JsonObject, before: JsonObject | null): FieldError[] {
  const { shared, versions } = hoist(spec);
  const structural = mustBeStructural(spec, before);
  const names = objectAt(spec, 'names') ?? {};
  return [
    ...validateGroup(textAt(spec, 'group'), specPath.child('group')),
    ...oneOf(spec['scope'], ['Cluster', 'Namespaced'], specPath.child('scope')),
    ...validatePresence(spec, before),
    ...validateDefaultsAllowed(spec),
    ...versions.flatMap((version, position) =>
      validateVersion(
        version,
        { hasStatus: hasStatus(version) || hasStatus(shared), structural },
        specPath.child('versions').index(position),
      ),
    ),
    ...validateVersionList(spec, versions),
    ...requiredNames(names, specPath.child('names')),
    ...validateNames(names, specPath.child('names')),
    ...validateParts(shared, { schemaAt: 'validation', hasStatus: hasStatus(shared) || versions.some(hasStatus), structural }, specPath),
    ...validateStrategy(spec),
  ];
}

/** Precomputes the expensive part of `validateSpec`, in steps. */
export function* reviewSchemas(spec: JsonObject): Steps<void> {
  const { shared, versions } = hoist(spec);
  yield;
  const anyStatus = hasStatus(shared) || versions.some(hasStatus);
  const common = objectAt(objectAt(shared, 'validation') ?? {}, 'openAPIV3Schema');
  if (common !== null)
    yield* reviewInSteps({ schema: common, hasStatus: anyStatus, path: specPath.child('validation', 'openAPIV3Schema') });
  for (const [position, version] of versions.entries()) {
    const schema = schemaOf(version);
    const path = specPath.child('versions').index(position).child('schema', 'openAPIV3Schema');
    if (schema !== null) yield* reviewInSteps({ schema, hasStatus: hasStatus(version) || hasStatus(shared), path });
  }
}

/** A version without a schema preserves fields. */
function validatePresence(spec: JsonObject, before: JsonObject | null): FieldError[] {
  const without = (holder: JsonObject): JsonObject[] => objectsIn(holder, 'versions').filter((version) => schemaOf(version) === null);
  const older = before !== null && without(before).length > 0;
  if (older && spec['preserveUnknownFields'] === true) return [];
  return objectsIn(spec, 'versions').flatMap((version, position) =>
    schemaOf(version) !== null || (older && version['served'] !== true)
      ? []
      : [
          required(
            specPath.child('versions').index(position).child('schema', 'openAPIV3Schema'),
            older ? 'because otherwise all fields are pruned' : '',
          ),
        ],
  );
}

function validateDefaultsAllowed(spec: JsonObject): FieldError[] {
  if (spec['preserveUnknownFields'] !== true) return [];
  const hasDefaults = schemasOf(spec).some((schema) => anySchema(schema, (node) => isSet(node, 'default')));
  return hasDefaults
    ? [invalid(specPath.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema')]
    : [];
}

const versionForm: StructureForm = [
  ...texts('name'),
  ...flags('served', 'storage', 'deprecated'),
  ...optionals('deprecationWarning'),
  ...optionalStructure('schema', printedBy(printedSchema, 'openAPIV3Schema=OpenAPIV3Schema')),
  ...optionalStructure('subresources', [
    ...optionalStructure('status', []),
    ...optionalStructure('scale', [...texts('specReplicasPath', 'statusReplicasPath'), ...optionals('labelSelectorPath')]),
  ]),
  ...listOf('additionalPrinterColumns', [
    ...texts('name', 'type', 'format', 'description'),
    ...numbers('priority'),
    ...texts('jsonPath=JSONPath'),
  ]),
  ...listOf('selectableFields', texts('jsonPath=JSONPath')),
];

/** `shown` are the versions without what they share. */
function validateVersionList(spec: JsonObject, shown: readonly JsonObject[]): FieldError[] {
  const [path, versions] = [specPath.child('versions'), objectsIn(spec, 'versions')];
  const value = versions.length === 0 ? (spec['versions'] ?? null) : shown.map((version) => printedStructure(version, versionForm));
  const names = new Set(versions.map((version) => textAt(version, 'name')));
  return [
    ...(names.size < versions.length ? [invalid(path, value, 'must contain unique version names')] : []),
    ...(versions.filter((version) => version['storage'] === true).length === 1
      ? []
      : [invalid(path, value, 'must have exactly one version marked as storage version')]),
    ...validateFirstName(textAt(versions[0] ?? {}, 'name')),
  ];
}

function validateFirstName(name: string): FieldError[] {
  const problems = name === '' ? [] : dns1035LabelName(name, false);
  return problems.length === 0 ? [] : [invalid(specPath.child('version'), name, problems.join(','))];
}

function validateStrategy(spec: JsonObject): FieldError[] {
  const conversion = objectAt(spec, 'conversion');
  if (conversion === null) return [];
  const [path, strategy] = [specPath.child('conversion'), textAt(conversion, 'strategy')];
  return [
    ...(strategy !== 'None' && spec['preserveUnknownFields'] === true
      ? [invalid(path.child('strategy'), strategy, 'must be None if spec.preserveUnknownFields is true')]
      : []),
    ...validateConversion(conversion, path),
  ];
}
