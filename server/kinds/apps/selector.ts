import type { ApiObject, JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { memberAt } from '../../../api/json/members.js';
import { selectorOf } from '../core/podSpec/controlledTemplate.js';
import { invalid, Path, required, strictly, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { isEmptySelector, validateLabelSelector } from '../../registry/validation/labelselector.js';
import { printedSelector } from '../../registry/validation/printed.js';

/** What is said of selectors depends on the kind. */
export interface SelectorRules {
  /** What an empty selector is told. */
  readonly empty: string;
  /** What a selector that cannot select is told, after what is wrong with its parts. */
  readonly broken: string;
  /** Whether an absent selector is reported as such, besides selecting nothing. */
  readonly required: boolean;
}

/** Findings about the selector of a workload in its specification. */
export function validateWorkloadSelector(spec: JsonObject, path: Path, rules: SelectorRules): FieldError[] {
  const selector = objectAt(spec, 'selector');
  if (selector === null) return rules.required ? [required(path, '')] : [];
  return [
    ...strictly(validateLabelSelector(selector, path)),
    ...(isEmptySelector(selector) ? [invalid(path, printedSelector(selector), rules.empty)] : []),
    ...(selectorOf(selector) === null ? [invalid(path, printedSelector(selector), rules.broken)] : []),
  ];
}

/** Which pods a workload has never changes. */
export const sameSelector = (workload: ApiObject, old: ApiObject): FieldError[] =>
  unchanged(
    printedSelector(memberAt(workload, 'spec', 'selector')),
    printedSelector(memberAt(old, 'spec', 'selector')),
    Path.of('spec', 'selector'),
  );
