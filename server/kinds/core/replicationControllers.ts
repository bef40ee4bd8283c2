import type { ReplicationController } from '../../../api/types/core/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, setDefault } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, Path, required } from '../../registry/validation/field.js';
import { longName } from '../../registry/validation/names.js';
import { printedMap } from '../../registry/validation/printed.js';
import { nonNegative } from '../../registry/validation/values.js';
import { workloadWarnings } from '../apps/workloadWarnings.js';
import { replicaStatus } from '../apps/statusCounts.js';
import { joinedAt, labelsAt, numberAt } from '../cells.js';
import { endlessRun } from './podSpec/controlledTemplate.js';
import { podSpecGates } from './podSpec/gated.js';
import { below } from '../gated.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { setPodTemplateDefaults, validatePodTemplate } from './podSpec/template.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const status = Path.of('status');
const templatePath = specPath.child('template');
const endless = endlessRun('ReplicationController');
const hasEntries = (map: JsonObject | null): map is JsonObject => map !== null && Object.keys(map).length > 0;

/** The pods' labels are the default selector and labels. */
function setDefaults(controller: Draft<ReplicationController>): void {
  const spec = ensureObject(controller, 'spec');
  setDefault(spec, 'replicas', 1);
  const template = objectAt(spec, 'template');
  if (template === null) return;
  setPodTemplateDefaults(template);
  const labels = objectAt(objectAt(template, 'metadata') ?? {}, 'labels');
  if (!hasEntries(labels)) return;
  if (!hasEntries(objectAt(spec, 'selector'))) spec.selector = { ...labels };
  if (!hasEntries(controller.metadata.labels ?? null)) controller.metadata.labels = { ...labels } as Record<string, string>;
}

function validate(controller: Draft<ReplicationController>): Found {
  const spec = specOf(controller);
  const selector = objectAt(spec, 'selector');
  const template = objectAt(spec, 'template');
  return inOrder(
    nonNegative(spec.minReadySeconds, specPath.child('minReadySeconds')),
    hasEntries(selector) ? [] : [required(specPath.child('selector'), '')],
    nonNegative(spec.replicas, specPath.child('replicas')),
    template === null ? [required(templatePath, '')] : validateTemplate(template, selector ?? {}),
  );
}

function validateTemplate(template: JsonObject, selector: JsonObject): Found {
  const labels = objectAt(objectAt(template, 'metadata') ?? {}, 'labels') ?? {};
  const matches = Object.entries(selector).every(([key, value]) => labels[key] === value);
  return inOrder(
    matches ? [] : [invalid(templatePath.child('metadata', 'labels'), printedMap(labels), '`selector` does not match template `labels`')],
    validatePodTemplate(template, templatePath),
    endless(template, templatePath, null),
  );
}

const validateStatus = (controller: Draft<ReplicationController>): Found => replicaStatus(statusOf(controller), status, null);

export const replicationControllers: Kind<Draft<ReplicationController>> = {
  name: 'replicationcontrollers',
  gated: [below('spec.template.spec', podSpecGates)],
  metadata: { generationOf: ['spec'], name: longName },
  defaults: setDefaults,
  validate,
  warnings: workloadWarnings,
  create: { status: { replicas: 0 } },
  update: {
    review: ['objectMetaUpdate', validate],
  },
  subresources: {
    status: {
      validate: validateStatus,
    },
  },
  delete: { propagation: 'orphan' },
  fields: { values: { 'status.replicas': (controller) => textAt(controller, 'status', 'replicas') || '0' } },
  cells: {
    Desired: numberAt('spec.replicas'),
    Current: numberAt('status.replicas'),
    Ready: numberAt('status.readyReplicas'),
    Containers: joinedAt('spec.template.spec.containers[].name'),
    Images: joinedAt('spec.template.spec.containers[].image'),
    Selector: labelsAt('spec.selector'),
  },
};
