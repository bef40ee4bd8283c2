import { createHash } from 'node:crypto';
import type { RequestContext } from '../endpoints/context.js';

/** Documents that seldom change, and clients that have them already. */

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** What names a document's content: in its entity tag, and in addresses under which it never changes. */
export const contentHash = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex').toUpperCase();

/** Tags the answer, and answers 304 when the client has the document: then true. A proxy that compresses may have marked the tag as weak. */
export function notModified({ request, response }: RequestContext, hash: string): boolean {
  const tag = `"${hash}"`;
  response.setHeader('etag', tag);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (!known.includes(tag) && !known.includes('*')) return false;
  response.statusCode = 304;
  response.end();
  return true;
}

/**
 * Looks at the hash in the address, if there is one. A client with the present one need never ask again, and is told so; one with an
 * outdated one is sent to `address`, the present one: then true.
 */
export function redirected({ query, response }: RequestContext, hash: string, address: string): boolean {
  const asked = query.get('hash') ?? '';
  if (asked === '') return false;
  if (asked === hash) {
    response.setHeader('cache-control', 'public, immutable');
    response.setHeader('expires', new Date(Date.now() + yearMs).toUTCString());
    return false;
  }
  response.statusCode = 301;
  response.setHeader('location', address);
  response.end();
  return true;
}
