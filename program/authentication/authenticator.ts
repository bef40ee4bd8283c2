import type { Request } from '../port/message.js';
import type { User } from '../../api/user.js';

/** An audit annotation that describes the credentials, not their user. */
export interface CredentialNote {
  readonly key: string;
  readonly text: string;
}

export interface CredentialNews {
  readonly notes?: readonly CredentialNote[];
  readonly warning?: string;
}

export type Authentication =
  | ({ readonly outcome: 'user'; readonly user: User } & CredentialNews)
  | { readonly outcome: 'absent'; readonly warning?: string }
  /** The credentials are invalid. Only the log gets the reason; clients get "Unauthorized". */
  | ({ readonly outcome: 'invalid'; readonly reason: string } & CredentialNews);

type Refusal = Exclude<Authentication, { readonly outcome: 'user' }>;

export type Authenticator = (request: Request) => Authentication | Promise<Authentication>;

export const anonymousUser = 'system:anonymous';
export const groupUnauthenticated = 'system:unauthenticated';
export const groupAuthenticated = 'system:authenticated';
export const groupMasters = 'system:masters';

const anonymous: Authentication = { outcome: 'user', user: { name: anonymousUser, uid: '', groups: [groupUnauthenticated], extra: {} } };

/** Decides whether a request without credentials is allowed. */
export type AnonymousRule = (request: Request) => boolean;

/** Null allows all paths. */
export const anonymousOn = (paths: ReadonlySet<string> | null): AnonymousRule =>
  paths === null ? () => true : (request) => paths.has(pathOf(request));

function pathOf({ url = '' }: Request): string {
  const [raw = ''] = url.split('?', 1);
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/**
 * Tries each method in order; the first user counts and joins `system:authenticated`. Invalid credentials are refused even where anonymous requests are
 * allowed.
 */
export function firstOf(authenticators: readonly Authenticator[], allowsAnonymous: AnonymousRule): Authenticator {
  const ask = (request: Request, from: number, before: Refusal): Authentication | Promise<Authentication> => {
    let found = before;
    for (let each = from; each < authenticators.length; each++) {
      const answer = authenticators[each]!(request);
      // Answers in the same turn where nothing needs to wait.
      if (answer instanceof Promise)
        return answer.then((result) => (result.outcome === 'user' ? result : ask(request, each + 1, graver(found, result))));
      if (answer.outcome === 'user') return answer;
      found = graver(found, answer);
    }
    if (found.outcome === 'invalid' || !allowsAnonymous(request)) return found;
    return 'warning' in found ? { ...anonymous, warning: found.warning } : anonymous;
  };
  return (request) => ask(request, 0, { outcome: 'absent' });
}

/** The first invalid credentials count, and else the first warning. */
function graver(first: Refusal, next: Refusal): Refusal {
  if (first.outcome === 'invalid') return first;
  return next.outcome === 'invalid' || !('warning' in first) ? next : first;
}

export function withAuthenticatedGroup(user: User): User {
  return user.name === anonymousUser || user.groups.includes(groupAuthenticated) || user.groups.includes(groupUnauthenticated)
    ? user
    : { ...user, groups: [...user.groups, groupAuthenticated] };
}
