import type * as metaV1 from '../../../api/types/meta/v1.js';
import {
  changed,
  invalid,
  isEmptySelector,
  memberAt,
  Path,
  printedSelector,
  requiredPointer,
  strictly,
  unchanged,
  validateLabelSelector,
  type ApiObject,
  type FieldError,
  type Rule,
  type Writable,
} from '../language.js';
import { selectorOf } from '../core/podSpec/controlledTemplate.js';

type Selector = Writable<metaV1.LabelSelector>;

export const strictSelector = changed<Selector>(validateLabelSelector, strictly);
export const notEmpty =
  (text: string): Rule<Selector> =>
  (selector, path) =>
    isEmptySelector(selector) ? [invalid(path, printedSelector(selector), text)] : [];

/** `broken` is the message for an unusable selector, after those about its parts. */
export const workloadSelector = (empty: string, broken: string): Rule<Selector | null | undefined> =>
  requiredPointer(strictSelector, notEmpty(empty), (selector, path) =>
    selectorOf(selector) === null ? [invalid(path, printedSelector(selector), broken)] : [],
  );

/** The selector of a workload never changes. */
export const sameSelector = (workload: ApiObject, old: ApiObject): FieldError[] =>
  unchanged(
    printedSelector(memberAt(workload, 'spec', 'selector')),
    printedSelector(memberAt(old, 'spec', 'selector')),
    Path.of('spec', 'selector'),
  );
