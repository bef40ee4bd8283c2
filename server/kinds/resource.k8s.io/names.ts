import { dnsSubdomain, driverName, invalid, missing, tooLong, type FieldError, type Path } from '../language.js';

const idMax = 32;
const poolMax = 253;
const uidMax = 36;
const domainMax = 63;
export const qualifiedNameMax = domainMax + 1 + idMax;

const identifierSource = '[A-Za-z_][A-Za-z0-9_]*';
const identifierText =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'" +
  ` (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '${identifierSource}')`;
const identifierPattern = new RegExp(`^${identifierSource}$`);

const identifier = (id: string, path: Path): FieldError[] => [
  ...(Buffer.byteLength(id) > idMax ? [tooLong(path, idMax)] : []),
  ...(identifierPattern.test(id) ? [] : [invalid(path, id, identifierText)]),
];

/** Names of attributes and capacities: an identifier, optionally with the driver's domain. */
export function qualifiedName(name: string, path: Path): FieldError[] {
  const [first = '', second, more] = name.split('/');
  // The reference checks no part of a name with more slashes.
  if (second === undefined) return identifier(first, path);
  if (more !== undefined) return [];
  return [
    ...(first === '' ? [invalid(path, '', 'the domain must not be empty')] : driverName(first, path)),
    ...(second === '' ? [invalid(path, '', 'the name must not be empty')] : identifier(second, path)),
  ];
}

export const fullyQualifiedName = (name: string, path: Path): FieldError[] => [
  ...qualifiedName(name, path),
  ...(name.includes('/') ? [] : [invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash')]),
];

/** Pool names are subdomains with slashes between them. */
export function poolName(name: string, path: Path): FieldError[] {
  if (name === '') return [missing(path, '')];
  return [
    ...(Buffer.byteLength(name) > poolMax ? [tooLong(path, poolMax)] : []),
    ...name.split('/').flatMap((part) => dnsSubdomain(part, path)),
  ];
}

const uidPattern = /^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;

export function uniqueId(uid: string, path: Path): FieldError[] {
  if (!uidPattern.test(uid))
    return [
      invalid(path, uid, `error validating uid: ${uid.length === uidMax ? 'invalid UUID format' : `invalid UUID length: ${uid.length}`}`),
    ];
  return uid === uid.toLowerCase()
    ? []
    : [
        invalid(
          path,
          uid,
          'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters',
        ),
      ];
}
