import type * as v1 from '../../../../api/types/batch/v1.js';
import { matchesLabels } from '../../../../api/selectors/match.js';
import { selectorOf } from '../../core/podSpec/controlledTemplate.js';
import {
  ensureObject,
  invalid,
  isSet,
  missing,
  Path,
  printedMap,
  printedSelector,
  specOf,
  type Draft,
  type FieldError,
} from '../../language.js';

const uidLabel = 'batch.kubernetes.io/controller-uid';
const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'];
const uidLabels = ['controller-uid', uidLabel];
type Labels = Readonly<Record<string, string>>;

const specPath = Path.of('spec');

/** Existing parts stay and are validated. */
export function generateSelector(job: Draft<v1.Job>): void {
  const spec = specOf(job);
  if (spec.manualSelector === true) return;
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  for (const label of nameLabels) labels[label] ??= job.metadata.name ?? '';
  for (const label of uidLabels) labels[label] ??= job.metadata.uid ?? '';
  ensureObject(ensureObject(spec, 'selector'), 'matchLabels')[uidLabel] ??= job.metadata.uid ?? '';
}

/** A job without labels shares its pods' label map, including later additions. */
export function mirrorLabels(job: Draft<v1.Job>): void {
  const labels = job.spec?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(labels).length === 0 || Object.keys(job.metadata.labels ?? {}).length > 0) return;
  job.metadata.labels = labels;
}

export function validateGeneratedSelector(job: Draft<v1.Job>): FieldError[] {
  const spec = specOf(job);
  if (spec.manualSelector === true || !isSet(spec.selector)) return [];
  const { name = '', uid = '' } = job.metadata;
  const labels = spec.template?.metadata?.labels;
  const expected: Labels = {
    [uidLabels[0] ?? '']: uid,
    [nameLabels[0] ?? '']: name,
    [uidLabel]: uid,
    [nameLabels[1] ?? '']: name,
  };
  const selector = selectorOf(spec.selector);
  return [
    ...(uid === '' ? [missing(Path.of('metadata', 'uid'), '')] : []),
    ...Object.entries(expected).flatMap(([label, value]) => validateLabel(labels, label, value)),
    ...(selector !== null && !matchesLabels(selector, expected)
      ? [invalid(specPath.child('selector'), printedSelector(spec.selector), '`selector` not auto-generated')]
      : []),
  ];
}

function validateLabel(labels: Labels | undefined, label: string, value: string): FieldError[] {
  const path = specPath.child('template', 'metadata', 'labels').key(label);
  if (labels?.[label] === value) return [];
  return [labels?.[label] === undefined ? missing(path, `must be '${value}'`) : invalid(path, printedMap(labels), `must be '${value}'`)];
}
