/** A request target (RFC 9112, section 3.2). */
export type Target =
  | {
      readonly ok: true;
      readonly path: string;
      readonly search: string;
      readonly origin: string;
    }
  | { readonly ok: false; readonly message: string };

/**
 * Accepts the origin form and, over HTTP/1.1, the absolute form (section 3.2.2); for HTTP/2 see RFC 9113, section 8.3.1. Decodes the path before splitting it,
 * as in the reference: names cannot contain an encoded slash.
 */
export function parseTarget(url: string, httpVersionMajor = 1): Target {
  const origin = url.charCodeAt(0) === 47 ? url : httpVersionMajor === 1 || url === '*' ? withoutAuthority(url) : null;
  if (origin === null) return { ok: false, message: `invalid request target ${JSON.stringify(url.slice(0, 200))}` };
  const mark = origin.indexOf('?');
  const raw = mark < 0 ? origin : origin.slice(0, mark);
  const search = mark < 0 ? '' : origin.slice(mark + 1);
  if (!raw.includes('%')) return { ok: true, path: raw, search, origin };
  try {
    return { ok: true, path: decodeURIComponent(raw), search, origin };
  } catch {
    return { ok: false, message: `invalid percent-encoding in the path ${JSON.stringify(raw.slice(0, 200))}` };
  }
}

const absoluteForm = /^https?:\/\/[^/?#]*/i;

function withoutAuthority(url: string): string | null {
  if (url === '*') return '*';
  const match = absoluteForm.exec(url);
  if (match === null) return null;
  const rest = url.slice(match[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

export const noParameters = new URLSearchParams();
const malformed = /%(?![0-9a-fA-F]{2})|;/;

/** A pair with broken percent-encoding or a semicolon is ignored. */
export function parseQuery(search: string): URLSearchParams {
  if (search === '') return noParameters;
  if (!malformed.test(search)) return new URLSearchParams(search);
  return new URLSearchParams(
    search
      .split('&')
      .filter((pair) => !malformed.test(pair))
      .join('&'),
  );
}
