import type { Request } from '../port/message.js';
import type { User } from '../../api/user.js';

/** What the audit event tells of credentials beside whose they are, as an annotation. */
export interface CredentialNote {
  readonly key: string;
  readonly text: string;
}

/** What there is to tell of credentials that are good. */
export interface CredentialNews {
  readonly notes?: readonly CredentialNote[];
  /** For the client. */
  readonly warning?: string;
}

/** What one way of authentication makes of a request. */
export type Authentication =
  | ({ readonly outcome: 'user'; readonly user: User } & CredentialNews)
  /** The request carries nothing that this way looks at. */
  | { readonly outcome: 'absent' }
  /** It carries something, and that is no good. The reason is for the log: clients are told only "Unauthorized". */
  | { readonly outcome: 'invalid'; readonly reason: string };

export type Authenticator = (request: Request) => Authentication | Promise<Authentication>;

export const anonymousUser = 'system:anonymous';
export const groupUnauthenticated = 'system:unauthenticated';
export const groupAuthenticated = 'system:authenticated';
export const groupMasters = 'system:masters';

const anonymous: Authentication = { outcome: 'user', user: { name: anonymousUser, uid: '', groups: [groupUnauthenticated], extra: {} } };

/** Whether a request without credentials is welcome. */
export type AnonymousRule = (request: Request) => boolean;

/** Anonymous requests are welcome on these paths, which must match exactly; null stands for all paths. */
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
 * Asks each way in order; the first user counts and joins `system:authenticated`. Bad credentials are refused even where anonymous
 * requests are welcome: whoever shows a broken badge is not to be mistaken for somebody without one.
 */
export function firstOf(authenticators: readonly Authenticator[], options: { readonly anonymous: AnonymousRule }): Authenticator {
  const ask = (request: Request, from: number, before: Authentication | null): Authentication | Promise<Authentication> => {
    let invalid = before;
    for (let each = from; each < authenticators.length; each++) {
      const answer = authenticators[each]!(request);
      // Most ways know at once, and a request that need not wait is answered in the turn in which it came.
      if (answer instanceof Promise)
        return answer.then((result) => (result.outcome === 'user' ? result : ask(request, each + 1, invalid ?? complaintOf(result))));
      if (answer.outcome === 'user') return answer;
      invalid ??= complaintOf(answer);
    }
    return invalid ?? (options.anonymous(request) ? anonymous : { outcome: 'absent' });
  };
  return (request) => ask(request, 0, null);
}

const complaintOf = (answer: Authentication): Authentication | null => (answer.outcome === 'invalid' ? answer : null);

/** Adds the group that everybody who proved an identity belongs to. */
export function withAuthenticatedGroup(user: User): User {
  return user.name === anonymousUser || user.groups.includes(groupAuthenticated) || user.groups.includes(groupUnauthenticated)
    ? user
    : { ...user, groups: [...user.groups, groupAuthenticated] };
}
