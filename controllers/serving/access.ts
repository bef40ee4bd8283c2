import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/meta/object.js';
import { resource } from '../../api/meta/resource.js';
import type { User } from '../../api/user.js';
import { withAuthenticatedGroup, type Authenticator } from '../../program/authentication/authenticator.js';
import type { Api } from '../client/api.js';
import type { Clock } from '../client/clock.js';
import { Remembered } from './remembered.js';

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}
interface AccessReview extends KubeObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed?: boolean };
}

const tokenReviews = resource<TokenReview>({
  apiVersion: 'authentication.k8s.io/v1',
  resource: 'tokenreviews',
  kind: 'TokenReview',
  namespaced: false,
});
const accessReviews = resource<AccessReview>({
  apiVersion: 'authorization.k8s.io/v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
});

export function delegatedTokens(api: Api, clock: Clock, keepMs: number): Authenticator {
  const users = new Remembered<User | null>(clock, () => keepMs);
  return async ({ headers }) => {
    const token = /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return { outcome: 'absent' };
    // Keyed by a digest, so that tokens are not stored.
    const user = await users.of(createHash('sha256').update(token).digest('hex'), () => reviewed(api, token));
    return user === null ? { outcome: 'invalid', reason: 'nobody has this token' } : { outcome: 'user', user };
  };
}

async function reviewed(api: Api, token: string): Promise<User | null> {
  const { status } = await api.create(tokenReviews, { metadata: {}, spec: { token } });
  if (status?.authenticated !== true) return null;
  const { username = '', uid = '', groups = [], extra = {} } = status.user ?? {};
  return withAuthenticatedGroup({ name: username, uid, groups, extra });
}

export interface DelegatedAccess {
  /** Null forbids everything that is not open, except to `system:masters`. */
  readonly api: Api | null;
  readonly clock: Clock;
  /** Lifetimes of cached positive and negative responses. */
  readonly allowedMs: number;
  readonly refusedMs: number;
}

/** Returns whether a user may access a non-resource path; `verb` is the lower-case method. */
export type MayAccess = (user: User, verb: string, path: string) => Promise<boolean>;

/** Delegates the decision to the API server, for `--authorization-kubeconfig`. */
export function delegatedAccess({ api, clock, allowedMs, refusedMs }: DelegatedAccess): MayAccess {
  const decisions = new Remembered<boolean>(clock, (allowed) => (allowed ? allowedMs : refusedMs));
  return async (user, verb, path) => {
    if (user.groups.includes('system:masters')) return true;
    return api !== null && decisions.of(JSON.stringify([user, verb, path]), () => allowed(api, user, { path, verb }));
  };
}

async function allowed(
  api: Api,
  { name, uid, groups, extra }: User,
  nonResourceAttributes: { readonly path: string; readonly verb: string },
): Promise<boolean> {
  const spec = {
    user: name,
    groups,
    nonResourceAttributes,
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  return (await api.create(accessReviews, { metadata: {}, spec })).status?.allowed === true;
}
