import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { memberAt } from '../../../api/json/members.js';
import type { LabelSelector } from '../../../api/selectors/index.js';
import { fromFound, inOrder, type Found } from '../../registry/validation/ofEach.js';
import { invalid, Path, required, strictly, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { isEmptySelector, validateLabelSelector } from '../../registry/validation/labelselector.js';
import { printedSelector } from '../../registry/validation/printed.js';

export interface SelectorRules {
  readonly empty: string;
  /** The message for an unusable selector, after those about its parts. */
  readonly broken: string;
  /** Whether a missing selector is reported, in addition to selecting nothing. */
  readonly required: boolean;
}

export function validateWorkloadSelector(spec: JsonObject, path: Path, parsed: LabelSelector | null, rules: SelectorRules): Found {
  const selector = objectAt(spec, 'selector');
  if (selector === null) return rules.required ? [required(path, '')] : [];
  return inOrder(
    fromFound(validateLabelSelector(selector, path), strictly),
    isEmptySelector(selector) ? [invalid(path, printedSelector(selector), rules.empty)] : [],
    parsed === null ? [invalid(path, printedSelector(selector), rules.broken)] : [],
  );
}

/** The selector of a workload never changes. */
export const sameSelector = (workload: ApiObject, old: ApiObject): FieldError[] =>
  unchanged(
    printedSelector(memberAt(workload, 'spec', 'selector')),
    printedSelector(memberAt(old, 'spec', 'selector')),
    Path.of('spec', 'selector'),
  );
