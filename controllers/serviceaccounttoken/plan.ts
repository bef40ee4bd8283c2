import { nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { Secret, ServiceAccount } from '../../api/types/core/v1.js';

export const tokenType = 'kubernetes.io/service-account-token';
const accountName = 'kubernetes.io/service-account.name';
const accountUid = 'kubernetes.io/service-account.uid';

/** The uid is '' where the secret names none. */
export const accountOf = ({ metadata: { annotations } }: Secret): { readonly name: string; readonly uid: string } => ({
  name: annotations?.[accountName] ?? '',
  uid: annotations?.[accountUid] ?? '',
});

export interface Gaps {
  readonly authority: boolean;
  readonly namespace: boolean;
  readonly token: boolean;
}

/** Returns null for a complete secret. Keeps the authority if none is known. */
export function gapsIn({ data = {} }: Secret, authority: string | null): Gaps | null {
  const gaps = {
    authority: authority !== null && data['ca.crt'] !== encoded(authority),
    namespace: !data['namespace'],
    token: !data['token'],
  };
  return gaps.authority || gaps.namespace || gaps.token ? gaps : null;
}

export interface Contents {
  readonly gaps: Gaps;
  readonly authority: string | null;
  /** Present where the token is missing. */ readonly token: string | null;
}

export function filled(secret: Secret, account: ServiceAccount, { gaps, authority, token }: Contents): Secret {
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: { ...secret.metadata.annotations, [accountName]: nameOf(account), [accountUid]: uidOf(account) },
    },
    data: {
      ...secret.data,
      ...(gaps.authority && authority !== null ? { 'ca.crt': encoded(authority) } : {}),
      ...(gaps.namespace ? { namespace: encoded(namespaceOf(secret)) } : {}),
      ...(gaps.token && token !== null ? { token: encoded(token) } : {}),
    },
  };
}

/** Returns the claims of a secret's token. It never expires: it is valid as long as its secret holds it. */
export function claimsFor(account: ServiceAccount, secret: Secret): Readonly<Record<string, string>> {
  const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`;
  return {
    iss: 'kubernetes/serviceaccount',
    [claim('namespace')]: namespaceOf(account),
    [claim('secret.name')]: nameOf(secret),
    [claim('service-account.name')]: nameOf(account),
    [claim('service-account.uid')]: uidOf(account),
    sub: `system:serviceaccount:${namespaceOf(account)}:${nameOf(account)}`,
  };
}

export function withoutReference(account: ServiceAccount, secret: string): ServiceAccount | null {
  const secrets = account.secrets?.filter(({ name }) => name !== secret);
  return secrets && secrets.length < (account.secrets?.length ?? 0) ? { ...account, secrets } : null;
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
