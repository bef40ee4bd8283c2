import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';

/** An object in a token. The uid is empty for a node that was absent when the token was issued. */
export interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** A service account token's content without its signer. Times are seconds since 1970. */
export interface AccountClaims {
  readonly id: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number | null;
  readonly notBefore: number | null;
  readonly expires: number | null;
  /** Time by which clients should have another token; null if that is the end. */
  readonly warnAfter: number | null;
  readonly namespace: string;
  readonly account: Reference;
  readonly pod: Reference | null;
  readonly secret: Reference | null;
  readonly node: Reference | null;
}

/** The claim with all Kubernetes-specific content. */
const own = 'kubernetes.io';

export interface NewClaims {
  readonly id: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970. */
  readonly now: number;
  readonly lifetimeSeconds: number;
  /** Seconds until clients should have another token; null if only the expiry counts. */
  readonly warnAfterSeconds: number | null;
  readonly account: ApiObject;
  readonly pod: ApiObject | null;
  readonly secret: ApiObject | null;
  /** The node that binds the token, or that of its pod. */
  readonly node: ApiObject | null;
}

/** Builds a token's payload. Pure. */
export function payloadOf({
  id,
  issuer,
  audiences,
  now,
  lifetimeSeconds,
  warnAfterSeconds,
  account,
  pod,
  secret,
  node,
}: NewClaims): JsonObject {
  const { namespace = '', name = '' } = account.metadata;
  return {
    aud: [...audiences],
    exp: now + lifetimeSeconds,
    iat: now,
    iss: issuer,
    jti: id,
    [own]: {
      namespace,
      ...(node === null ? {} : { node: referenceTo(node) }),
      ...(pod === null ? {} : { pod: referenceTo(pod) }),
      ...(secret === null ? {} : { secret: referenceTo(secret) }),
      serviceaccount: referenceTo(account),
      ...(warnAfterSeconds === null ? {} : { warnafter: now + warnAfterSeconds }),
    },
    nbf: now,
    sub: accountUserName(namespace, name),
  };
}

const referenceTo = ({ metadata: { name = '', uid = '' } }: ApiObject): JsonObject => ({ name, ...(uid === '' ? {} : { uid }) });

/** Parses a verified payload; null without an account, or with an invalid time, which would mean no expiry. */
export function claimsOf(payload: JsonObject): AccountClaims | null {
  const namespace = textAt(payload, own, 'namespace');
  const account = reference(payload, 'serviceaccount');
  if (namespace === '' || account === null || account.uid === '') return null;
  const subject = textAt(payload, 'sub');
  if (subject !== accountUserName(namespace, account.name) || !times.every((claim) => isTime(payload[claim]))) return null;
  return {
    id: textAt(payload, 'jti'),
    subject,
    audiences: audiencesOf(payload),
    issuedAt: seconds(payload, 'iat'),
    notBefore: seconds(payload, 'nbf'),
    expires: seconds(payload, 'exp'),
    warnAfter: seconds(membersOf(payload[own]), 'warnafter'),
    namespace,
    account,
    pod: reference(payload, 'pod'),
    secret: reference(payload, 'secret'),
    node: reference(payload, 'node'),
  };
}

const times = ['iat', 'nbf', 'exp'] as const;
const isTime = (value: unknown): boolean => value === undefined || value === null || Number.isFinite(value);

/** A single audience may be a plain text. */
export const audiencesOf = ({ aud }: JsonObject): string[] => (typeof aud === 'string' ? [aud] : itemsOf(aud).map(String));

export function seconds(payload: JsonObject, claim: string): number | null {
  const value = payload[claim];
  return typeof value === 'number' ? value : null;
}

function reference(payload: JsonObject, member: string): Reference | null {
  const found = memberAt(payload, own, member);
  if (found === undefined || found === null) return null;
  const { name, uid } = membersOf(found);
  return { name: typeof name === 'string' ? name : '', uid: typeof uid === 'string' ? uid : '' };
}

const leewaySeconds = 60;

/** Returns why a token is not valid at this time, or null. */
export function untimely(
  { issuedAt, notBefore, expires }: Pick<AccountClaims, 'issuedAt' | 'notBefore' | 'expires'>,
  now: number,
): string | null {
  if (notBefore !== null && now + leewaySeconds < notBefore) return 'service account token is not valid yet';
  if (expires !== null && now - leewaySeconds > expires) return 'service account token has expired';
  if (issuedAt !== null && now + leewaySeconds < issuedAt) return 'service account token is issued in the future';
  return null;
}

export const accountUserName = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;
export const accountGroups = (namespace: string): string[] => ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];

export function userOf({ id, namespace, account, pod, node }: AccountClaims): User {
  const about = (what: string, { name, uid }: Reference): Record<string, string[]> => ({
    [`authentication.kubernetes.io/${what}-name`]: [name],
    ...(uid === '' ? {} : { [`authentication.kubernetes.io/${what}-uid`]: [uid] }),
  });
  return {
    name: accountUserName(namespace, account.name),
    uid: account.uid,
    groups: accountGroups(namespace),
    extra: {
      ...(id === '' ? {} : { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] }),
      ...(node === null ? {} : about('node', node)),
      ...(pod === null ? {} : about('pod', pod)),
    },
  };
}
