import { isDeepStrictEqual } from 'node:util';
import type { Steps } from '../../../api/steps.js';
import type { JsonMembers } from '../../../workers/codecs/value.js';
import { keepsRulesFromRunning, type CompiledSchema } from '../../../workers/schema/custom/contract.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { StatusCause } from '../../../api/status.js';
import { rulesUnchecked, type RulesVerdict, type SchemaRules } from '../../../cel/rules/contract.js';
import { fieldsAt } from '../../kinds/fields.js';
import type { Rules, SubresourceRules } from '../../registry/rules.js';
import type { FieldError, FieldErrorType } from '../../registry/validation/field.js';
import { qualifiedNameProblems } from '../../registry/validation/names.js';
import { storable } from './growth.js';
import type { DefinedVersion } from '../definition.js';
import { specFindings, statusFindings } from './scale.js';

export interface RuleParts {
  readonly version: DefinedVersion;
  readonly apiVersion: string;
  readonly kind: string;
  /** Compiled on first use. */
  readonly schema: () => CompiledSchema;
  readonly rules: () => SchemaRules;
}

/** Members outside the content. */
const frame: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The rules of a custom resource's version, from its schema and subresources. Storage converts objects to that version. */
export function customRules(parts: RuleParts): Rules {
  const {
    version: { hasStatus, selectableFields },
    schema,
  } = parts;
  const findings = createFindings(parts);
  const { lastFindings, warnings } = findings;
  const statusRules: SubresourceRules = {
    prepare: keepMetadata,
    resets: ['metadata', 'spec'],
    review: ['objectMetaUpdate', (object, old) => findings.ofChange(object, old, true)],
    lastFindings,
    warnings,
  };
  return {
    metadata: { anyFinalizers: true, countsCreation: true },
    defaults: (object) => storable(schema().applyDefaults(object as JsonMembers)),
    validate: findings.ofNew,
    lastFindings,
    warnings,
    create: {
      // Unlike a built-in kind, a new object has no status.
      prepare(object) {
        if (hasStatus) delete object['status'];
      },
    },
    update: {
      unconditional: false,
      keepsEmpty: true,
      prepare(object, old) {
        if (!sameContent(object, old, hasStatus)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
      },
      review: ['objectMetaUpdate', (object, old) => findings.ofChange(object, old, false)],
    },
    ...(hasStatus ? { subresources: { status: statusRules } } : {}),
    fields: { values: fieldsAt(...selectableFields), unsupported: (field) => `field label not supported: ${field}` },
  };
}

/** A write through `status` does not even change metadata. */
function keepMetadata(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  object.metadata = { ...old.metadata };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** Compares the contents of a generation: all but metadata, and a status that is a subresource. */
function sameContent(object: ApiObject, old: ApiObject, hasStatus: boolean): boolean {
  const counted = (name: string): boolean => !frame.has(name) && !(hasStatus && name === 'status');
  const names = new Set([...Object.keys(object), ...Object.keys(old)].filter(counted));
  return [...names].every((name) => isDeepStrictEqual(object[name] ?? null, old[name] ?? null));
}

interface Findings {
  ofNew(object: ApiObject): Steps<FieldError[]>;
  ofChange(object: ApiObject, old: ApiObject, statusOnly: boolean): Steps<FieldError[]>;
  /** Findings of the rules, unless schema findings suppress them. */
  lastFindings(
    object: ApiObject,
    old: ApiObject | null,
    found: readonly FieldError[],
    warn: (text: string) => void,
  ): FieldError[] | Promise<FieldError[]>;
  warnings(object: ApiObject, old: ApiObject | null): string[];
}

function createFindings({ version: { scale }, apiVersion, kind, schema, rules }: RuleParts): Findings {
  const typed = (object: ApiObject): JsonMembers => ({ ...object, apiVersion, kind }) as JsonMembers;
  const ofScale = (object: ApiObject, statusOnly: boolean): Between[] =>
    (scale === null ? [] : [...(statusOnly ? [] : specFindings(object, scale)), ...statusFindings(object, scale)]) as Between[];
  const judged = (verdict: RulesVerdict, warn: (text: string) => void): FieldError[] => {
    // Sends warnings about tolerated old faults even with a refusal.
    verdict.warnings.forEach(warn);
    return verdict.causes.map(ofCause);
  };
  return {
    ofNew: (object) => schema().validate(typed(object), { between: ofScale(object, false) }),
    ofChange: (object, old, statusOnly) =>
      schema().validateUpdate(typed(object), typed(old), { between: ofScale(object, statusOnly), statusOnly }),
    lastFindings(object, old, found, warn) {
      if (rules().isEmpty) return [];
      if (found.some((finding) => keepsRulesFromRunning(finding as Between))) return [ofCause(rulesUnchecked)];
      const verdict = rules().verdict(typed(object) as JsonObject, old === null ? null : (typed(old) as JsonObject));
      return verdict instanceof Promise ? verdict.then((later) => judged(later, warn)) : judged(verdict, warn);
    },
    warnings: finalizerWarnings,
  };
}

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Any finalizer name is allowed; a warning recommends a domain for added ones. */
function finalizerWarnings({ metadata: { finalizers = [] } }: ApiObject, old: ApiObject | null): string[] {
  const added = [...new Set(finalizers)].filter((name) => old?.metadata.finalizers?.includes(name) !== true).sort();
  return added.flatMap((name) =>
    [...qualifiedNameProblems(name), ...(name.includes('/') || standardFinalizers.has(name) ? [] : [advice(name)])].map(
      (text) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`,
    ),
  );
}

const advice = (name: string): string =>
  `prefer a domain-qualified finalizer name${name.includes('.') ? ' including a path (/)' : ''} to avoid accidental conflicts with other finalizer writers`;

/** Findings about scale are ordinary causes. */
type Between = NonNullable<NonNullable<Parameters<CompiledSchema['validate']>[1]>['between']>[number];

const ofCause = ({ reason, field, message }: StatusCause): FieldError => ({
  type: (reason ?? 'FieldValueInvalid') as FieldErrorType,
  path: field ?? '<nil>',
  message: message ?? '',
});
