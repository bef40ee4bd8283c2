import { createHmac } from 'node:crypto';
import { isTerminating } from '../../api/meta/object.js';
import { parseTime } from '../../api/time.js';
import type { ConfigMap, Secret } from '../../api/types/core/v1.js';

/** Bootstrap tokens of new nodes: their signatures and their expiry. Pure. */

export const tokenType = 'bootstrap.kubernetes.io/token';
export const tokenNamespace = 'kube-system';
const namePrefix = 'bootstrap-token-';
const idForm = /^[a-z0-9]{6}$/;
const signaturePrefix = 'jws-kubeconfig-';
const signedKey = 'kubeconfig';

const dataOf = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8');

/** Returns milliseconds until the token expires, 0 when expired or unreadable; null for a token without expiration. */
export function remainingMs(secret: Secret, now: number): number | null {
  const text = dataOf(secret, 'expiration');
  if (text === '') return null;
  const at = parseTime(text);
  return at === undefined ? 0 : Math.max(0, at.seconds * 1000 - now);
}

interface SigningToken {
  readonly id: string;
  readonly secret: string;
}

function signingToken(secret: Secret, now: number): SigningToken | null {
  const { name = '' } = secret.metadata;
  const id = dataOf(secret, 'token-id');
  const key = dataOf(secret, 'token-secret');
  if (secret.type !== tokenType || isTerminating(secret) || !idForm.test(id) || name !== `${namePrefix}${id}` || key === '') return null;
  if (remainingMs(secret, now) === 0 || dataOf(secret, 'usage-bootstrap-signing') !== 'true') return null;
  return { id, secret: key };
}

/** A signature (JWS with HMAC) without its content, which the verifier has. */
function detachedSignature(content: string, { id, secret }: SigningToken): string {
  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  const header = encoded(JSON.stringify({ alg: 'HS256', kid: id }));
  const signature = createHmac('sha256', secret)
    .update(`${header}.${encoded(content)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

/** Returns the desired data of `cluster-info`, or null when unchanged. Removes signatures of deleted tokens and keeps other data. */
export function signedData({ data = {} }: ConfigMap, secrets: readonly Secret[], now: number): Readonly<Record<string, string>> | null {
  const content = data[signedKey];
  if (content === undefined) return null;
  const wanted = new Map<string, string>(
    secrets.flatMap((secret) => {
      const token = signingToken(secret, now);
      return token ? [[`${signaturePrefix}${token.id}`, detachedSignature(content, token)] as const] : [];
    }),
  );
  const present = Object.keys(data).filter((key) => key.startsWith(signaturePrefix));
  if (present.length === wanted.size && present.every((key) => wanted.get(key) === data[key])) return null;
  const kept = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  return Object.fromEntries([...kept, ...[...wanted].sort(([a], [b]) => (a < b ? -1 : 1))]);
}
