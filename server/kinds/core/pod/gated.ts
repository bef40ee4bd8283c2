import type { JsonObject } from '../../../../api/object.js';
import { sameValue } from '../../../../api/json/equality.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf } from '../../../../api/json/members.js';
import { invalid, type FieldError, type Path } from '../../../registry/validation/field.js';
import { printedStructure } from '../../../registry/validation/internalform.js';
import { nodeTermForm } from '../persistentVolume/printed.js';
import { specPath } from './validation.js';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** An update may narrow a gated pod's placement, but not widen it. Restores in `spec` what was checked. */
export function validateGatedUpdate(spec: JsonObject, before: JsonObject): FieldError[] {
  const findings: FieldError[] = [];
  if (!sameValue(spec['nodeSelector'], before['nodeSelector'])) {
    findings.push(...validateSelector(objectAt(spec, 'nodeSelector') ?? {}, objectAt(before, 'nodeSelector') ?? {}));
    spec['nodeSelector'] = before['nodeSelector'];
  }
  const [affinity, old] = [objectAt(spec, 'affinity'), objectAt(before, 'affinity')];
  const [node, oldNode] = [objectAt(affinity ?? {}, 'nodeAffinity'), objectAt(old ?? {}, 'nodeAffinity')];
  if (sameValue(node, oldNode)) return findings;
  findings.push(...validateAffinity(node, oldNode));
  const { nodeAffinity: _node, ...others } = affinity ?? {};
  if (oldNode !== null) spec['affinity'] = { ...others, nodeAffinity: oldNode };
  else if (old === null && Object.keys(others).length === 0) delete spec['affinity'];
  else spec['affinity'] = others;
  return findings;
}

function validateSelector(selector: JsonObject, before: JsonObject): FieldError[] {
  const kept = Object.entries(before).every(([key, value]) => selector[key] === value);
  return kept
    ? []
    : [invalid(specPath.child('nodeSelector'), selector, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)')];
}

function validateAffinity(affinity: JsonObject | null, before: JsonObject | null): FieldError[] {
  if (before === null) return [];
  const path = specPath.child('affinity', 'nodeAffinity', required, 'nodeSelectorTerms');
  const terms = objectsIn(objectAt(affinity ?? {}, required) ?? {}, 'nodeSelectorTerms');
  const old = objectsIn(objectAt(before, required) ?? {}, 'nodeSelectorTerms');
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

function validateTerm(term: JsonObject, before: JsonObject, path: Path): FieldError[] {
  const lists = ['matchExpressions', 'matchFields'].map((list) => [itemsOf(term[list]), itemsOf(before[list])] as const);
  const wasEmpty = lists.every(([, old]) => old.length === 0);
  const onlyAdds = wasEmpty
    ? lists.every(([now]) => now.length === 0)
    : lists.every(([now, old]) => sameValue(now.slice(0, old.length), old));
  return onlyAdds ? [] : [invalid(path, printedTerm(term), 'only additions are allowed (no mutations or deletions)')];
}

const printedTerm = (term: JsonObject): JsonObject => printedStructure(term, nodeTermForm);
