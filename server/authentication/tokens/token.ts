import type { User } from '../../../api/user.js';
import {
  groupAuthenticated,
  withAuthenticatedGroup,
  type Authentication,
  type Authenticator,
  type CredentialNews,
  type CredentialNote,
} from '../../../program/authentication/authenticator.js';

export type TokenAuthentication =
  | ({
      readonly outcome: 'user';
      readonly user: User;
      /** The requested audiences that the token has. */ readonly audiences: readonly string[];
    } & CredentialNews)
  /** The token is of another kind. */
  | { readonly outcome: 'absent' }
  /** An invalid token of this kind. The reason contains no part of it. */
  | ({ readonly outcome: 'invalid' } & Refused);

/** An invalid token's reason, with notes for the audit event. */
export interface Refused extends CredentialNews {
  readonly reason: string;
}

/** The token must have one of the audiences. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => TokenAuthentication | Promise<TokenAuthentication>;

export const notOfThisKind: TokenAuthentication = { outcome: 'absent' };
export const invalidToken = 'invalid bearer token';

/** Longer ones are refused unread: header blocks end at 16 KiB. */
const tokenCharactersMax = 16 * 1024;

/** Asks authenticators in order; the first user counts and joins `system:authenticated`. Else reports all errors. */
export function firstTokenOf(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return async (token, audiences) => {
    if (token.length > tokenCharactersMax) return { outcome: 'invalid', reason: invalidToken };
    const reasons = new Set<string>();
    const notes: CredentialNote[] = [];
    for (const authenticate of authenticators) {
      const answer = authenticate(token, audiences);
      const result = answer instanceof Promise ? await answer : answer;
      if (result.outcome === 'user')
        return result.user.groups.includes(groupAuthenticated) ? result : { ...result, user: withAuthenticatedGroup(result.user) };
      if (result.outcome === 'absent') continue;
      reasons.add(result.reason);
      notes.push(...(result.notes ?? []));
    }
    if (reasons.size === 0) return notOfThisKind;
    return { outcome: 'invalid', reason: [...reasons].join(', '), ...(notes.length === 0 ? {} : { notes }) };
  };
}

/** The user of a token, with warnings about the credential. */
export interface Vouched extends CredentialNews {
  readonly user: User;
}

type Answer<T> = T | null | Promise<T | null>;

/** Adapts authenticators without audiences, whose tokens are for this API. They return null for foreign tokens, and a text for invalid ones. */
export const forThisApi = (own: readonly string[], authenticate: (token: string) => Answer<User | string>): TokenAuthenticator =>
  withNewsForThisApi(own, async (token) => {
    const found = await authenticate(token);
    return typeof found === 'string' ? { reason: found } : found && { user: found };
  });

export function withNewsForThisApi(own: readonly string[], authenticate: (token: string) => Answer<Vouched | Refused>): TokenAuthenticator {
  return async (token, audiences) => {
    const meant = audiences.filter((audience) => own.includes(audience));
    if (meant.length === 0 && own.length > 0) return notOfThisKind;
    const found = await authenticate(token);
    if (found === null) return notOfThisKind;
    return 'reason' in found ? { outcome: 'invalid', ...found } : { outcome: 'user', ...found, audiences: meant };
  };
}

/** Authenticates by `Authorization: Bearer TOKEN`. Refuses an unknown token, which is not "no credentials". */
export function bearerAuthenticator(authenticate: TokenAuthenticator, audiences: readonly string[]): Authenticator {
  return (request) => {
    const token = bearerToken(request.headers.authorization);
    if (token !== null) return check(authenticate, token, audiences);
    return isSpaced(request.headers.authorization) ? { outcome: 'absent', warning: spaced } : { outcome: 'absent' };
  };
}

export async function check(authenticate: TokenAuthenticator, token: string, audiences: readonly string[]): Promise<Authentication> {
  const result = await authenticate(token, audiences);
  if (result.outcome === 'user') {
    const { audiences: _audiences, ...known } = result;
    return known;
  }
  return result.outcome === 'invalid' ? result : { outcome: 'invalid', reason: invalidToken };
}

/** Null without a token; the scheme is case-insensitive. */
export function bearerToken(header: string | undefined): string | null {
  const [scheme = '', token = ''] = (header ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : null;
}

const spaced = 'the provided Authorization header contains extra space before the bearer token, and is ignored';
/** A second space makes the token empty (request/bearertoken/bearertoken.go). */
const isSpaced = (header: string | undefined): boolean => /^bearer {2}/i.test((header ?? '').trim());
