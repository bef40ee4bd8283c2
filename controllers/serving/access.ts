import type { Api } from '../client/api.js';
import { resource } from '../client/resource.js';
import type { KubeObject } from '../client/object.js';
import type { Caller } from './server.js';

interface TokenReview extends KubeObject { readonly spec: { readonly token: string }; readonly status?: { readonly authenticated?: boolean; readonly user?: { readonly username?: string; readonly groups?: readonly string[] } } }
interface AccessReview extends KubeObject { readonly spec: unknown; readonly status?: { readonly allowed?: boolean } }

const tokenReviews = resource<TokenReview>('authentication.k8s.io/v1', 'tokenreviews', 'TokenReview', 'cluster');
const accessReviews = resource<AccessReview>('authorization.k8s.io/v1', 'subjectaccessreviews', 'SubjectAccessReview', 'cluster');

/**
 * Leaves the decision to the API server, as `--authentication-kubeconfig` and `--authorization-kubeconfig` say. Without the first every token is
 * anonymous, without the second everything that is not open is forbidden.
 */
export function delegatedAccess(authentication: Api | null, authorization: Api | null): (caller: Caller, path: string) => Promise<boolean> {
  return async (caller, path) => {
    const who = await identify(caller, authentication);
    if (who.groups.includes('system:masters')) return true;
    if (!authorization) return false;
    const spec = { user: who.user, groups: who.groups, nonResourceAttributes: { path, verb: 'get' } };
    return (await authorization.create(accessReviews, { metadata: {}, spec })).status?.allowed === true;
  };
}

async function identify({ user, groups, token }: Caller, api: Api | null): Promise<{ readonly user: string; readonly groups: readonly string[] }> {
  if (user !== null) return { user, groups: [...groups, 'system:authenticated'] };
  const status = token !== null && api ? (await api.create(tokenReviews, { metadata: {}, spec: { token } })).status : undefined;
  if (!status?.authenticated) return { user: 'system:anonymous', groups: ['system:unauthenticated'] };
  return { user: status.user?.username ?? '', groups: status.user?.groups ?? [] };
}
