import type * as v1 from '../../../../api/types/core/v1.js';
import {
  invalid,
  isSet,
  itemsOf,
  printedAs,
  sameValue,
  type FieldError,
  type JsonObject,
  type Path,
  type Writable,
} from '../../language.js';
import { specPath } from './validation.js';

type PodSpec = Writable<v1.PodSpec>;
type NodeAffinity = Writable<v1.NodeAffinity>;
type Term = Writable<v1.NodeSelectorTerm>;

/** An update may narrow a gated pod's placement, but not widen it. Restores in `spec` what was checked. */
export function validateGatedUpdate(spec: PodSpec, before: PodSpec): FieldError[] {
  const findings: FieldError[] = [];
  if (!sameValue(spec.nodeSelector, before.nodeSelector)) {
    findings.push(...validateSelector(spec.nodeSelector ?? {}, before.nodeSelector ?? {}));
    spec.nodeSelector = before.nodeSelector;
  }
  const { nodeAffinity: node, ...others } = spec.affinity ?? {};
  const oldNode = before.affinity?.nodeAffinity;
  if (sameValue(node ?? null, oldNode ?? null)) return findings;
  findings.push(...validateAffinity(node, oldNode));
  if (isSet(oldNode)) spec.affinity = { ...others, nodeAffinity: oldNode };
  else if (!isSet(before.affinity) && Object.keys(others).length === 0) delete spec.affinity;
  else spec.affinity = others;
  return findings;
}

function validateSelector(selector: NonNullable<PodSpec['nodeSelector']>, before: NonNullable<PodSpec['nodeSelector']>): FieldError[] {
  const kept = Object.entries(before).every(([key, value]) => selector[key] === value);
  return kept
    ? []
    : [invalid(specPath.child('nodeSelector'), selector, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')];
}

const termsOf = (affinity: NodeAffinity | undefined): readonly Term[] =>
  itemsOf(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);

function validateAffinity(affinity: NodeAffinity | undefined, before: NodeAffinity | undefined): FieldError[] {
  const path = specPath.child('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const [terms, old] = [termsOf(affinity), termsOf(before)];
  if (old.length > 0 && old.length !== terms.length)
    return [
      invalid(
        path,
        terms.length === 0 ? null : terms.map(printedTerm),
        'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      ),
    ];
  return old.flatMap((term, position) => validateTerm(terms[position] ?? {}, term, path.index(position)));
}

function validateTerm(term: Term, before: Term, path: Path): FieldError[] {
  const lists = (['matchExpressions', 'matchFields'] as const).map((list) => [itemsOf(term[list]), itemsOf(before[list])] as const);
  const wasEmpty = lists.every(([, old]) => old.length === 0);
  const onlyAdds = wasEmpty
    ? lists.every(([now]) => now.length === 0)
    : lists.every(([now, old]) => sameValue(now.slice(0, old.length), old));
  return onlyAdds ? [] : [invalid(path, printedTerm(term), 'only additions are allowed (no mutations or deletions)')];
}

const printedTerm = (term: Term): JsonObject => printedAs('core.v1.NodeSelectorTerm', term);
