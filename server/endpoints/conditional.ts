import { createHash } from 'node:crypto';
import type { RequestContext } from './context.js';

const yearMs = 365 * 24 * 60 * 60 * 1000;

export const contentHash = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex').toUpperCase();

/** Answers 304 and returns true when the client has the document. A compressing proxy may have made the tag weak. */
export function notModified({ request, response }: RequestContext, hash: string): boolean {
  const tag = `"${hash}"`;
  response.setHeader('etag', tag);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (!known.includes(tag) && !known.includes('*')) return false;
  response.statusCode = 304;
  response.end();
  return true;
}

/** A current hash makes the response immutable; an outdated one redirects to `address` and returns true. */
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
