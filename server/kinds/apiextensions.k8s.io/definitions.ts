import type * as v1 from '../../../api/types/apiextensions/v1.js';
import {
  byDefault,
  created,
  ensureObject,
  gate,
  inOrder,
  invalid,
  itemsOf,
  members,
  objectAt,
  objectRules,
  objectsIn,
  Path,
  specOf,
  statusOf,
  subdomainName,
  textAt,
  unchanged,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
} from '../language.js';
import { conversionDefaults } from './conversion.js';
import { validateApproval } from './approval.js';
import { bundleProblem } from './caBundle.js';
import { names } from './definitionNames.js';
import { formatWarnings } from './formats.js';
import type { Spec, Version } from './hoisting.js';
import { reviewSchemas, specPath, validateSpec } from './spec.js';

type Definition = Draft<v1.CustomResourceDefinition>;

const storedPath = Path.of('status', 'storedVersions');
const preserveText = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

const versionsOf = (definition: Definition): Version[] => objectsIn(specOf(definition), 'versions');
const storedOf = (definition: Definition): readonly string[] => itemsOf(statusOf(definition).storedVersions);
const isEstablished = (definition: Definition): boolean =>
  objectsIn(statusOf(definition), 'conditions').some(({ type, status }) => type === 'Established' && status === 'True');

const { defaults } = objectRules<v1.CustomResourceDefinition>({
  spec: created(
    members<v1.CustomResourceDefinitionSpec>({
      names: created(names),
      conversion: byDefault(() => ({ strategy: 'None' }), conversionDefaults),
    }),
  ),
});

const validate = (definition: Definition): Found =>
  inOrder(
    validateSpec(specOf(definition), null),
    validateAccepted(definition),
    validateStored(definition),
    validateApproval(definition, null),
    validatePreserve(specOf(definition), false),
  );

function nameProblems(name: string, prefix: boolean, definition: Definition): string[] {
  const { names, group = '' } = specOf(definition);
  const wanted = `${names?.plural ?? ''}.${group}`;
  return [...subdomainName(name, prefix), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

const validateAccepted = objectRules<v1.CustomResourceDefinition>({
  status: members<v1.CustomResourceDefinitionStatus>({ acceptedNames: names }),
});

function validateStored(definition: Definition): FieldError[] {
  const stored = storedOf(definition);
  const versions = versionsOf(definition);
  if (stored.length === 0) return [invalid(storedPath, null, 'must have at least one stored version')];
  const left = new Set(stored);
  const missing = versions.flatMap(({ name = '', storage }) => (left.delete(name) || storage !== true ? [] : [name]));
  return [
    ...missing.map((name) => invalid(storedPath, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, position) =>
      versions.some((version) => (version.name ?? '') === name) ? [] : [invalid(storedPath.index(position), name, stillStored(name))],
    ),
  ];
}

const stillStored = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until ` +
  `a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

/** `wasSet`: objects of old may keep unknown fields. */
const validatePreserve = (spec: Spec, wasSet: boolean): FieldError[] =>
  spec.preserveUnknownFields === true && !wasSet ? [invalid(specPath.child('preserveUnknownFields'), true, preserveText)] : [];

/** Once the resource is served, nothing changes that affects its storage. */
function validateKept(definition: Definition, old: Definition): FieldError[] {
  const [spec, before] = [specOf(definition), specOf(old)];
  const text = (member: 'scope' | 'group'): FieldError[] => unchanged(textAt(spec, member), textAt(before, member), specPath.child(member));
  const name = (member: 'kind' | 'plural'): FieldError[] =>
    unchanged(textAt(spec, 'names', member), textAt(before, 'names', member), specPath.child('names', member));
  return [...(isEstablished(old) ? [...text('scope'), ...name('kind')] : []), ...text('group'), ...name('plural')];
}

const bundleOf = (definition: Definition): string => textAt(specOf(definition), 'conversion', 'webhook', 'clientConfig', 'caBundle');

/** Readable authorities cannot be replaced by unreadable ones. New definitions only wait with these. */
function validateBundle(definition: Definition, old: Definition): FieldError[] {
  if (textAt(specOf(definition), 'conversion', 'strategy') !== 'Webhook') return [];
  if (!isEstablished(old) || bundleProblem(bundleOf(old)) !== null) return [];
  const [bundle, path] = [bundleOf(definition), specPath.child('conversion', 'webhookClientConfig', 'caBundle')];
  const problem = bundleProblem(bundle);
  return problem === null ? [] : [invalid(path, bundle, problem)];
}

/** Objects may be stored in the storage version from now on, the first where several are marked. */
function withStorageVersion(definition: Definition, stored: readonly string[]): string[] | null {
  const storage = versionsOf(definition).find((version) => version.storage === true);
  const all = [...new Set([...stored, ...(storage === undefined ? [] : [storage.name ?? ''])])];
  return all.length === 0 ? null : all;
}

/** The server removes it when the last object of the resource is gone. */
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
const policyFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);

function markDeleted(definition: Definition, now: string): void {
  const finalizers = (definition.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer && !policyFinalizers.has(name));
  definition.metadata.deletionTimestamp = now;
  definition.metadata.finalizers = [...finalizers, cleanupFinalizer];
  const status = ensureObject(definition, 'status');
  const others = objectsIn(status, 'conditions').filter(({ type }) => type !== 'Terminating');
  status.conditions = [
    ...others,
    {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: now,
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
  ];
}

export const customResourceDefinitions: Kind<Definition> = {
  name: 'customresourcedefinitions.apiextensions.k8s.io',
  metadata: { anyFinalizers: true, generationOf: ['spec'], name: nameProblems },
  gated: [gate('CRDObservedGenerationTracking', 'status.observedGeneration', 'status.conditions[].observedGeneration')],
  defaults,
  ahead: (definition) => reviewSchemas(specOf(definition)),
  validate,
  warnings: (definition, old) => formatWarnings(specOf(definition), old === null ? null : specOf(old)),
  create: {
    prepare(definition) {
      definition.status = {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: withStorageVersion(definition, []),
      };
    },
  },
  update: {
    unconditional: false,
    prepare(definition, old) {
      definition.status = { ...objectAt(old, 'status'), storedVersions: withStorageVersion(definition, storedOf(old)) };
    },
    review: [
      'objectMetaUpdate',
      (definition, old) => validateSpec(specOf(definition), specOf(old)),
      validateBundle,
      validateKept,
      validateAccepted,
      validateStored,
      validateApproval,
      (definition, old) => validatePreserve(specOf(definition), specOf(old).preserveUnknownFields === true),
    ],
  },
  subresources: {
    status: { review: ['objectMetaUpdate', validateAccepted] },
  },
  delete: { alwaysMarks: true, mark: markDeleted },
};
