import type { ApiObject, JsonObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { ensureObject, setDefault } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';

const classes = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
const pods = { group: '', resource: 'pods' };

/** The effect of a priority class, or of having none. */
export interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string | null;
}

const noClass: Priority = { className: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

const priorityOf = (found: ApiObject): Priority => ({
  className: found.metadata.name ?? '',
  value: Number(found['value'] ?? 0),
  preemptionPolicy: textAt(found, 'preemptionPolicy') || null,
});

/** Returns the default class; of several, the one with the lowest value. */
function defaultClass(classes: readonly ApiObject[]): ApiObject | null {
  const defaults = classes.filter((each) => each['globalDefault'] === true);
  return defaults.reduce<ApiObject | null>(
    (least, each) => (least === null || Number(least['value'] ?? 0) > Number(each['value'] ?? 0) ? each : least),
    null,
  );
}

/** Sets the priority; returns why the pod's own values contradict it, or null. */
function applyPriority(spec: JsonObject, { className, value, preemptionPolicy }: Priority): string | null {
  const own = spec['priority'];
  if (own !== undefined && own !== null && Number(own) !== value) {
    return `the integer value of priority (${String(own)}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
  }
  const policy = textAt(spec, 'preemptionPolicy');
  if (preemptionPolicy !== null && policy !== '' && policy !== preemptionPolicy) {
    return `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`;
  }
  if (className !== '') spec['priorityClassName'] = className;
  spec['priority'] = value;
  if (preemptionPolicy !== null) spec['preemptionPolicy'] = preemptionPolicy;
  return null;
}

async function admitPod({ operation, object, old, name }: AdmissionRequest, lookup: Lookup): Promise<void> {
  const spec = ensureObject(object ?? { metadata: {} }, 'spec');
  if (operation === 'UPDATE') {
    // These are immutable, so omitting them requests no change.
    for (const member of ['priority', 'preemptionPolicy']) setDefault(spec, member, memberAt(old ?? undefined, 'spec', member) ?? null);
    for (const member of ['priority', 'preemptionPolicy']) if (spec[member] === null) delete spec[member];
    return;
  }
  const className = textAt(spec, 'priorityClassName');
  const found = className === '' ? defaultClass(await lookup.list(classes, null)) : await lookup.find(classes, '', className);
  if (className !== '' && found === null) throw forbidden(pods, name, `no PriorityClass with name ${className} was found`);
  const problem = applyPriority(spec, found === null ? noClass : priorityOf(found));
  if (problem !== null) throw forbidden(pods, name, problem);
}

/** Only one class can be the default. */
async function validateClass({ operation, object, name }: AdmissionRequest, lookup: Lookup): Promise<void> {
  if (object?.['globalDefault'] !== true) return;
  const present = defaultClass(await lookup.list(classes, ''));
  const other = present?.metadata.name;
  if (other === undefined || (operation === 'UPDATE' && other === name)) return;
  throw forbidden(classes, name, `PriorityClass ${other} is already marked as default. Only one default can exist`);
}

export const priority = (lookup: Lookup): AdmissionPlugin => ({
  name: 'Priority',
  resources: ['pods', 'priorityclasses.scheduling.k8s.io'],
  async admit(request) {
    if (request.resource.resource === pods.resource && request.subresource === '' && request.object !== null)
      await admitPod(request, lookup);
  },
  async validate(request) {
    if (request.resource.resource === classes.resource && request.subresource === '' && request.object !== null)
      await validateClass(request, lookup);
  },
});
