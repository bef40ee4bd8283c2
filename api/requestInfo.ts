export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'proxy'
  | 'head'
  | 'options'
  | 'connect'
  | 'post'
  | 'put'
  /** A method that no path serves, such as PROPFIND. */
  | 'other';

/** A request as read from method, path and query alone; authorization, audit and routing share this reading. */
export type RequestInfo =
  | { readonly isResource: false; readonly path: string; /** Lower-case method. */ readonly verb: Verb }
  | {
      readonly isResource: true;
      readonly path: string;
      readonly verb: Verb;
      readonly group: string;
      readonly version: string;
      /** Empty for cluster-scoped resources and all namespaces. */
      readonly namespace: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty for collections. */
      readonly name: string;
      /** Set for collections only; authorization rules may depend on it. */
      readonly fieldSelector?: string;
      readonly labelSelector?: string;
      /** Segments after the subresource (for proxy paths). */
      readonly rest: readonly string[];
    };

/** The verb of a method on one object; collections refine it afterwards. */
const objectVerbs: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
  ['HEAD', 'head'],
  ['OPTIONS', 'options'],
  ['CONNECT', 'connect'],
]);
const plainVerbs: ReadonlyMap<string, Verb> = new Map([...objectVerbs, ['POST', 'post'], ['PUT', 'put']]);
/** Leading segments that name the verb: the older paths of watch and proxy. */
const leadingVerbs: ReadonlyMap<string, Verb> = new Map([
  ['watch', 'watch'],
  ['proxy', 'proxy'],
]);
/** Subresources under `/namespaces/NAME/`; any other word is a resource type in the namespace. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

export type RequestInfoResult = { readonly ok: true; readonly info: RequestInfo } | { readonly ok: false; readonly message: string };

/**
 * Parses a request. Pure. `path` is percent-decoded; a trailing slash is ignored and an empty namespace segment stands for all namespaces. Path shapes: section
 * "Path shapes" of the HTTP API specification, and the older `/watch/` and `/proxy/` prefixes.
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfoResult {
  const parts = segments(path);
  const start = resourceStart(parts);
  if (start === null) return { ok: true, info: { isResource: false, path, verb: plainVerbs.get(method) ?? 'other' } };

  const group = start === 2 ? '' : parts[1]!;
  const version = parts[start - 1]!;
  const leading = leadingVerbs.get(parts[start]!);
  if (leading !== undefined && parts.length - start < 2) {
    return { ok: false, message: `unable to determine kind and namespace from url, ${path}` };
  }
  const words = parts.slice(leading === undefined ? start : start + 1);
  const { namespace, target } = splitNamespace(words);
  const resource = target[0] ?? '';
  const name = target[1] ?? '';
  const ofObject = leading === 'watch' && method !== 'GET' ? 'other' : (leading ?? objectVerbs.get(method) ?? 'other');
  const whole = ofObject === 'proxy';
  const info: Writable<ResourceRequestInfo> = {
    isResource: true,
    path,
    group,
    version,
    namespace,
    resource,
    name,
    verb: ofObject,
    subresource: whole ? '' : (target[2] ?? ''),
    rest: target.slice(whole ? 2 : 3),
  };
  if (name === '') readCollection(info, query);
  return { ok: true, info };
}

/** Drops empty segments at both ends, not in the middle. */
function segments(path: string): string[] {
  let from = 0;
  let to = path.length;
  while (from < to && path.charCodeAt(from) === 47) from++;
  while (to > from && path.charCodeAt(to - 1) === 47) to--;
  return from === to ? [] : path.slice(from, to).split('/');
}

/** The index of the first segment after the version, or null where the path names no resource. */
function resourceStart(parts: readonly string[]): number | null {
  if (parts[0] === 'api') return parts.length > 2 ? 2 : null;
  if (parts[0] === 'apis') return parts.length > 3 ? 3 : null;
  return null;
}

/** `namespaces/NAME` alone is the namespace object, which also counts as being inside itself. */
function splitNamespace(words: readonly string[]): { readonly namespace: string; readonly target: readonly string[] } {
  if (words[0] !== 'namespaces' || words.length < 2) return { namespace: '', target: words };
  const inside = words.length > 2 && !namespaceSubresources.has(words[2]!);
  return { namespace: words[1]!, target: inside ? words.slice(2) : words };
}

/** Changes it in place, because each combination of differently shaped objects has a hidden class of its own, larger than the object. */
function readCollection(info: Writable<ResourceRequestInfo>, query: URLSearchParams): void {
  if (info.verb !== 'get' && info.verb !== 'delete') return;
  const fieldSelector = query.get('fieldSelector') ?? '';
  const labelSelector = query.get('labelSelector') ?? '';
  if (fieldSelector !== '') info.fieldSelector = fieldSelector;
  if (labelSelector !== '') info.labelSelector = labelSelector;
  if (info.verb === 'delete') info.verb = 'deletecollection';
  else {
    info.verb = isTrue(query.get('watch')) ? 'watch' : 'list';
    info.name = selectedName(fieldSelector);
  }
}

type ResourceRequestInfo = Extract<RequestInfo, { readonly isResource: true }>;
type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

/** A query flag is true when present, unless it is "false" or "0". */
const isTrue = (value: string | null): boolean => value !== null && value !== '0' && value.toLowerCase() !== 'false';

/**
 * A list that selects one object by name is authorized like access to that object: rules with resource names apply. Spaces are trimmed by hand, since a pattern
 * takes quadratic time.
 */
function selectedName(selector: string): string {
  if (!selector.includes('metadata.name')) return '';
  const names = selector
    .split(',')
    .map((term) => /^metadata\.name\s*==?([^=!,\\]+)$/.exec(term.trim())?.[1]?.trim())
    .filter((name) => name !== undefined && name !== '');
  const name = names.length === 1 ? names[0]! : '';
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
}
