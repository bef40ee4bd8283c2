import type * as metaV1 from '../../../api/types/meta/v1.js';
import type { ApiObject } from '../../../api/object.js';
import { memberAt } from '../../../api/json/members.js';
import { invalid, Path, strictly, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { isEmptySelector, validateLabelSelector } from '../../registry/validation/labelselector.js';
import { printedSelector } from '../../registry/validation/printed.js';
import { changed, requiredPointer, type Rule } from '../../registry/validation/table.js';
import { selectorOf } from '../core/podSpec/controlledTemplate.js';
import type { Writable } from '../kind.js';

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
