import type { ApiObject, JsonObject } from '../../api/object.js';
import { setClientDefaults } from '../admissionregistration.k8s.io/clients.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../defaulting.js';
import { itemsOf, textAt } from '../members.js';
import { restoreContent } from '../statuswrites.js';
import type { Strategy } from '../strategy.js';
import { invalid, Path, required, type FieldError } from '../validation/field.js';
import { unchanged } from '../validation/immutable.js';
import { dns1035LabelName, subdomainName } from '../validation/names.js';
import { oneOf } from '../validation/values.js';
import { validateApproval } from './approval.js';
import { validateConversion } from './conversion.js';
import { validateGroup, validateNames } from './definitionnames.js';

/** The definition of a custom resource as an object. What its schemas mean is the business of those who serve the resource. */

const SPEC = Path.of('spec');
const STORED = Path.of('status', 'storedVersions');
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const PRESERVE_TEXT = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

const specOf = (definition: ApiObject): JsonObject => objectAt(definition, 'spec') ?? {};
const versionsOf = (definition: ApiObject): JsonObject[] => objectsIn(specOf(definition), 'versions');
const storedOf = (definition: ApiObject): string[] => itemsOf((objectAt(definition, 'status') ?? {})['storedVersions']).map(String);
const isEstablished = (definition: ApiObject): boolean =>
  objectsIn(objectAt(definition, 'status') ?? {}, 'conditions').some(({ type, status }) => type === 'Established' && status === 'True');

function setDefaults(definition: ApiObject): void {
  const spec = ensureObject(definition, 'spec');
  const names = ensureObject(spec, 'names');
  const kind = textAt(names, 'kind');
  if (kind !== '') {
    setTextDefault(names, 'singular', kind.toLowerCase());
    setTextDefault(names, 'listKind', `${kind}List`);
  }
  setDefault(spec, 'conversion', { strategy: 'None' });
  const webhook = objectAt(ensureObject(spec, 'conversion'), 'webhook');
  if (webhook !== null) setClientDefaults(webhook);
}

function validate(definition: ApiObject): FieldError[] {
  return [...validateSpec(definition), ...validateStored(definition), ...validateApproval(textAt(specOf(definition), 'group'), definition, null), ...validatePreserve(specOf(definition), false)];
}

function nameComplaints(name: string, prefix: boolean, definition: ApiObject): string[] {
  const spec = specOf(definition);
  const wanted = `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`;
  return [...subdomainName(name, prefix), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

function validateSpec(definition: ApiObject): FieldError[] {
  const spec = specOf(definition);
  const versions = versionsOf(definition);
  const path = SPEC.child('versions');
  const conversion = objectAt(spec, 'conversion');
  return [
    ...validateGroup(textAt(spec, 'group'), SPEC.child('group')),
    ...oneOf(spec['scope'], ['Cluster', 'Namespaced'], SPEC.child('scope')),
    ...versions.flatMap((version, position) => validateVersion(version, path.index(position))),
    ...(new Set(versions.map(version => textAt(version, 'name'))).size < versions.length ? [invalid(path, spec['versions'], 'must contain unique version names')] : []),
    ...(versions.filter(version => version['storage'] === true).length === 1 ? [] : [invalid(path, spec['versions'] ?? null, 'must have exactly one version marked as storage version')]),
    ...validateNames(objectAt(spec, 'names') ?? {}, SPEC.child('names')),
    ...(conversion === null ? [] : validateConversion(conversion, SPEC.child('conversion'))),
  ];
}

function validateVersion(version: JsonObject, path: Path): FieldError[] {
  const name = textAt(version, 'name');
  const complaints = dns1035LabelName(name, false);
  const schema = objectAt(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema');
  return [
    ...(complaints.length === 0 ? [] : [invalid(path.child('name'), name, complaints.join(','))]),
    ...(version['deprecationWarning'] !== undefined && version['deprecated'] !== true
      ? [invalid(path.child('deprecationWarning'), version['deprecationWarning'], 'can only be set for deprecated versions')] : []),
    ...(schema === null ? [required(path.child('schema', 'openAPIV3Schema'), 'schemas are required')] : []),
    ...objectsIn(version, 'additionalPrinterColumns').flatMap((column, position) => validateColumn(column, path.child('additionalPrinterColumns').index(position))),
  ];
}

function validateColumn(column: JsonObject, path: Path): FieldError[] {
  const [type, format] = [textAt(column, 'type'), textAt(column, 'format')];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  return [
    ...(textAt(column, 'name') === '' ? [required(path.child('name'), '')] : []),
    ...(type === '' ? [required(path.child('type'), types)] : COLUMN_TYPES.includes(type) ? [] : [invalid(path.child('type'), type, types)]),
    ...(format === '' || COLUMN_FORMATS.includes(format) ? [] : [invalid(path.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`)]),
    ...(textAt(column, 'jsonPath') === '' ? [required(path.child('jsonPath'), '')] : []),
  ];
}

/** Versions in which objects may still be stored cannot go, and new objects have to be stored in one of them. */
function validateStored(definition: ApiObject): FieldError[] {
  const stored = storedOf(definition);
  const versions = versionsOf(definition);
  if (stored.length === 0) return [invalid(STORED, null, 'must have at least one stored version')];
  const storage = textAt(versions.find(version => version['storage'] === true), 'name');
  return [
    ...stored.flatMap((name, position) => (versions.some(version => textAt(version, 'name') === name) ? [] : [invalid(STORED.index(position), name, 'must appear in spec.versions')])),
    ...(stored.includes(storage) || storage === '' ? [] : [invalid(STORED, stored, `must have the storage version ${storage}`)]),
  ];
}

/** `wasSet`: objects of old may go on to keep what their schemas do not know. */
const validatePreserve = (spec: JsonObject, wasSet: boolean): FieldError[] =>
  (spec['preserveUnknownFields'] === true && !wasSet ? [invalid(SPEC.child('preserveUnknownFields'), true, PRESERVE_TEXT)] : []);

/** What names the resource stays; once it is served, so does what decides how its objects are stored. */
function validateKept(definition: ApiObject, old: ApiObject): FieldError[] {
  const served = isEstablished(old) ? [['scope'], ['names', 'kind']] : [];
  return [...served, ['group'], ['names', 'plural']].flatMap(path => unchanged(textAt(specOf(definition), ...path), textAt(specOf(old), ...path), SPEC.child(...path)));
}

/** Objects may be stored in the storage version from now on. */
function withStorageVersion(definition: ApiObject, stored: readonly string[]): string[] | null {
  const storage = versionsOf(definition).filter(version => version['storage'] === true).map(version => textAt(version, 'name'));
  const all = [...new Set([...stored, ...storage])];
  return all.length === 0 ? null : all;
}

export const customResourceDefinitions: Strategy = {
  unconditionalUpdate: false,
  generationOf: ['spec'],
  validateName: nameComplaints,
  setDefaults,
  prepareForCreate(definition) {
    definition['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: withStorageVersion(definition, []) };
  },
  prepareForUpdate(definition, old) {
    definition['status'] = { ...objectAt(old, 'status'), storedVersions: withStorageVersion(definition, storedOf(old)) };
  },
  validate,
  reviewUpdate: (definition, old, metadata) => [
    ...metadata.update(), ...validateSpec(definition), ...validateKept(definition, old), ...validateStored(definition),
    ...validateApproval(textAt(specOf(definition), 'group'), definition, old),
    ...validatePreserve(specOf(definition), specOf(old)['preserveUnknownFields'] === true),
  ],
  subresources: {
    status: { prepareForUpdate: restoreContent, reviewUpdate: (definition, _old, metadata) => [...metadata.update(), ...validateStored(definition)] },
  },
};
