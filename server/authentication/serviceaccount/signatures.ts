import { BoundedMap } from '../../../api/boundedMap.js';
import { isObject } from '../../../api/json/json.js';
import { hash } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import type { JsonObject } from '../../../api/object.js';
import type { TokenCacheCounts } from '../tokens/cacheCounts.js';
import { claimedIssuer } from '../claimedIssuer.js';
import type { VerificationKey, VerificationKeys } from './keys.js';

const rememberedMax = 10_000;

/** Returns the content of a verified token, an error, or null for another issuer's token. Synchronous for cached tokens. */
export type SignatureCheck<T> = (token: string) => T | Promise<T | string | null>;

export interface SignatureOptions<T> {
  readonly keys: VerificationKeys;
  readonly issuers: readonly string[];
  /** Null for a payload of another kind. */
  readonly read: (payload: JsonObject) => T | null;
  readonly counts?: TokenCacheCounts | null;
}

/** Verifies signatures, parses payloads, and caches results. The caller checks time and objects at each use. */
export function signatureCheck<T extends object>({ keys, issuers, read, counts = null }: SignatureOptions<T>): SignatureCheck<T> {
  const remembered = new BoundedMap<string, T>(rememberedMax);
  let rememberedBy = keys.current;
  const verified = async (token: string): Promise<JsonObject | string> => {
    counts?.fetching(1);
    const begun = performance.now();
    try {
      return await verify(token, keys);
    } finally {
      counts?.fetching(-1);
      counts?.fetched('ok');
      counts?.looked('miss', (performance.now() - begun) / 1000);
    }
  };
  const vouch = async (token: string, digest: string): Promise<T | string | null> => {
    if (!issuers.includes(claimedIssuer(token))) return null;
    const payload = await verified(token);
    if (typeof payload === 'string') return payload;
    const vouched = read(payload);
    if (vouched === null) return 'the token names no service account';
    remembered.set(digest, vouched);
    return vouched;
  };
  return (token) => {
    // Revoked keys revoke their tokens.
    if (rememberedBy !== keys.current) {
      remembered.clear();
      rememberedBy = keys.current;
    }
    // The token itself is not kept.
    const digest = hash('sha256', token, 'base64');
    const known = remembered.get(digest);
    if (known === undefined) return vouch(token, digest);
    // Hits are not measured: they take less than a microsecond.
    counts?.looked('hit', 0);
    return known;
  };
}

/** Tries every candidate key with its own algorithm; the header only selects keys (serviceaccount/jwt.go). */
async function verify(token: string, keys: VerificationKeys): Promise<JsonObject | string> {
  let id: string;
  try {
    id = decodeProtectedHeader(token).kid ?? '';
  } catch {
    return 'the token has no readable header';
  }
  const named = (all: readonly VerificationKey[]): readonly VerificationKey[] => (id === '' ? all : all.filter((key) => key.id === id));
  const known = named(keys.current);
  const candidates = known.length === 0 && keys.renew !== undefined ? named(await keys.renew()) : known;
  for (const { key, algorithm } of candidates) {
    const payload = await payloadSignedBy(token, key, algorithm);
    if (payload !== null) return payload;
  }
  return 'no key of this cluster has signed the token';
}

async function payloadSignedBy(token: string, key: VerificationKey['key'], algorithm: string): Promise<JsonObject | null> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    return isObject<JsonObject>(value) ? value : null;
  } catch {
    return null;
  }
}
