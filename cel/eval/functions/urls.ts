import { ArrayList, EntryMap, Failure, noOverload, Opaque, type Value } from '../values.js';
import type { Implementation, Library } from './library.js';

/** URLs in Go's form of a request line (absolute, or a path), unlike browsers'. */

class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(
    readonly scheme: string,
    { host, path, query }: { readonly host: string; readonly path: string; readonly query: string },
  ) {
    super();
    this.host = host;
    this.path = path;
    this.query = query;
  }
  override get weight(): number {
    return this.host.length + this.path.length + this.query.length;
  }
  equals(other: Opaque): boolean {
    return (
      other instanceof Url &&
      other.scheme === this.scheme &&
      other.host === this.host &&
      other.path === this.path &&
      other.query === this.query
    );
  }

  get hostname(): string {
    return /^\[(.*)\]/s.exec(this.host)?.[1] ?? this.host.replace(/:\d*$/, '');
  }
  get port(): string {
    return /:(\d*)$/.exec(this.host.replace(/^\[.*\]/s, ''))?.[1] ?? '';
  }
}

const escapePattern = /%(?![0-9a-fA-F]{2}).{0,2}/s;
const schemePattern = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s;

/** Returns the problem without the reference's prefix. */
function read(text: string): Url | string {
  if (/[\x00-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text === '*') return new Url('', { host: '', path: '*', query: '' });
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [, scheme = '', after = text] = schemePattern.exec(text) ?? [];
  const mark = after.indexOf('?');
  const [rest, query] = mark < 0 ? [after, ''] : [after.slice(0, mark), after.slice(mark + 1)];
  if (!rest.startsWith('/'))
    return scheme === '' ? 'invalid URI for request' : new Url(scheme.toLowerCase(), { host: '', path: '', query });
  const [authority, path] = scheme !== '' && rest.startsWith('//') ? splitAuthority(rest.slice(2)) : ['', rest];
  const bad = escapePattern.exec(path);
  if (bad !== null) return `invalid URL escape ${JSON.stringify(bad[0])}`;
  const host = hostOf(authority);
  return host.ok ? new Url(scheme.toLowerCase(), { host: host.host, path, query }) : host.problem;
}

function splitAuthority(text: string): [string, string] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
}

function hostOf(authority: string): { readonly ok: true; readonly host: string } | { readonly ok: false; readonly problem: string } {
  const at = authority.lastIndexOf('@');
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)))
    return { ok: false, problem: 'net/url: invalid userinfo' };
  const host = authority.slice(at + 1);
  const port = host.startsWith('[') ? host.slice(host.lastIndexOf(']') + 1) : host.includes(':') ? host.slice(host.indexOf(':')) : '';
  if (host.startsWith('[') && !host.includes(']')) return { ok: false, problem: "missing ']' in host" };
  if (!/^(?::\d*)?$/.test(port)) return { ok: false, problem: `invalid port ${JSON.stringify(port)} after host` };
  const odd = /[\s"\\^`{|}<>#/?]/.exec(host);
  if (odd !== null && !/["<>]/.test(odd[0])) return { ok: false, problem: `invalid character ${JSON.stringify(odd[0])} in host name` };
  const bad = escapePattern.exec(host);
  return bad === null ? { ok: true, host: unescaped(host, false) } : { ok: false, problem: `invalid URL escape ${JSON.stringify(bad[0])}` };
}

function unescaped(text: string, plus: boolean): string {
  if (!/[%+]/.test(text)) return text;
  return Buffer.from(
    (plus ? text.replaceAll('+', ' ') : text)
      .replace(/[^\x00-\x7f]/gu, (one) => encodeURIComponent(one))
      .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
}

/** Keeps a valid spelling, otherwise escapes anew. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path;
  return [...Buffer.from(unescaped(path, false))]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~$&+,/:;=@]/.test(character) && byte < 128 ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function queryOf(query: string): Value {
  const found = new Map<string, Value[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || escapePattern.test(pair)) continue;
    const equal = pair.indexOf('=');
    const [key, value] = equal < 0 ? [pair, ''] : [pair.slice(0, equal), pair.slice(equal + 1)];
    const name = unescaped(key, true);
    const values = found.get(name);
    if (values === undefined) found.set(name, [unescaped(value, true)]);
    else values.push(unescaped(value, true));
  }
  return new EntryMap(new Map([...found].map(([key, values]) => [`s${key}`, [key, new ArrayList(values)] as const])));
}

const make: Implementation = ([text]) => {
  if (typeof text !== 'string') return noOverload;
  const made = read(text);
  return made instanceof Url ? made : new Failure(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${made}`);
};
const of =
  (use: (url: Url) => Value): Implementation =>
  ([url]) =>
    url instanceof Url ? use(url) : noOverload;

/** Returns the reference's error, or null for a URL. */
export const urlProblem = (text: string): string | null => {
  const made = read(text);
  return made instanceof Url ? null : `parse ${JSON.stringify(text)}: ${made}`;
};

export const urls: Library = {
  'url/1': make,
  'isURL/1': ([text]) => (typeof text === 'string' ? read(text) instanceof Url : noOverload),
  '.getScheme/0': of(({ scheme }) => scheme),
  '.getHost/0': of(({ host }) => host),
  '.getHostname/0': of(({ hostname }) => hostname),
  '.getPort/0': of(({ port }) => port),
  '.getEscapedPath/0': of(({ path }) => escapedPath(path)),
  '.getQuery/0': of(({ query }) => queryOf(query)),
};
