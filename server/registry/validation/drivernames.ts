import { invalid, required, tooLong, type FieldError, type Path } from './field.js';
import { subdomainName } from './names.js';

const DRIVER_NAME_MAX = 63;

/** Name of a storage or device driver: a subdomain, short enough to be part of a label key; capitals are tolerated. */
export function driverName(name: string, path: Path): FieldError[] {
  if (name === '') return [required(path, '')];
  return [
    ...(name.length > DRIVER_NAME_MAX ? [tooLong(path, DRIVER_NAME_MAX)] : []),
    ...subdomainName(name.toLowerCase(), false).map((text) => invalid(path, name, text)),
  ];
}
