import type * as v1 from '../../../api/types/admissionregistration/v1.js';
import {
  all,
  andThen,
  between,
  byDefault,
  invalid,
  isSet,
  members,
  missing,
  nonZero,
  optional,
  orZero,
  subdomainName,
  type FieldError,
  type Path,
  type Writable,
} from '../language.js';
import { parseUrl } from './urls.js';

type Client = Writable<v1.WebhookClientConfig>;
type Service = Writable<v1.ServiceReference>;

const portDefault = 443;
const portMax = 65_535;
const form = '; desired format: https://host[/path]';

const service = all<Service>(
  swapped,
  members<v1.ServiceReference>({
    port: byDefault(portDefault, orZero(portInRange)),
    path: nonZero(servicePath),
  }),
);

export const client = andThen<Client | null | undefined, unknown>(
  (given, path) => (isSet(given?.url) === isSet(given?.service) ? [missing(path, 'exactly one of url or service is required')] : []),
  members<v1.WebhookClientConfig>({ url: optional(webhookUrl), service: optional(service) }),
);

export function portInRange(port: number, path: Path): FieldError[] {
  return port < 1 || port > portMax ? [invalid(path, port, `port is not valid: ${between(1, portMax)}`)] : [];
}

/** The reference confuses the two. */
function swapped({ namespace = '', name = '' }: Service, path: Path): FieldError[] {
  return [...(namespace === '' ? [missing(path.child('name'), '')] : []), ...(name === '' ? [missing(path.child('namespace'), '')] : [])];
}

function webhookUrl(text: string, path: Path): FieldError[] {
  const url = parseUrl(text);
  if (!url.ok) return [missing(path, `url must be a valid URL: ${url.message}${form}`)];
  return [
    ...(url.scheme === 'https' ? [] : [invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(url.host === '' ? [invalid(path, '', `host must be specified${form}`)] : []),
    ...(url.user === null ? [] : [invalid(path, url.user, 'user information is not permitted in the URL')]),
    ...(url.fragment === '' ? [] : [invalid(path, url.fragment, 'fragments are not permitted in the URL')]),
    ...(url.query === '' ? [] : [invalid(path, url.query, 'query parameters are not permitted in the URL')]),
  ];
}

function servicePath(text: string, path: Path): FieldError[] {
  if (text === '/') return [];
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
