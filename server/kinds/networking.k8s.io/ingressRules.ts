import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { parseOldAddress } from '../../registry/validation/addresses.js';
import { invalid, keepable, notSupported, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { whileOff, whileOn } from '../../registry/validation/gatedFindings.js';
import { subdomainName, wildcardName } from '../../registry/validation/names.js';
import { dns1035Label, dnsLabel, named, portNameProblems, portNumber } from '../../registry/validation/values.js';
import { validateTypedReference } from './references.js';
import { fromFound, inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

/** Hosts, paths and backends of an ingress. */

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

/** Accepts leading zeros, as earlier parsers did. */
export const isAddress = (text: string): boolean => parseOldAddress(text) !== null;

export const validateRules = (rules: readonly JsonObject[], path: Path): Found =>
  ofEach(rules, (rule, position) => {
    const at = path.index(position);
    const host = textAt(rule, 'host');
    const http = objectAt(rule, 'http');
    return inOrder(
      host === '' ? [] : validateHost(host, at.child('host')),
      http === null ? [] : underHost(host, validatePaths(http, at.child('http', 'paths'))),
    );
  });

/** Paths of wildcard hosts were once unchecked. */
const underHost = (host: string, found: Found): Found =>
  host.includes('*') ? fromFound(found, (findings) => keepable('paths of a wildcard', findings)) : found;

const validateHost = (host: string, path: Path): FieldError[] => [
  ...(isAddress(host) ? [invalid(path, host, 'must be a DNS name, not an IP address')] : []),
  ...named(host, host.includes('*') ? wildcardName : subdomainName, path),
];

function validatePaths(http: JsonObject, path: Path): Found {
  const paths = objectsIn(http, 'paths');
  return paths.length === 0 ? [required(path, '')] : ofEach(paths, (entry, position) => validatePath(entry, path.index(position)));
}

function validatePath(entry: JsonObject, path: Path): FieldError[] {
  const type = entry['pathType'];
  if (type === undefined || type === null) return [required(path.child('pathType'), 'pathType must be specified')];
  return [
    ...validatePathText(textAt(entry, 'path'), String(type), path),
    ...validateBackend(objectAt(entry, 'backend') ?? {}, path.child('backend')),
  ];
}

function validatePathText(text: string, type: string, path: Path): FieldError[] {
  if (!pathTypes.includes(type)) return [notSupported(path.child('pathType'), type, pathTypes)];
  const at = path.child('path');
  const optional = type === 'ImplementationSpecific';
  const findings = text.startsWith('/') || (optional && text === '') ? [] : [invalid(at, text, 'must be an absolute path')];
  if (optional) return findings;
  return [
    ...findings,
    ...forbiddenParts.filter((part) => text.includes(part)).map((part) => invalid(at, text, `must not contain '${part}'`)),
    ...forbiddenEnds.filter((end) => text.endsWith(end)).map((end) => invalid(at, text, `cannot end with '${end}'`)),
  ];
}

export function validateBackend(backend: JsonObject, path: Path): FieldError[] {
  const [resource, service] = [objectAt(backend, 'resource'), objectAt(backend, 'service')];
  if (resource !== null)
    return service === null
      ? validateTypedReference(resource, path.child('resource'))
      : [invalid(path, '', 'cannot set both resource and service backends')];
  if (service === null) return [invalid(path, '', 'resource or service backend is required')];
  return [
    ...validateServiceName(textAt(service, 'name'), path.child('service', 'name')),
    ...validateServicePort(objectAt(service, 'port') ?? {}, path),
  ];
}

const validateServiceName = (name: string, path: Path): FieldError[] =>
  name === ''
    ? [required(path, '')]
    : [
        ...whileOn('RelaxedServiceNameValidation', dnsLabel(name, path)),
        ...whileOff('RelaxedServiceNameValidation', dns1035Label(name, path)),
      ];

/** A missing or duplicate port is reported at the backend. */
function validateServicePort(port: JsonObject, path: Path): FieldError[] {
  const [name, number] = [textAt(port, 'name'), Number(port['number'] ?? 0)];
  const at = path.child('service', 'port');
  if (name !== '' && number !== 0) return [invalid(path, '', 'cannot set both port name & port number')];
  if (name !== '') return portNameProblems(name).map((text) => invalid(at.child('name'), name, text));
  return number === 0 ? [required(path, 'port name or number is required')] : portNumber(number, at.child('number'));
}
