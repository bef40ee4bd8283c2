import { createHash } from 'node:crypto';
import type { Api } from '../client/api.js';
import type { Clock } from '../client/clock.js';
import { resource } from '../../api/meta/resource.js';
import type { KubeObject } from '../../api/meta/object.js';
import { Remembered } from './remembered.js';
import type { Caller } from './server.js';

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: { readonly username?: string; readonly groups?: readonly string[] };
  };
}
interface AccessReview extends KubeObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed?: boolean };
}

const tokenReviews = resource<TokenReview>('authentication.k8s.io/v1', 'tokenreviews', 'TokenReview', 'cluster');
const accessReviews = resource<AccessReview>('authorization.k8s.io/v1', 'subjectaccessreviews', 'SubjectAccessReview', 'cluster');

export interface DelegatedAccess {
  readonly authentication: Api | null;
  readonly authorization: Api | null;
  readonly clock: Clock;
  /** How long answers are remembered: who a token belongs to, a yes, and a no. */
  readonly tokenMs: number;
  readonly allowedMs: number;
  readonly refusedMs: number;
}

interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}
const anonymous: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Leaves the decision to the API server, as `--authentication-kubeconfig` and `--authorization-kubeconfig` say. Without the first every token is
 * anonymous, without the second everything that is not open is forbidden.
 */
export function delegatedAccess({
  authentication,
  authorization,
  clock,
  tokenMs,
  allowedMs,
  refusedMs,
}: DelegatedAccess): (caller: Caller, path: string) => Promise<boolean | 'unknown'> {
  const identities = new Remembered<Identity | null>(clock, () => tokenMs);
  const decisions = new Remembered<boolean>(clock, (allowed) => (allowed ? allowedMs : refusedMs));
  const identify = async ({ user, groups, token }: Caller): Promise<Identity | null> => {
    if (user !== null) return { user, groups: [...groups, 'system:authenticated'] };
    // Kept under a digest: a token has no business in the memory of a program that only checks it.
    return token !== null && authentication
      ? identities.of(createHash('sha256').update(token).digest('hex'), () => reviewed(authentication, token))
      : anonymous;
  };
  return async (caller, path) => {
    const who = await identify(caller);
    if (who === null) return 'unknown';
    if (who.groups.includes('system:masters')) return true;
    return authorization !== null && decisions.of(JSON.stringify([who, path]), () => allowed(authorization, who, path));
  };
}

/** null for a token that nobody knows. */
async function reviewed(api: Api, token: string): Promise<Identity | null> {
  const { status } = await api.create(tokenReviews, { metadata: {}, spec: { token } });
  return status?.authenticated ? { user: status.user?.username ?? '', groups: status.user?.groups ?? [] } : null;
}

async function allowed(api: Api, { user, groups }: Identity, path: string): Promise<boolean> {
  return (
    (await api.create(accessReviews, { metadata: {}, spec: { user, groups, nonResourceAttributes: { path, verb: 'get' } } })).status
      ?.allowed === true
  );
}
