import * as enums from '../../../api/data/enums.js';
import {
  all,
  andThen,
  changed,
  dns1035LabelName,
  dnsLabelName,
  each,
  format,
  invalid,
  isSet,
  keepable,
  members,
  missing,
  named,
  nonZero,
  notAddress,
  off,
  on,
  oneOf,
  optional,
  portName,
  portNumber,
  required,
  requiredPointerAs,
  subdomainName,
  wildcardName,
  type FieldError,
  type Path,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/networking/v1.js';
import { typedReference } from './references.js';

type Entry = Writable<v1.HTTPIngressPath>;
type Backend = Writable<v1.IngressBackend>;

const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

export const hostName = (host: string, path: Path): FieldError[] => named(host, host.includes('*') ? wildcardName : subdomainName, path);

/** A missing or duplicate port is reported at the backend. */
function servicePort(service: Writable<v1.IngressServiceBackend>, path: Path): FieldError[] {
  const { name = '', number = 0 } = service.port ?? {};
  const at = path.child('service', 'port');
  if (name !== '' && number !== 0) return [invalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return portName(name, at.child('name'));
  return number === 0 ? [missing(path, 'port name or number is required')] : portNumber(number, at.child('number'));
}

const serviceName = all(
  on<string, unknown>('RelaxedServiceNameValidation', format(dnsLabelName)),
  off<string, unknown>('RelaxedServiceNameValidation', format(dns1035LabelName)),
);

function oneBackend({ resource, service }: Backend = {}, path: Path): FieldError[] {
  if (isSet(resource) === isSet(service))
    return [
      invalid(path, '', isSet(resource) ? 'cannot set both resource and service backends' : 'resource or service backend is required'),
    ];
  return [];
}

export const backend = andThen<Backend | undefined, unknown>(
  oneBackend,
  members<v1.IngressBackend>({
    resource: optional(typedReference),
    service: optional(members<v1.IngressServiceBackend>({ name: required(serviceName) })),
  }),
  (value, path) => (isSet(value?.service) ? servicePort(value.service, path) : []),
);

function pathText(text = '', path: Path, { pathType }: Entry): FieldError[] {
  const anyForm = pathType === 'ImplementationSpecific';
  const findings = text.startsWith('/') || (anyForm && text === '') ? [] : [invalid(path, text, 'must be an absolute path')];
  if (anyForm) return findings;
  return [
    ...findings,
    ...forbiddenParts.filter((part) => text.includes(part)).map((part) => invalid(path, text, `must not contain '${part}'`)),
    ...forbiddenEnds.filter((end) => text.endsWith(end)).map((end) => invalid(path, text, `cannot end with '${end}'`)),
  ];
}

const route = andThen<Entry, unknown>(
  members<v1.HTTPIngressPath>({ pathType: requiredPointerAs('pathType must be specified') }),
  andThen<Entry, unknown>(
    members<v1.HTTPIngressPath>({ pathType: oneOf(...enums.PathType) }),
    members<v1.HTTPIngressPath>({ path: pathText }),
  ),
  members<v1.HTTPIngressPath>({ backend }),
);

/** Paths of wildcard hosts were once unchecked. */
const http = changed<Writable<v1.HTTPIngressRuleValue>, Writable<v1.IngressRule>>(
  members<v1.HTTPIngressRuleValue>({ paths: required(each(route)) }),
  (findings, _, { host }) => (host?.includes('*') ? keepable('paths of a wildcard', findings) : findings),
);

export const hostRules = each(members<v1.IngressRule>({ host: nonZero(notAddress, hostName), http: optional(http) }));
