import type * as v1 from '../../../api/types/apps/v1.js';
import type * as coreV1 from '../../../api/types/core/v1.js';
import {
  all,
  below,
  byDefault,
  created,
  hasNewGeneration,
  insteadOfZero,
  invalid,
  joinedAt,
  labelsAt,
  members,
  missing,
  nonNegative,
  notSupported,
  numberAt,
  objectRules,
  optional,
  Path,
  printedAs,
  sameValue,
  selectorAt,
  specOf,
  structure,
  whenOwner,
  whole,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Writable,
} from '../language.js';
import { amountOf, atMostWhole, intOrPercent } from '../../registry/validation/intOrPercent.js';
import { endlessRun, selectorOf, validateSelected } from '../core/podSpec/controlledTemplate.js';
import { podTemplateDefaults, validatePodTemplate } from '../core/podSpec/template.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';
import { podSpecGates } from '../core/podSpec/gated.js';
import { notEmpty, sameSelector, strictSelector } from './selector.js';
import { count, counter } from './statusCounts.js';

type Strategy = Writable<v1.DaemonSetUpdateStrategy>;
type Rolling = Writable<v1.RollingUpdateDaemonSet>;

const specPath = Path.of('spec');
/** Counts changes of the template; formerly a field of the specification. */
const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

const templateGeneration = (set: Draft<v1.DaemonSet>): number => Number(set.metadata.annotations?.[templateGenerationAnnotation] ?? 0) || 0;

function setTemplateGeneration(set: Draft<v1.DaemonSet>, generation: number): void {
  set.metadata.annotations = { ...set.metadata.annotations, [templateGenerationAnnotation]: String(generation) };
}

const rolling = all<Rolling>(
  members<v1.RollingUpdateDaemonSet>({ maxUnavailable: intOrPercent, maxSurge: intOrPercent }),
  members<v1.RollingUpdateDaemonSet>({ maxUnavailable: atMostWhole, maxSurge: atMostWhole }),
  ({ maxUnavailable, maxSurge }, path) => {
    const [unavailable, surge] = [amountOf(maxUnavailable), amountOf(maxSurge)];
    if (unavailable === 0 && surge === 0) return [missing(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0')];
    return unavailable !== 0 && surge !== 0
      ? [invalid(path.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : [];
  },
);

const rollingDefaults = all<Rolling | undefined, Strategy>(
  whenOwner(({ type }) => type === 'RollingUpdate', created(members<v1.RollingUpdateDaemonSet>({ maxUnavailable: byDefault(1) }))),
  // The reference's own form has both numbers, whatever the type.
  members<v1.RollingUpdateDaemonSet>({ maxUnavailable: byDefault(0), maxSurge: byDefault(0) }),
);
const strategyDefaults = members<v1.DaemonSetUpdateStrategy>({ type: insteadOfZero('RollingUpdate'), rollingUpdate: rollingDefaults });

function strategy(strategy: Strategy, path: Path): Found {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type === 'RollingUpdate') return rolling(rollingUpdate ?? {}, path.child('rollingUpdate'), null);
  return [notSupported(path, printedAs('apps.v1.DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete'])];
}

function selected({ selector, template }: Writable<v1.DaemonSetSpec>, path: Path): FieldError[] {
  const parsed = selectorOf(selector);
  return parsed === null ? [] : validateSelected(template ?? {}, parsed, path.child('template'));
}

const validate = objectRules<v1.DaemonSet>({
  spec: created<Writable<v1.DaemonSetSpec>>(
    members<v1.DaemonSetSpec>({ template: podTemplateDefaults }),
    members<v1.DaemonSetSpec>({ selector: optional(strictSelector) }),
    whole<v1.DaemonSetSpec>(selected),
    members<v1.DaemonSetSpec>({
      selector: optional(notEmpty('empty selector is invalid for daemonset')),
      template: structure<Writable<coreV1.PodTemplateSpec>>(validatePodTemplate, endlessRun('DaemonSet')),
      minReadySeconds: count,
      updateStrategy: created(strategyDefaults, strategy),
      revisionHistoryLimit: byDefault(10, nonNegative),
    }),
  ),
});

const validateStatus = objectRules<v1.DaemonSet>({
  status: members<v1.DaemonSetStatus>({
    currentNumberScheduled: count,
    numberMisscheduled: count,
    desiredNumberScheduled: count,
    numberReady: count,
    observedGeneration: count,
    updatedNumberScheduled: count,
    numberAvailable: count,
    numberUnavailable: count,
    collisionCount: count,
  }),
});

export const daemonSets: Kind<Draft<v1.DaemonSet>> = {
  name: 'daemonsets.apps',
  gated: [below('spec.template.spec', podSpecGates)],
  metadata: { generationOf: ['spec'] },
  contentAnnotations: [templateGenerationAnnotation],
  defaults(set) {
    validate.defaults(set);
    setTemplateGeneration(set, templateGeneration(set));
  },
  validate,
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
    review: ['objectMetaUpdate', sameSelector, validate],
  },
  subresources: {
    status: {
      // The count belongs to the specification, wherever it is shown.
      prepare: (set, old) => setTemplateGeneration(set, templateGeneration(old)),
      review: ['objectMetaUpdate', validateStatus, counter('status.collisionCount')],
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
