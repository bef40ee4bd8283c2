import { isObject } from '../../../api/json/json.js';
import type { JsonObject } from '../../../api/object.js';
import { claimedIssuer } from '../claimedIssuer.js';
import { fetchDocument, type Way } from './document.js';
import { createIssuerKeys, type IssuerKeys } from './keys.js';
import type { JwtSettings } from './settings.js';
import { claimsOf } from './verification.js';

/**
 * Resolves distributed claims (OpenID Connect Core 1.0, section 5.6.2): `_claim_names` names a claim's source, `_claim_sources` its address and access token.
 * Fetches the groups claim only, as in the reference. The response is a token of this or another issuer, verified with its published keys. Other claims stay.
 */
export type ClaimResolver = (claims: JsonObject) => Promise<JsonObject | string>;

export interface DistributedClaims {
  readonly resolve: ClaimResolver;
  stop(): void;
}

/** Limit of further issuers with followed keys; tokens that name more are refused. */
const otherIssuersMax = 16;

export function distributedClaims(
  settings: JwtSettings,
  own: IssuerKeys,
  way: Way,
  { now = () => Date.now() / 1000, failed }: { readonly now?: () => number; readonly failed: (error: Error) => void },
): DistributedClaims {
  const others = new Map<string, IssuerKeys>();
  const keysOf = (issuer: string): IssuerKeys | null => {
    if (issuer === settings.issuer) return own;
    const known = others.get(issuer);
    if (known !== undefined || others.size >= otherIssuersMax) return known ?? null;
    const keys = createIssuerKeys({ issuer, discoveryUrl: null, way, failed });
    others.set(issuer, keys);
    return keys;
  };
  const fetch = ({ endpoint, token }: ClaimSource): Promise<string | null> =>
    fetchDocument(endpoint, way, { accept: 'application/jwt', bearer: token }).catch((cause: unknown) => {
      failed(cause as Error);
      return null;
    });
  const claim = settings.groups?.by === 'claim' ? settings.groups.claim : null;
  return {
    resolve: async (claims) => {
      const source = claim === null || Object.hasOwn(claims, claim) ? null : sourceOf(claims, claim);
      if (claim === null || source === null) return claims;
      if (typeof source === 'string') return source;
      const token = await fetch(source);
      if (token === null) return `the source of claim ${claim} cannot be asked`;
      const answer = await verified(token.trim(), settings, keysOf, now);
      if (typeof answer === 'string') return `the source of claim ${claim}: ${answer}`;
      return Object.hasOwn(answer, claim) ? { ...claims, [claim]: answer[claim]! } : `the source of claim ${claim} does not have it`;
    },
    stop: () => {
      for (const keys of others.values()) keys.stop();
    },
  };
}

async function verified(
  token: string,
  settings: JwtSettings,
  keysOf: (issuer: string) => IssuerKeys | null,
  now: () => number,
): Promise<JsonObject | string> {
  const issuer = claimedIssuer(token);
  const keys = issuer.startsWith('https://') ? keysOf(issuer) : null;
  if (keys === null) return 'the answer is of no issuer whose keys could be had';
  // A new issuer is being contacted just now.
  const known = keys.current() ?? (await keys.renew());
  return known === null
    ? 'the issuer of the answer has not been reached yet'
    : claimsOf(token, { ...settings, issuer }, { known, keys }, now());
}

interface ClaimSource {
  readonly endpoint: string;
  readonly token: string | null;
}

/** Returns the source of a claim; null without one, a text when it is unusable. */
function sourceOf(claims: JsonObject, claim: string): ClaimSource | string | null {
  const name = member(claims['_claim_names'], claim);
  if (name === undefined) return null;
  const source = typeof name === 'string' ? member(claims['_claim_sources'], name) : undefined;
  if (source === undefined) return `claim ${claim} is of a source that the token does not name`;
  const [endpoint, token] = [member(source, 'endpoint'), member(source, 'access_token')];
  // An aggregated claim stays absent (token/oidc/oidc.go).
  if (endpoint === undefined || endpoint === '') return null;
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint) || new URL(endpoint).protocol !== 'https:')
    return `the source of claim ${claim} is no https address`;
  return { endpoint, token: typeof token === 'string' && token !== '' ? token : null };
}

const member = (value: unknown, name: string): unknown =>
  isObject<JsonObject>(value) && Object.hasOwn(value, name) ? value[name] : undefined;
