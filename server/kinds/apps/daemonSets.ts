import type { DaemonSet } from '../../../api/types/apps/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, setDefault, setTextDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { invalid, notSupported, Path, required, strictly, type FieldError } from '../../registry/validation/field.js';
import { amountOf, atMostWhole, intOrPercent } from '../../registry/validation/intorpercent.js';
import { isEmptySelector, validateLabelSelector } from '../../registry/validation/labelselector.js';
import { printedSelector } from '../../registry/validation/printed.js';
import { nonNegative } from '../../registry/validation/values.js';
import { joinedAt, labelsAt, numberAt, selectorAt } from '../cells.js';
import { selectorOf, selects, validateEndlessRun, validateSelected } from '../core/podSpec/controlledTemplate.js';
import { setPodTemplateDefaults, validatePodTemplate } from '../core/podSpec/template.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { below } from '../gated.js';
import { hasNewGeneration } from '../warnings.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { sameSelector } from './selector.js';
import { counter, nonNegativeMembers } from './statusCounts.js';
import { fromFound, inOrder, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const status = Path.of('status');
/** Counts changes of the template; formerly a field of the specification. */
const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

const templateGeneration = (set: Draft<DaemonSet>): number => Number(set.metadata.annotations?.[templateGenerationAnnotation] ?? 0) || 0;

function setTemplateGeneration(set: Draft<DaemonSet>, generation: number): void {
  set.metadata.annotations = { ...set.metadata.annotations, [templateGenerationAnnotation]: String(generation) };
}

function setDefaults(set: Draft<DaemonSet>): void {
  const spec = ensureObject(set, 'spec');
  setPodTemplateDefaults(ensureObject(spec, 'template'));
  const strategy = ensureObject(spec, 'updateStrategy');
  setTextDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    setDefault(ensureObject(strategy, 'rollingUpdate'), 'maxUnavailable', 1);
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  // Neither number can be absent in the reference's own form, whatever the type.
  for (const member of ['maxUnavailable', 'maxSurge'] as const) if (rolling !== null) setDefault(rolling, member, 0);
  setDefault(spec, 'revisionHistoryLimit', 10);
  setTemplateGeneration(set, templateGeneration(set));
}

function validateSpec(set: Draft<DaemonSet>): Found {
  const spec = specOf(set);
  const template = objectAt(spec, 'template') ?? {};
  const selector = objectAt(spec, 'selector');
  const path = specPath.child('selector');
  const parsed = selectorOf(selector);
  return inOrder(
    selector === null ? [] : fromFound(validateLabelSelector(selector, path), strictly),
    parsed !== null && !selects(parsed, template) ? validateSelected(template, parsed, specPath.child('template')) : [],
    selector !== null && isEmptySelector(selector)
      ? [invalid(path, printedSelector(selector), 'empty selector is invalid for daemonset')]
      : [],
    validatePodTemplate(template, specPath.child('template')),
    validateEndlessRun(specOf(template), 'DaemonSet', specPath.child('template', 'spec')),
    nonNegativeMembers(spec, ['minReadySeconds'], specPath),
    validateStrategy(objectAt(spec, 'updateStrategy') ?? {}, specPath.child('updateStrategy')),
    nonNegative(spec.revisionHistoryLimit, specPath.child('revisionHistoryLimit')),
  );
}

function validateStrategy(strategy: JsonObject, path: Path): FieldError[] {
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type === 'RollingUpdate') return validateRolling(rolling ?? {}, path.child('rollingUpdate'));
  const printed = rolling === null ? null : { MaxUnavailable: rolling.maxUnavailable ?? 0, MaxSurge: rolling.maxSurge ?? 0 };
  return [notSupported(path, { Type: strategy.type, RollingUpdate: printed }, ['RollingUpdate', 'OnDelete'])];
}

function validateRolling({ maxUnavailable, maxSurge }: JsonObject, path: Path): FieldError[] {
  const [unavailable, surge] = [amountOf(maxUnavailable), amountOf(maxSurge)];
  const both = unavailable !== 0 && surge !== 0;
  const neither = unavailable === 0 && surge === 0;
  return [
    ...intOrPercent(maxUnavailable, path.child('maxUnavailable')),
    ...intOrPercent(maxSurge, path.child('maxSurge')),
    ...atMostWhole(maxUnavailable, path.child('maxUnavailable')),
    ...atMostWhole(maxSurge, path.child('maxSurge')),
    ...(both ? [invalid(path.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero')] : []),
    ...(neither ? [required(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0')] : []),
  ];
}

const statusCounts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

export const daemonSets: Kind<Draft<DaemonSet>> = {
  name: 'daemonsets.apps',
  gated: [below('spec.template.spec', podSpecGates)],
  metadata: { generationOf: ['spec'] },
  defaults: setDefaults,
  validate: validateSpec,
  warnings: (set, old) => (hasNewGeneration(set, old) ? templateWarnings(set.spec?.template, specPath.child('template')) : []),
  create: {
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    prepare(set) {
      setTemplateGeneration(set, Math.max(1, templateGeneration(set)));
    },
  },
  update: {
    prepare(set, old) {
      const changed = !sameValue(specOf(set).template, specOf(old).template);
      setTemplateGeneration(set, templateGeneration(old) + (changed ? 1 : 0));
    },
    review: ['objectMetaUpdate', sameSelector, validateSpec],
  },
  subresources: {
    status: {
      // The count belongs to the specification, wherever it is shown.
      prepare: (set, old) => setTemplateGeneration(set, templateGeneration(old)),
      review: ['objectMetaUpdate', (set) => nonNegativeMembers(statusOf(set), statusCounts, status), counter('status.collisionCount')],
    },
  },
  cells: {
    Desired: numberAt('status.desiredNumberScheduled'),
    Current: numberAt('status.currentNumberScheduled'),
    Ready: numberAt('status.numberReady'),
    'Up-to-date': numberAt('status.updatedNumberScheduled'),
    Available: numberAt('status.numberAvailable'),
    'Node Selector': labelsAt('spec.template.spec.nodeSelector'),
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Selector: selectorAt('spec.selector'),
  },
};
