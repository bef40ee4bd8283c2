import type * as v1 from '../../../api/types/apiregistration/v1.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { isSet, memberAt, textAt } from '../../../api/json/members.js';
import { byDefault } from '../../registry/validation/defaults.js';
import { invalid, required as missing, type FieldError, type Path } from '../../registry/validation/field.js';
import { dns1035LabelName, pathSegmentName } from '../../registry/validation/names.js';
import {
  all,
  each,
  format,
  members,
  objectRules,
  oneOf,
  optional,
  orEmpty,
  orZero,
  required,
  when,
} from '../../registry/validation/table.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { portInRange } from '../admissionregistration.k8s.io/clients.js';
import { condition } from '../cells.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';

type APIService = Draft<v1.APIService>;
type Spec = Writable<v1.APIServiceSpec>;

const groupPriorityMax = 20_000;
const versionPriorityMax = 1000;
const portDefault = 443;

const spec = members<v1.APIServiceSpec>({
  group: orEmpty(group),
  version: orEmpty(format(dns1035LabelName)),
  groupPriorityMinimum: orZero(priority(groupPriorityMax)),
  versionPriority: orZero(priority(versionPriorityMax)),
});

/** This server's own API needs no certificates. */
const local = members<v1.APIServiceSpec>({
  caBundle: orEmpty(noBundle),
  insecureSkipTLSVerify: optional((skips, path) =>
    skips ? [invalid(path, true, 'local APIServices may not have insecureSkipTLSVerify')] : [],
  ),
});
const remote = members<v1.APIServiceSpec>({
  service: members<v1.ServiceReference>({
    namespace: required(),
    name: required(),
    port: byDefault(portDefault, orZero(portInRange)),
  }),
  insecureSkipTLSVerify: optional((skips, path, { caBundle = '' }: Spec) =>
    skips && caBundle !== '' ? [invalid(path, true, 'may not be true if caBundle is present')] : [],
  ),
});

const validate = objectRules<v1.APIService>({
  spec: all(
    spec,
    when((value) => isSet(value?.service), remote),
    when((value) => !isSet(value?.service), local),
  ),
});
const validateStatus = objectRules<v1.APIService>({
  status: members<v1.APIServiceStatus>({
    conditions: each(members<v1.APIServiceCondition>({ status: orEmpty(oneOf('True', 'False', 'Unknown')) })),
  }),
});

function group(name: string, path: Path, { version }: Spec): FieldError[] {
  if (name !== '') return dnsSubdomain(name, path);
  return version === 'v1' ? [] : [missing(path, 'only v1 may have an empty group and it better be legacy kube')];
}

function priority(most: number): (value: number, path: Path) => FieldError[] {
  return (value, path) => (value <= 0 || value > most ? [invalid(path, value, `must be positive and less than ${most}`)] : []);
}

function noBundle(base64: string, path: Path): FieldError[] {
  const bytes = Buffer.from(base64, 'base64').length;
  return bytes === 0 ? [] : [invalid(path, `${bytes} bytes`, 'local APIServices may not have a caBundle')];
}

function nameProblems(name: string, prefix: boolean, service: APIService): string[] {
  const problems = pathSegmentName(name, prefix);
  const wanted = `${textAt(specOf(service), 'version')}.${textAt(specOf(service), 'group')}`;
  return problems.length > 0 || name === wanted ? problems : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

const apiServiceTarget = (object: APIService): string =>
  memberAt(object, 'spec', 'service') === undefined
    ? 'Local'
    : `${textAt(object, 'spec', 'service', 'namespace')}/${textAt(object, 'spec', 'service', 'name')}`;

function availability(object: APIService): string {
  const available = condition(object, 'Available');
  return available === undefined
    ? 'Unknown'
    : available.status === 'True'
      ? 'True'
      : `${textAt(available, 'status')} (${textAt(available, 'reason')})`;
}

export const apiServices: Kind<APIService> = {
  name: 'apiservices.apiregistration.k8s.io',
  metadata: { anyFinalizers: true, name: nameProblems },
  defaults: validate.defaults,
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
