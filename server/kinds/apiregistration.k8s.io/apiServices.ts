import type { APIService, APIServiceSpec } from '../../../api/types/apiregistration/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import { invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { dns1035LabelName, pathSegmentName } from '../../registry/validation/names.js';
import { between, dnsSubdomain, named } from '../../registry/validation/values.js';
import { condition } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf, statusOf } from '../parts.js';

const specPath = Path.of('spec');
const service = specPath.child('service');
const groupPriorityMax = 20_000;
const versionPriorityMax = 1000;
const portDefault = 443;
const portMax = 65_535;

function validate(service: Draft<APIService>): FieldError[] {
  const spec = specOf(service);
  const [group, version] = [textAt(spec, 'group'), textAt(spec, 'version')];
  const target = objectAt(spec, 'service');
  return [
    ...(group === '' && version !== 'v1'
      ? [required(specPath.child('group'), 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...(group === '' ? [] : dnsSubdomain(group, specPath.child('group'))),
    ...named(version, dns1035LabelName, specPath.child('version')),
    ...validatePriority(spec, 'groupPriorityMinimum', groupPriorityMax),
    ...validatePriority(spec, 'versionPriority', versionPriorityMax),
    ...(target === null ? validateLocal(spec) : validateTarget(target, spec)),
  ];
}

function nameProblems(name: string, prefix: boolean, service: Draft<APIService>): string[] {
  const problems = pathSegmentName(name, prefix);
  const wanted = `${textAt(specOf(service), 'version')}.${textAt(specOf(service), 'group')}`;
  return problems.length > 0 || name === wanted ? problems : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

function validatePriority(spec: Writable<APIServiceSpec>, member: 'groupPriorityMinimum' | 'versionPriority', max: number): FieldError[] {
  const value = Number(spec[member] ?? 0);
  return value <= 0 || value > max ? [invalid(specPath.child(member), value, `must be positive and less than ${max}`)] : [];
}

/** This server's own API needs no certificates. */
function validateLocal(spec: Writable<APIServiceSpec>): FieldError[] {
  const bundle = Buffer.from(textAt(spec, 'caBundle'), 'base64').length;
  return [
    ...(bundle === 0 ? [] : [invalid(specPath.child('caBundle'), `${bundle} bytes`, 'local APIServices may not have a caBundle')]),
    ...(spec.insecureSkipTLSVerify === true
      ? [invalid(specPath.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
  ];
}

function validateTarget(target: JsonObject, spec: Writable<APIServiceSpec>): FieldError[] {
  const port = Number(target.port ?? 0);
  return [
    ...['namespace', 'name'].filter((member) => textAt(target, member) === '').map((member) => required(service.child(member), '')),
    ...(port < 1 || port > portMax ? [invalid(service.child('port'), port, `port is not valid: ${between(1, portMax)}`)] : []),
    ...(spec.insecureSkipTLSVerify === true && textAt(spec, 'caBundle') !== ''
      ? [invalid(specPath.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present')]
      : []),
  ];
}

const conditionStatuses = ['True', 'False', 'Unknown'];

const validateStatus = (service: Draft<APIService>): FieldError[] =>
  objectsIn(statusOf(service), 'conditions').flatMap((condition, position) => {
    const status = textAt(condition, 'status');
    return conditionStatuses.includes(status)
      ? []
      : [notSupported(Path.of('status', 'conditions').index(position).child('status'), status, conditionStatuses)];
  });

const apiServiceTarget = (object: Draft<APIService>): string =>
  memberAt(object, 'spec', 'service') === undefined
    ? 'Local'
    : `${textAt(object, 'spec', 'service', 'namespace')}/${textAt(object, 'spec', 'service', 'name')}`;

function availability(object: Draft<APIService>): string {
  const available = condition(object, 'Available');
  return available === undefined
    ? 'Unknown'
    : available.status === 'True'
      ? 'True'
      : `${textAt(available, 'status')} (${textAt(available, 'reason')})`;
}

export const apiServices: Kind<Draft<APIService>> = {
  name: 'apiservices.apiregistration.k8s.io',
  metadata: { anyFinalizers: true, name: nameProblems },
  defaults(service) {
    const target = objectAt(specOf(service), 'service');
    if (target !== null) setDefault(target, 'port', portDefault);
  },
  validate,
  create: {
    // This server's own API is available from the start, without a connection.
    prepare(service, { now }) {
      const local = objectAt(specOf(service), 'service') === null;
      const available = {
        type: 'Available',
        status: 'True',
        lastTransitionTime: now,
        reason: 'Local',
        message: 'Local APIServices are always available',
      };
      service.status = local ? { conditions: [available] } : {};
    },
  },
  update: {
    unconditional: false,
    review: ['objectMetaUpdate', 'objectMeta', validate],
  },
  subresources: {
    status: { keepsMetadata: true, review: ['objectMetaUpdate', validateStatus] },
  },
  cells: { Service: apiServiceTarget, Available: availability },
};
