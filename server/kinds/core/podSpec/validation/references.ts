import type * as v1 from '../../../../../api/types/core/v1.js';
import {
  entryOf,
  invalid,
  isSet,
  isZero,
  missing,
  notSupported,
  qualifiedNameProblems,
  type FieldError,
  type Path,
  type Writable,
} from '../../../language.js';

/** Known field paths; the place restricts them further. */
const podFields: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
/** `metadata.labels['app']`: a member of a map. */
const subscript = /^(.+?)\['(.*)'\]$/s;
const maps: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels']);
const formerNames: Readonly<Record<string, string>> = { 'spec.host': 'spec.nodeName' };
const coreVersion = 'v1';

/** `supported` lists the place's fields in printing order. */
export const fieldReference =
  (...supported: readonly string[]) =>
  (reference: Writable<v1.ObjectFieldSelector>, path: Path): FieldError[] =>
    fieldFindings(reference, supported, path);

function fieldFindings(
  { apiVersion: version = '', fieldPath: field = '' }: Writable<v1.ObjectFieldSelector>,
  supported: readonly string[],
  path: Path,
): FieldError[] {
  const at = path.child('fieldPath');
  if (version === '') return [missing(path.child('apiVersion'), '')];
  if (field === '') return [missing(at, '')];
  const unconvertible = (why: string): FieldError[] => [invalid(at, field, `error converting fieldPath: ${why}`)];
  if (version !== coreVersion) return unconvertible(`unsupported pod version: ${version}`);
  const [, base, key = ''] = subscript.exec(field) ?? [];
  if (base !== undefined) {
    if (!maps.has(base)) return unconvertible(`field label does not support subscript: ${field}`);
    // The reference reports the reference itself, not its field.
    const name = base === 'metadata.annotations' ? key.toLowerCase() : key;
    return qualifiedNameProblems(name).map((text) => invalid(path, name, text));
  }
  const known = entryOf(formerNames, field) ?? field;
  if (!podFields.has(known)) return unconvertible(`field label not supported: ${field}`);
  return supported.includes(known) ? [] : [notSupported(at, known, supported)];
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** A reference to a container's resource (`limits.cpu`). */
export function resourceReference(reference: Writable<v1.ResourceFieldSelector>, path: Path): FieldError[] {
  const { resource = '' } = reference;
  const at = path.child('resource');
  const known = resources.includes(resource) || hugePages.test(resource);
  return [
    ...(resource === '' ? [missing(at, '')] : known ? [] : [notSupported(at, resource, resources)]),
    ...validateDivisor(reference, path.child('divisor')),
  ];
}

export const otherContainersResource = (reference: Writable<v1.ResourceFieldSelector>, path: Path): FieldError[] =>
  (reference.containerName ?? '') === ''
    ? [missing(path.child('containerName'), ''), ...validateDivisor(reference, path.child('divisor'))]
    : resourceReference(reference, path);

const hugePages = /^(limits|requests)\.hugepages-/;
const bytes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const divisors: readonly (readonly [resource: RegExp, units: readonly string[], listed: string, name: string])[] = [
  [/^(limits|requests)\.cpu$/, ['1m', '1'], '1m and 1', 'cpu'],
  [/^(limits|requests)\.memory$/, bytes, bytes.join(', '), 'memory'],
  [/^(limits|requests)\.ephemeral-storage$/, bytes, bytes.join(', '), 'local ephemeral storage'],
  [hugePages, bytes, bytes.join(', '), 'hugepages'],
];

function validateDivisor({ divisor, resource = '' }: Writable<v1.ResourceFieldSelector>, path: Path): FieldError[] {
  if (!isSet(divisor) || isZero(divisor)) return [];
  return divisors
    .filter(([matches, units]) => matches.test(resource) && !units.includes(String(divisor)))
    .map(([, , listed, name]) => invalid(path, resource, `only divisor's values ${listed} are supported with the ${name} resource`));
}
