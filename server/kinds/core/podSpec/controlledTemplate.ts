import type * as v1 from '../../../../api/types/core/v1.js';
import {
  forbiddenAs,
  invalid,
  members,
  oneOf,
  printedMap,
  type FieldError,
  type JsonValue,
  type Path,
  type Rule,
  type Writable,
} from '../../language.js';
import { labelSelectorOf, type LabelSelectorObject } from '../../../../api/selectors/labelSelectorObject.js';
import type { LabelSelector } from '../../../../api/selectors/index.js';
import { matchesLabels } from '../../../../api/selectors/match.js';

type Template = Writable<v1.PodTemplateSpec>;

/** Null for an invalid selector. An absent one selects nothing. */
export function selectorOf(selector: JsonValue | undefined): LabelSelector | null {
  const parsed = labelSelectorOf(selector as LabelSelectorObject | null | undefined);
  return parsed.ok ? parsed.selector : null;
}

/** A workload whose selector does not match its own template would create pods for ever. */
export function validateSelected(template: Template, selector: LabelSelector, path: Path): FieldError[] {
  const labels = template.metadata?.labels;
  return matchesLabels(selector, labels ?? {})
    ? []
    : [invalid(path.child('metadata', 'labels'), printedMap(labels), '`selector` does not match template `labels`')];
}

/** Pods of workloads that replace ended ones always restart and have no deadline. */
export const endlessRun = (kind: string): Rule<Template | null | undefined> =>
  members<v1.PodTemplateSpec>({
    spec: members<v1.PodSpec>({
      restartPolicy: oneOf('Always'),
      activeDeadlineSeconds: forbiddenAs(`activeDeadlineSeconds in ${kind} is not Supported`),
    }),
  });
