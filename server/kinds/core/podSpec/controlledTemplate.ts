import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { labelSelectorOf, type LabelSelectorObject } from '../../../../api/selectors/labelSelectorObject.js';
import type { LabelSelector } from '../../../../api/selectors/index.js';
import { matchesLabels } from '../../../../api/selectors/match.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { forbidden, invalid, notSupported, type FieldError, type Path } from '../../../registry/validation/field.js';
import { printedMap } from '../../../registry/validation/printed.js';
import { validatePodTemplate } from './template.js';
import { specOf } from '../../parts.js';
import { inOrder, type Found } from '../../../registry/validation/ofEach.js';

export interface TemplateRules {
  readonly kind: string;
  /** The workload's selector; null while it is invalid and reported. */
  readonly selector: LabelSelector | null;
}

/** Null for an invalid selector. An absent one selects nothing. */
export function selectorOf(selector: JsonValue | undefined): LabelSelector | null {
  const parsed = labelSelectorOf(selector as LabelSelectorObject | null | undefined);
  return parsed.ok ? parsed.selector : null;
}

export const selects = (selector: LabelSelector, template: JsonObject): boolean =>
  matchesLabels(selector, (objectAt(objectAt(template, 'metadata') ?? {}, 'labels') ?? {}) as Record<string, string>);

/** A workload whose selector does not match its own template would create pods for ever. */
export function validateSelected(template: JsonObject, selector: LabelSelector, path: Path): FieldError[] {
  if (selects(selector, template)) return [];
  return [
    invalid(
      path.child('metadata', 'labels'),
      printedMap(objectAt(template, 'metadata')?.['labels']),
      '`selector` does not match template `labels`',
    ),
  ];
}

/** Checks the template of a workload that replaces ended pods. */
export function validateControlledTemplate(template: JsonObject, path: Path, { kind, selector }: TemplateRules): Found {
  if (selector === null) return [];
  const spec = specOf(template);
  return inOrder(
    validateSelected(template, selector, path),
    validatePodTemplate(template, path),
    validateEndlessRun(spec, kind, path.child('spec')),
  );
}

/** Such pods always restart and have no deadline. */
export const validateEndlessRun = (spec: JsonObject, kind: string, path: Path): FieldError[] => [
  ...(spec['restartPolicy'] === 'Always' ? [] : [notSupported(path.child('restartPolicy'), spec['restartPolicy'] ?? '', ['Always'])]),
  ...(spec['activeDeadlineSeconds'] === undefined || spec['activeDeadlineSeconds'] === null
    ? []
    : [forbidden(path.child('activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`)]),
];
