/** The reference's rules are laxer than browsers'. */
export type ParsedUrl =
  | {
      readonly ok: true;
      readonly scheme: string;
      readonly user: string | null;
      readonly host: string;
      readonly query: string;
      readonly fragment: string;
    }
  | { readonly ok: false; readonly message: string };

const control = /[\u0000-\u001f\u007f]/;
const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/s;
const hostCharacter = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/;

export function parseUrl(text: string): ParsedUrl {
  const refuse = (what: string): ParsedUrl => ({ ok: false, message: `parse ${JSON.stringify(text)}: ${what}` });
  if (control.test(text)) return refuse('net/url: invalid control character in URL');
  const { body, fragment } = cutFragment(text);
  if (body === '') return { ok: true, scheme: '', user: null, host: '', query: '', fragment };
  if (body.startsWith(':')) return refuse('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(body)?.[1] ?? '';
  const [rest = '', query = ''] = cut(scheme === '' ? body : body.slice(scheme.length + 1), '?');
  if (scheme === '' && !rest.startsWith('/') && (rest.split('/')[0] ?? '').includes(':'))
    return refuse('first path segment in URL cannot contain colon');
  const authority = /^\/\/([^/]*)/.exec(rest)?.[1] ?? '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const problem = hostProblem(host) ?? escapeProblem(rest);
  if (problem !== null) return refuse(problem);
  return { ok: true, scheme: scheme.toLowerCase(), user: at < 0 ? null : authority.slice(0, at), host, query, fragment };
}

const cut = (text: string, separator: string): readonly [string, string] => {
  const position = text.indexOf(separator);
  return position < 0 ? [text, ''] : [text.slice(0, position), text.slice(position + 1)];
};

const cutFragment = (text: string): { readonly body: string; readonly fragment: string } => {
  const [body, fragment] = cut(text, '#');
  return { body, fragment };
};

function hostProblem(host: string): string | null {
  const port = /:([^:\]]*)$/.exec(host);
  if (port !== null && !/^\d*$/.test(port[1] ?? '')) return `invalid port ${JSON.stringify(port[0])} after host`;
  const character = hostCharacter.exec(host)?.[0];
  return character === undefined ? null : `invalid character ${JSON.stringify(character)} in host name`;
}

function escapeProblem(text: string): string | null {
  const escape = badEscape.exec(text)?.[0];
  return escape === undefined ? null : `invalid URL escape ${JSON.stringify(escape)}`;
}
