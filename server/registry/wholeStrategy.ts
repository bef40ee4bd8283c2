import type { Steps } from '../../api/steps.js';
import { isDeepStrictEqual } from 'node:util';
import { copyOf } from '../../api/json/copy.js';
import type { ApiObject } from '../../api/object.js';
import { markDeleted } from './deletion.js';
import type { GatedFields } from '../../program/features/gates.js';
import { sameInMemory, sameValue } from '../../api/json/equality.js';
import { FieldSet, fieldElement } from '../patch/apply/fieldSet.js';
import { withoutEmpty } from './emptyLists.js';
import { gatedFields } from './gatedFields.js';
import type { ResourceNames } from './resources.js';
import type {
  ChangeFindings,
  ChangeRules,
  CreateRules,
  DeleteRules,
  FieldRules,
  MetadataRules,
  Review,
  Rules,
  SubresourceRules,
} from './rules.js';
import { outcomeOf, type Stepwise } from './stepwise.js';
import { restoreContent, restoreMetadata } from './statusWrites.js';
import type { ChangeSteps, CreateSteps, DeleteSteps, FieldSteps, MetadataSteps, Strategy, UpdateSteps } from './strategy.js';
import { Path, type FieldError } from './validation/field.js';
import { validateFinalizerNames } from './validation/metadata.js';
import { subdomainName } from './validation/names.js';

type ReviewStep = 'objectMeta' | 'objectMetaUpdate' | ChangeFindings;

type RuledResource = Pick<ResourceNames, 'group' | 'version' | 'kind' | 'namespaced' | 'subresources'>;
interface Traits {
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
}

/** Builds the strategy of a resource from its declaration, with the common behaviour where the declaration has no rule. */
export function wholeStrategy(rules: Rules, names: RuledResource): Strategy {
  const traits: Traits = { namespaced: names.namespaced, hasStatus: names.subresources.has('status') };
  const gated = gatedFields(rules.gated ?? []);
  const update = updateSteps(rules, gated, { ...traits, settled: (object) => withoutEmpty(object, names) });
  const subresources = { ...(traits.hasStatus ? { status: {} } : {}), ...rules.subresources };
  const through: ReadonlyMap<string, ChangeSteps> = new Map(
    Object.entries(subresources).map(([name, own]) => [name, subresourceSteps(name, own, rules, gated)]),
  );
  return {
    metadata: metadataSteps(rules.metadata),
    read: { defaults: rules.defaults ?? nothing, fields: fieldSteps(rules.fields, traits) },
    create: createSteps(rules, gated, traits),
    update,
    through: (subresource) => through.get(subresource) ?? update,
    createsThrough: (subresource) =>
      subresource === '' ? (rules.update?.creates === true ? 'always' : 'apply') : (rules.subresources?.[subresource]?.creates ?? 'never'),
    delete: deleteSteps(rules.delete),
    gated,
  };
}

const nothing = (): void => undefined;
const none = (): never[] => [];
function* noSteps(): Steps<void> {}

const finalizersPath = Path.of('metadata', 'finalizers');

const metadataSteps = ({ name = subdomainName, anyFinalizers = false }: MetadataRules = {}): MetadataSteps => ({
  name,
  finalizers: anyFinalizers ? none : ({ finalizers = [] }) => validateFinalizerNames(finalizers, finalizersPath),
});

/** Cluster-scoped kinds with fields of their own do not know the namespace. */
function fieldSteps(rules: FieldRules | undefined, { namespaced }: Traits): FieldSteps {
  if (rules === undefined) {
    return {
      aliases: {},
      supports: (field) => field === 'metadata.namespace',
      unsupported: (field) => `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    };
  }
  const { values, aliases = {}, unsupported = (field) => `field label not supported: ${field}` } = rules;
  const names = new Set([...Object.keys(values), ...(namespaced ? ['metadata.namespace'] : [])]);
  return { aliases, supports: (field) => names.has(field), unsupported };
}

function createSteps(rules: Rules, gated: GatedFields, { hasStatus }: Traits): CreateSteps {
  const { ahead = noSteps, prepare: prepareWrite = nothing, validate = none, lastFindings = none } = rules;
  const { canonicalize = nothing, warnings = none, create = {} } = rules;
  const { status = hasStatus ? {} : 'sent', prepare = nothing, named = null } = create;
  const { review = metadataFirst(validate) } = create;
  const { generationOf, countsCreation = generationOf !== undefined } = rules.metadata ?? {};
  return {
    prepare(object, context) {
      // Clients cannot create objects with a status.
      if (status !== 'sent') object['status'] = copyOf(status);
      prepareWrite(object, null, context);
      prepare(object, context);
      context.dropGated(object, null, gated);
      if (countsCreation) object.metadata.generation = 1;
    },
    named,
    ahead,
    review: (object, ofMetadata, servedAs) => outcomeOf(review(object, ofMetadata, servedAs)),
    // A new object has no old faults.
    lastFindings: (object, found) => lastFindings(object, null, found, nothing),
    canonicalize,
    warnings: (object) => warnings(object, null),
  };
}

const metadataFirst = (validate: NonNullable<Rules['validate']>): NonNullable<CreateRules['review']> =>
  function* (object, ofMetadata, servedAs) {
    return [...(yield* outcomeOf(ofMetadata())), ...(yield* outcomeOf(validate(object, servedAs)))];
  };

interface UpdateTraits extends Traits {
  /** Returns the object without what will be absent once it is stored. */
  readonly settled: (object: ApiObject) => ApiObject;
}

function updateSteps(rules: Rules, gated: GatedFields, { hasStatus, settled }: UpdateTraits): UpdateSteps {
  const { ahead = noSteps, prepare: prepareWrite = nothing, lastFindings = none, warnings = none, update = {} } = rules;
  const { prepare = nothing, resets = hasStatus ? ['status'] : [], unconditional = true, keepsEmpty = false } = update;
  const count = generationCounter(rules.metadata, settled);
  return {
    resets: fieldsAt(resets),
    readsNamespace: () => false,
    prepare(object, old, context) {
      if (hasStatus) keepStatus(object, old);
      prepareWrite(object, old, context);
      prepare(object, old, context);
      context.dropGated(object, old, gated);
      count(object, old);
    },
    ahead,
    review: reviewOf(update, ['objectMetaUpdate', 'objectMeta']),
    lastFindings,
    canonicalize: rules.canonicalize ?? nothing,
    warnings,
    unconditional,
    isSame: keepsEmpty ? isDeepStrictEqual : sameValue,
  };
}

function keepStatus(object: ApiObject, old: ApiObject): void {
  if (old['status'] === undefined) delete object['status'];
  else object['status'] = old['status'];
}

function generationCounter(
  { generationOf = [], tellsEmptyFromNone = false }: MetadataRules = {},
  settled: UpdateTraits['settled'],
): (object: ApiObject, old: ApiObject) => void {
  const same = tellsEmptyFromNone ? sameInMemory : sameValue;
  const differs = (object: ApiObject, old: ApiObject): boolean => generationOf.some((member) => !same(object[member], old[member]));
  return (object, old) => {
    if (differs(object, old) && (tellsEmptyFromNone || differs(settled(object), old)))
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  };
}

function subresourceSteps(name: string, own: SubresourceRules, rules: Rules, gated: GatedFields): ChangeSteps {
  const { keepsMetadata = false, readsNamespace = () => false, prepare = nothing, lastFindings = none, warnings = none } = own;
  const { resets = name !== 'status' ? [] : keepsMetadata ? ['metadata', 'spec'] : ['spec'] } = own;
  return {
    resets: fieldsAt(resets),
    readsNamespace,
    prepare(object, old, context) {
      if (name === 'status') restoreContent(object, old);
      if (keepsMetadata) restoreMetadata(object, old);
      prepare(object, old, context);
      context.dropGated(object, old, gated);
    },
    ahead: noSteps,
    review: reviewOf(own, ['objectMetaUpdate']),
    lastFindings,
    canonicalize: rules.canonicalize ?? nothing,
    warnings,
  };
}

/**
 * The reference lists findings of metadata twice, generically and for the kind; clients that count causes see that. Subresources check only the change
 * (`ValidateNamespaceStatusUpdate` in core/validation/validation.go).
 */
const reviewOf = (
  { validate = none, review: own }: ChangeRules,
  metadata: readonly ('objectMeta' | 'objectMetaUpdate')[],
): ChangeSteps['review'] =>
  function* (object, old, review) {
    const steps = own ?? [...metadata, validate];
    const findings: FieldError[][] = [];
    for (const step of steps) findings.push(yield* outcomeOf(findingsOf(step, object, old, review)));
    return findings.flat();
  };

function findingsOf(step: ReviewStep, object: ApiObject, old: ApiObject, review: Review): Stepwise<FieldError[]> {
  if (step === 'objectMeta') return review.metadata.object();
  return step === 'objectMetaUpdate' ? review.metadata.update() : step(object, old, review);
}

const fieldsAt = (paths: readonly string[]): FieldSet =>
  FieldSet.unionOf(paths.map((path) => FieldSet.at(path.split('.').map(fieldElement))));

function deleteSteps(rules: DeleteRules = {}): DeleteSteps {
  return {
    answers: 'status',
    propagation: 'background',
    protectedBy: () => null,
    graceSeconds: null,
    heldBy: () => false,
    alwaysMarks: false,
    mark: markDeleted,
    warnings: none,
    ...rules,
  };
}
