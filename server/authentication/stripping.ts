import type { Request } from '../../program/port/message.js';
import type { Authentication, Authenticator } from '../../program/authentication/authenticator.js';
import type { IdentityHeaders } from '../../program/authentication/frontProxy.js';

/** The usual headers of front proxies are always removed, since backends may trust them. */
const usual: IdentityHeaders = {
  user: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefixes: ['x-remote-extra-'],
};

/** Removes all credentials from authenticated requests, which have their user from now on. */
export function stripCredentials(authenticate: Authenticator, configured: IdentityHeaders | null): Authenticator {
  const lists = configured === null ? [usual] : [usual, configured];
  const names = new Set([
    'authorization',
    ...lists.flatMap(({ user, uid, group }) => [...user, ...uid, ...group]).map((name) => name.toLowerCase()),
  ]);
  const prefixes = lists.flatMap(({ extraPrefixes }) => extraPrefixes).map((prefix) => prefix.toLowerCase());
  const isCredential = (header: string): boolean => names.has(header) || prefixes.some((prefix) => header.startsWith(prefix));
  const strip = (request: Request, result: Authentication): Authentication => {
    if (result.outcome === 'user') removeHeaders(request, isCredential);
    return result;
  };
  return (request) => {
    const answer = authenticate(request);
    return answer instanceof Promise ? answer.then((result) => strip(request, result)) : strip(request, answer);
  };
}

/** Removes headers from both forms in which Node keeps them. */
export function removeHeaders(request: Request, unwanted: (lowerCaseName: string) => boolean): void {
  const found = Object.keys(request.headers).filter(unwanted);
  if (found.length === 0) return;
  for (const header of found) delete request.headers[header];
  const { rawHeaders } = request;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) if (unwanted(rawHeaders[i]!.toLowerCase())) rawHeaders.splice(i, 2);
}
