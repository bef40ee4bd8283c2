import type { JsonValue, ObjectMeta, OwnerReference } from '../../../api/object.js';
import { inOrder, ofEach, type Found } from './ofEach.js';
import { printedOwner } from './printedOwner.js';
import { forbidden, invalid, Path, required, tooLong, type FieldError } from './field.js';
import { dnsLabelName, qualifiedNameProblems, type NameRule } from './names.js';
import { labelMap } from './values.js';

const annotationsBytesMax = 256 * 1024;
const metadata = Path.of('metadata');
/** Finalizers that need no domain prefix. */
const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
/** Kinds that come and go in large numbers. */
const neverOwners: ReadonlySet<string> = new Set(['v1 Event']);

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
}

/** The findings are in the reference's order. */
export function validateMetadata(meta: ObjectMeta, { namespaced, nameRule }: MetadataRules): Found {
  return inOrder(
    validateNames(meta, nameRule),
    validateNamespace(meta.namespace ?? '', namespaced),
    (meta.generation ?? 0) < 0 ? [invalid(metadata.child('generation'), meta.generation, 'must be greater than or equal to 0')] : [],
    labelMap(meta.labels, metadata.child('labels')),
    validateAnnotations(meta.annotations, metadata.child('annotations')),
    validateOwnerReferences(meta.ownerReferences ?? [], metadata.child('ownerReferences')),
    validateFinalizers(meta.finalizers ?? [], metadata.child('finalizers')),
  );
}

export function validateMetadataUpdate(meta: ObjectMeta, old: ObjectMeta): Found {
  return inOrder(
    old.deletionTimestamp === undefined ? [] : validateNoNewFinalizers(meta.finalizers ?? [], old.finalizers ?? []),
    (meta.resourceVersion ?? '') === ''
      ? [invalid(metadata.child('resourceVersion'), meta.resourceVersion ?? '', 'must be specified for an update')]
      : [],
    (meta.generation ?? 0) < (old.generation ?? 0)
      ? [invalid(metadata.child('generation'), meta.generation ?? 0, 'must not be decremented')]
      : [],
    immutable.flatMap(([member, fallback]) => validateImmutable(meta[member] ?? fallback, old[member] ?? fallback, metadata.child(member))),
    labelMap(meta.labels, metadata.child('labels')),
    validateAnnotations(meta.annotations, metadata.child('annotations')),
    validateOwnerReferences(meta.ownerReferences ?? [], metadata.child('ownerReferences')),
  );
}

/** Members with the value that an absent member counts as. */
const immutable: readonly (readonly [member: string, absent: JsonValue])[] = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
];

const validateImmutable = (value: JsonValue, old: JsonValue, path: Path): FieldError[] =>
  value === old ? [] : [invalid(path, value, 'field is immutable')];

/** Finalizers of built-in kinds are known ones or carry a domain. */
export const validateFinalizerNames = (finalizers: readonly string[], path: Path): Found =>
  ofEach(finalizers, (finalizer, position) => validateKnownFinalizer(finalizer, path.index(position)));

export const validateKnownFinalizer = (finalizer: string, path: Path): FieldError[] =>
  finalizer.includes('/') || standardFinalizers.has(finalizer)
    ? []
    : [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];

export function validateAnnotations(annotations: Readonly<Record<string, string | undefined>> = {}, path: Path): Found {
  const keys = Object.keys(annotations);
  let size = 0;
  for (const key of keys) size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
  // Annotations predate the rule.
  const findings = ofEach(keys, (key) => qualifiedNameProblems(key.toLowerCase()).map((text) => invalid(path, key, text)));
  return size > annotationsBytesMax ? inOrder(findings, [tooLong(path, annotationsBytesMax)]) : findings;
}

function validateFinalizers(finalizers: readonly string[], path: Path): Found {
  const findings = ofEach(finalizers, (finalizer) => qualifiedNameProblems(finalizer).map((text) => invalid(path, finalizer, text)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    return inOrder(findings, [invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')]);
  }
  return findings;
}

function validateNames(meta: ObjectMeta, nameRule: NameRule): FieldError[] {
  const generateName = meta.generateName ?? '';
  const name = meta.name ?? '';
  const findings =
    generateName === '' ? [] : nameRule(generateName, true).map((text) => invalid(metadata.child('generateName'), generateName, text));
  if (name === '') return [...findings, required(metadata.child('name'), 'name or generateName is required')];
  return [...findings, ...nameRule(name, false).map((text) => invalid(metadata.child('name'), name, text))];
}

function validateNamespace(namespace: string, namespaced: boolean): FieldError[] {
  const path = metadata.child('namespace');
  if (!namespaced) return namespace === '' ? [] : [forbidden(path, 'not allowed on this type')];
  return namespace === '' ? [required(path, '')] : dnsLabelName(namespace, false).map((text) => invalid(path, namespace, text));
}

function validateOwnerReferences(references: readonly OwnerReference[], path: Path): Found {
  const findings = ofEach(references, (reference) => validateOwnerReference(reference, path));
  const [first, ...others] = references
    .filter((reference) => reference.controller === true)
    .map(({ kind = '', name = '' }) => `${kind}/${name}`);
  if (others.length === 0) return findings;
  const several = (other: string): string =>
    `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${other}`;
  const printed = references.map(printedOwner);
  return inOrder(
    findings,
    ofEach(others, (other) => [invalid(path, printed, several(other))]),
  );
}

function validateOwnerReference(reference: OwnerReference, path: Path): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const [version = '', _group, ...more] = apiVersion.split('/').reverse();
  const isVersioned = version !== '' && more.length === 0;
  const empty = [
    ['kind', kind],
    ['name', name],
    ['uid', uid],
  ].filter(([, value]) => value === '');
  return [
    ...(!isVersioned ? [invalid(path.child('apiVersion'), apiVersion, 'version must not be empty')] : []),
    ...empty.map(([member = '', value]) => invalid(path.child(member), value, 'must not be empty')),
    ...(neverOwners.has(`${apiVersion} ${kind}`)
      ? [invalid(path, printedOwner(reference), `/${apiVersion}, Kind=${kind} is disallowed from being an owner`)]
      : []),
  ];
}

function validateNoNewFinalizers(finalizers: readonly string[], old: readonly string[]): FieldError[] {
  const known = new Set(old);
  const added = [...new Set(finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  return [
    forbidden(metadata.child('finalizers'), `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`),
  ];
}
