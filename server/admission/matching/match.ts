import type { ApiObject, JsonObject } from '../../../api/object.js';
import { labelSelectorOf, matchesLabels, type LabelSelector, type LabelSelectorObject } from '../../../api/selectors/index.js';
import { internalError, notFound } from '../../../api/status.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { readFailure } from '../../registry/failures.js';
import type { Catalogue } from '../../registry/resources.js';
import type { Storage } from '../../storage/contract.js';
import type { AdmissionRequest } from '../../registry/admission.js';
import { matchesRule, ruleOf, type Addressed, type Attributes, type Rule } from './rules.js';
import { attributesOf, equivalentsOf } from './subject.js';

export interface MatchTerms {
  readonly rules: readonly Rule[];
  /** Also matches equivalent requests for the same objects (`matchPolicy: Equivalent`). */
  readonly equivalent: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
}

/** Reads stored terms, which are valid and have defaults. `rules` names their member. */
export function matchTermsOf(holder: JsonObject, rules: string): MatchTerms {
  return {
    rules: objectsIn(holder, rules).map(ruleOf),
    equivalent: holder['matchPolicy'] !== 'Exact',
    namespaceSelector: selectorOf(holder, 'namespaceSelector'),
    objectSelector: selectorOf(holder, 'objectSelector'),
  };
}

function selectorOf(holder: JsonObject, member: string): LabelSelector {
  const parsed = labelSelectorOf((objectAt(holder, member) ?? {}) as LabelSelectorObject);
  // Validation refuses unreadable terms.
  if (!parsed.ok) throw new Error(`broken invariant: stored ${member}: ${parsed.message}`);
  return parsed.selector;
}

/** A request with its match inputs, shared by all webhooks and policies. */
export interface Subject {
  readonly request: AdmissionRequest;
  readonly attributes: Attributes;
  equivalents(): readonly Addressed[];
  /** The labels of the namespace, or of the Namespace itself after the request; null if cluster-scoped. Rejects with a StatusError. */
  namespaceLabels(): Promise<Labels | null>;
}

export type Labels = Readonly<Record<string, string>>;

export interface MatchParts {
  /** Reads this replica's memory; confirms an absence by the latest state. */
  readonly storage: Pick<Storage, 'get'>;
  readonly catalogue: Catalogue;
}

export function subjectOf(request: AdmissionRequest, { storage, catalogue }: MatchParts): Subject {
  let equivalents: readonly Addressed[] | null = null;
  let labels: Promise<Labels | null> | null = null;
  return {
    request,
    attributes: attributesOf(request),
    equivalents: () => (equivalents ??= equivalentsOf(request, catalogue)),
    namespaceLabels: () => (labels ??= namespaceLabels(request, storage)),
  };
}

const namespaces = { group: '', resource: 'namespaces' };

async function namespaceLabels(request: AdmissionRequest, storage: Pick<Storage, 'get'>): Promise<Labels | null> {
  const { operation, resource, subresource, object } = request;
  const { namespace } = attributesOf(request);
  const isNamespace = resource.group === '' && resource.resource === 'namespaces';
  if (isNamespace && subresource === '' && object !== null && operation !== 'DELETE') return object.metadata.labels ?? {};
  if (namespace === '') return isNamespace ? {} : null;
  const key = { resource: namespaces, namespace: '', name: namespace };
  let found = await storage.get(key, { at: 'any' });
  if (found.outcome === 'absent') found = await storage.get(key, { at: 'mostRecent' });
  if (found.outcome === 'absent') throw notFound(namespaces, namespace);
  if (found.outcome !== 'found') throw internalError(readFailure(found));
  return found.object.labels;
}

/**
 * Returns the matching form of a request: as addressed, or an equivalent; null for none. Does not evaluate CEL conditions. Rejects with a StatusError when a
 * needed namespace cannot be read.
 */
export async function matchRequest(terms: MatchTerms, subject: Subject): Promise<Addressed | null> {
  // Rules come first: they are cheap, and decide most requests.
  const matched = matchRules(terms, subject);
  if (matched === null || !matchesObjects(terms.objectSelector, subject.request)) return null;
  if (terms.namespaceSelector.length === 0) return matched;
  const labels = await subject.namespaceLabels();
  return labels === null || matchesLabels(terms.namespaceSelector, labels) ? matched : null;
}

export function matchRules({ rules, equivalent }: Pick<MatchTerms, 'rules' | 'equivalent'>, subject: Subject): Addressed | null {
  const { attributes } = subject;
  if (rules.some((rule) => matchesRule(rule, attributes))) return attributes;
  if (!equivalent) return null;
  for (const rule of rules) {
    const found = subject.equivalents().find((each) => matchesRule(rule, { ...attributes, ...each }));
    if (found !== undefined) return found;
  }
  return null;
}

/** Either state may match. Objects without metadata, such as connection options, match only an empty selector. */
function matchesObjects(selector: LabelSelector, { operation, object, old, form }: AdmissionRequest): boolean {
  if (selector.length === 0) return true;
  if (operation === 'CONNECT') return false;
  // A view of another form has no labels.
  const labelsOf = ({ metadata }: ApiObject): Labels => (form?.view === undefined ? (metadata.labels ?? {}) : {});
  return [object, old].some((state) => state !== null && matchesLabels(selector, labelsOf(state)));
}
