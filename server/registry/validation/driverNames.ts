import { invalid, required, tooLong, type FieldError, type Path } from './field.js';
import { subdomainName } from './names.js';

const driverNameMax = 63;

/** A subdomain, short enough for a label key; capitals are tolerated. */
export function driverName(name: string, path: Path): FieldError[] {
  if (name === '') return [required(path, '')];
  return [
    ...(Buffer.byteLength(name) > driverNameMax ? [tooLong(path, driverNameMax)] : []),
    ...subdomainName(name.toLowerCase(), false).map((text) => invalid(path, name, text)),
  ];
}
