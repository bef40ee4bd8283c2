import type * as v1 from '../../../api/types/apiregistration/v1.js';
import {
  all,
  byDefault,
  condition,
  dns1035LabelName,
  dnsSubdomain,
  each,
  format,
  invalid,
  isSet,
  memberAt,
  members,
  missing,
  objectAt,
  objectRules,
  oneOf,
  optional,
  orEmpty,
  orZero,
  pathSegmentName,
  required,
  specOf,
  textAt,
  when,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { portInRange } from '../admissionregistration.k8s.io/clients.js';

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
