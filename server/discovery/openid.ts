import type { OpenIdDocuments } from '../authentication/serviceaccount/openid.js';
import { notAcceptable, methodNotAllowed } from '../../api/status.js';
import { send } from '../endpoints/answers.js';
import type { RequestContext } from '../endpoints/context.js';

export const openidPaths = { configuration: '/.well-known/openid-configuration', keys: '/openid/v1/jwks' } as const;

const keySetType = 'application/jwk-set+json';

/** Answers requests for these documents; false for other paths or without documents. */
export function createOpenId(documents: () => OpenIdDocuments | null, maxAgeSeconds: () => number): (context: RequestContext) => boolean {
  return (context) => {
    const path = context.info.path.replace(/\/$/, '');
    if (path !== openidPaths.configuration && path !== openidPaths.keys) return false;
    const pages = pagesOf(documents());
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined) return false;
    if (context.request.method !== 'GET') throw methodNotAllowed();
    if (!accepts(context.request.headers.accept ?? '', page.type)) throw notAcceptable([page.type]);
    context.response.setHeader('cache-control', `public, max-age=${maxAgeSeconds()}`);
    send(context, 200, page.type, page.bytes);
    return true;
  };
}

interface Page {
  readonly type: string;
  readonly bytes: Buffer;
}

function pagesOf(documents: OpenIdDocuments | null): Readonly<Record<string, Page>> {
  if (documents === null) return {};
  return {
    [openidPaths.configuration]: { type: 'application/json', bytes: Buffer.from(JSON.stringify(documents.configuration)) },
    [openidPaths.keys]: { type: keySetType, bytes: Buffer.from(JSON.stringify(documents.keys)) },
  };
}

function accepts(header: string, type: string): boolean {
  const wanted = header
    .split(',')
    .map((entry) => entry.split(';')[0]!.trim().toLowerCase())
    .filter((entry) => entry !== '');
  return wanted.length === 0 || wanted.some((entry) => entry === type || entry === '*/*' || entry === `${type.split('/')[0]}/*`);
}
