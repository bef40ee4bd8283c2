import type { JsonObject } from '../../../api/object.js';
import { objectAt, setDefault } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { invalid, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { subdomainName } from '../../registry/validation/names.js';
import { between } from '../../registry/validation/values.js';
import { parseUrl } from './urls.js';

const portDefault = 443;
const portMax = 65_535;
const form = '; desired format: https://host[/path]';

export function setClientDefaults(holder: JsonObject): void {
  const service = objectAt(objectAt(holder, 'clientConfig') ?? {}, 'service');
  if (service !== null) setDefault(service, 'port', portDefault);
}

export function validateClient(client: JsonObject, path: Path): FieldError[] {
  const url = client['url'];
  const service = objectAt(client, 'service');
  if ((url === undefined) === (service === null)) return [required(path, 'exactly one of url or service is required')];
  return service === null ? validateUrl(String(url), path.child('url')) : validateService(service, path.child('service'));
}

function validateUrl(text: string, path: Path): FieldError[] {
  const url = parseUrl(text);
  if (!url.ok) return [required(path, `url must be a valid URL: ${url.message}${form}`)];
  return [
    ...(url.scheme === 'https' ? [] : [invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(url.host === '' ? [invalid(path, '', `host must be specified${form}`)] : []),
    ...(url.user === null ? [] : [invalid(path, url.user, 'user information is not permitted in the URL')]),
    ...(url.fragment === '' ? [] : [invalid(path, url.fragment, 'fragments are not permitted in the URL')]),
    ...(url.query === '' ? [] : [invalid(path, url.query, 'query parameters are not permitted in the URL')]),
  ];
}

function validateService(service: JsonObject, path: Path): FieldError[] {
  const port = Number(service['port'] ?? 0);
  return [
    // The reference confuses the two.
    ...(textAt(service, 'namespace') === '' ? [required(path.child('name'), '')] : []),
    ...(textAt(service, 'name') === '' ? [required(path.child('namespace'), '')] : []),
    ...(port < 1 || port > portMax ? [invalid(path.child('port'), port, `port is not valid: ${between(1, portMax)}`)] : []),
    ...validatePath(textAt(service, 'path'), path.child('path')),
  ];
}

function validatePath(text: string, path: Path): FieldError[] {
  if (text === '' || text === '/') return [];
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')];
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]),
    ...segments.flatMap((segment, position) =>
      segment === ''
        ? [invalid(path, text, `segment[${position}] may not be empty`)]
        : subdomainName(segment, false).map((problem) => invalid(path, text, `segment[${position}]: ${problem}`)),
    ),
  ];
}
