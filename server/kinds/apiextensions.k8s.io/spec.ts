import {
  all,
  dns1035LabelName,
  flags,
  inOrder,
  invalid,
  isSet,
  listOf,
  members,
  missing,
  nonZero,
  numbers,
  objectsIn,
  ofAll,
  oneOf,
  optionals,
  optionalStructure,
  Path,
  printedBy,
  printedStructure,
  required,
  texts,
  type FieldError,
  type Found,
  type Steps,
  type StructureForm,
} from '../language.js';
import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { conversion } from './conversion.js';
import { group, joined, names, requiredNames } from './definitionNames.js';
import { hoist, schemaOf, type Spec, type Version } from './hoisting.js';
import { mustBeStructural, schemasOf } from './oldSchemas.js';
import { anySchema } from './schema/nodes.js';
import { printedSchema } from './schema/printed.js';
import { reviewInSteps } from './schema/schema.js';
import { validateParts, validateVersion } from './versions.js';

export const specPath = Path.of('spec');
const versionsPath = specPath.child('versions');
const conversionPath = specPath.child('conversion');

const hasStatus = ({ subresources }: Pick<Version, 'subresources'>): boolean => isSet(subresources?.status);

const ofNames = members<v1.CustomResourceDefinitionSpec>({ group, scope: required(oneOf('Cluster', 'Namespaced')) });
const ofKinds = members<v1.CustomResourceDefinitionSpec>({ names: all(requiredNames, names) });

/** `before` is the stored one, null on create: it is exempt from newer requirements. */
export function validateSpec(spec: Spec, before: Spec | null): Found {
  const { shared, versions } = hoist(spec);
  const structural = mustBeStructural(spec, before);
  return inOrder(
    ofNames(spec, specPath, null),
    validatePresence(spec, before),
    validateDefaultsAllowed(spec),
    ofAll(versions, (version, position) =>
      validateVersion(version, { hasStatus: hasStatus(version) || hasStatus(shared), structural }, versionsPath.index(position)),
    ),
    validateVersionList(spec, versions),
    ofKinds(spec, specPath, null),
    validateParts(shared, { schemaAt: 'validation', hasStatus: hasStatus(shared) || versions.some(hasStatus), structural }, specPath),
    validateConversion(spec),
  );
}

/** Precomputes the expensive part of `validateSpec`, in steps. */
export function* reviewSchemas(spec: Spec): Steps<void> {
  const { shared, versions } = hoist(spec);
  yield;
  const anyStatus = hasStatus(shared) || versions.some(hasStatus);
  const common = schemaOf(shared);
  if (common !== null)
    yield* reviewInSteps({ schema: common, hasStatus: anyStatus, path: specPath.child('validation', 'openAPIV3Schema') });
  for (const [position, version] of versions.entries()) {
    const schema = schemaOf(version);
    const path = versionsPath.index(position).child('schema', 'openAPIV3Schema');
    if (schema !== null) yield* reviewInSteps({ schema, hasStatus: hasStatus(version) || hasStatus(shared), path });
  }
}

/** A version without a schema preserves fields. */
function validatePresence(spec: Spec, before: Spec | null): FieldError[] {
  const older = before !== null && objectsIn(before, 'versions').some((version) => schemaOf(version) === null);
  if (older && spec.preserveUnknownFields === true) return [];
  return objectsIn(spec, 'versions').flatMap((version, position) =>
    schemaOf(version) !== null || (older && version.served !== true)
      ? []
      : [missing(versionsPath.index(position).child('schema', 'openAPIV3Schema'), older ? 'because otherwise all fields are pruned' : '')],
  );
}

function validateDefaultsAllowed(spec: Spec): FieldError[] {
  if (spec.preserveUnknownFields !== true) return [];
  const hasDefaults = schemasOf(spec).some((schema) => anySchema(schema, (node) => isSet(node.default)));
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

const firstName = nonZero(joined(dns1035LabelName));

/** `shown` are the versions without what they share. */
function validateVersionList(spec: Spec, shown: readonly Version[]): Found {
  const versions = objectsIn(spec, 'versions');
  const value = versions.length === 0 ? (spec.versions ?? null) : shown.map((version) => printedStructure(version, versionForm));
  const different = new Set(versions.map(({ name = '' }) => name));
  return inOrder(
    different.size < versions.length ? [invalid(versionsPath, value, 'must contain unique version names')] : [],
    versions.filter(({ storage }) => storage === true).length === 1
      ? []
      : [invalid(versionsPath, value, 'must have exactly one version marked as storage version')],
    firstName(versions[0]?.name, specPath.child('version'), null),
  );
}

function validateConversion(spec: Spec): Found {
  const strategy = spec.conversion?.strategy ?? '';
  return inOrder(
    isSet(spec.conversion) && strategy !== 'None' && spec.preserveUnknownFields === true
      ? [invalid(conversionPath.child('strategy'), strategy, 'must be None if spec.preserveUnknownFields is true')]
      : [],
    conversion(spec.conversion, conversionPath, spec),
  );
}
