import { isObject } from '../../../api/json/json.js';
import { compactVerify, decodeProtectedHeader, errors, type CryptoKey } from 'jose';
import type { JsonObject } from '../../../api/object.js';
import { issuerOf } from '../claimedIssuer.js';
import { audiencesOf, seconds } from '../serviceaccount/claims.js';
import type { IssuerKeys, KeySet } from './keys.js';
import type { JwtSettings } from './settings.js';

/** A tolerance for "not before", because clocks differ. */
const notBeforeLeewaySeconds = 60;

type Demands = Pick<JwtSettings, 'issuer' | 'audiences' | 'algorithms'>;

interface TrustedKeys {
  readonly known: KeySet;
  readonly keys: IssuerKeys;
}

/** Returns the claims of a token that is valid now (seconds since 1970), or an error. */
export async function claimsOf(token: string, demands: Demands, trusted: TrustedKeys, now: number): Promise<JsonObject | string> {
  const payload = await verified(token, demands, trusted);
  return typeof payload === 'string' ? payload : (problem(payload, demands, now) ?? payload);
}

/** An unknown signature may be by a new key, so the keys are fetched once. */
async function verified(token: string, { algorithms }: Demands, { known, keys }: TrustedKeys): Promise<JsonObject | string> {
  let algorithm: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    return 'the token has no readable header';
  }
  if (algorithm === undefined || !algorithms.includes(algorithm)) return 'the token is signed in a way that is not accepted';
  const first = await payloadBy(token, algorithm, known);
  if (first !== null) return first;
  const renewed = await keys.renew();
  return (
    (renewed === null || renewed === known ? null : await payloadBy(token, algorithm, renewed)) ??
    'no key of the issuer has signed the token'
  );
}

async function payloadBy(token: string, algorithm: string, { find }: KeySet): Promise<JsonObject | null> {
  for await (const key of candidates(token, find)) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
      const value: unknown = JSON.parse(new TextDecoder().decode(payload));
      return isObject<JsonObject>(value) ? value : null;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return null;
}

/** Any key of the kind may have signed a token without key id. */
async function* candidates(token: string, find: KeySet['find']): AsyncGenerator<CryptoKey> {
  try {
    yield await find(decodeProtectedHeader(token), { payload: '', signature: '' });
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) yield* error;
  }
}

function problem(payload: JsonObject, { audiences, issuer }: Demands, now: number): string | null {
  const [expires, notBefore] = [seconds(payload, 'exp'), seconds(payload, 'nbf')];
  if (issuerOf(payload['iss']) !== issuer) return 'the token is of another issuer';
  if (expires === null || now > expires) return 'the token has expired';
  if (notBefore !== null && now + notBeforeLeewaySeconds < notBefore) return 'the token is not valid yet';
  if (!hasItsSources(payload)) return 'the token names a source of claims that it does not have';
  return audiencesOf(payload).some((audience) => audiences.includes(audience)) ? null : 'the token is meant for others';
}

/** Checks all distributed claims, also unused ones (go-oidc/verify.go). */
function hasItsSources(payload: JsonObject): boolean {
  const [names, sources] = [payload['_claim_names'] ?? {}, payload['_claim_sources'] ?? {}];
  if (!isObject(names) || !isObject(sources)) return false;
  return Object.values(names).every(
    (name) => typeof name === 'string' && name !== '' && Object.hasOwn(sources, name) && isObject(sources[name]),
  );
}
