import type { JsonObject } from '../../../api/object.js';
import type { VerificationKey } from './keys.js';

/** Others verify this cluster's tokens with these documents. */
export interface OpenIdDocuments {
  readonly configuration: JsonObject;
  readonly keys: JsonObject;
}

/** Returns null if discovery is impossible: the issuer must be an https URL without query and fragment. */
export function openIdDocuments(issuer: string, jwksUri: string, all: readonly VerificationKey[]): OpenIdDocuments | null {
  const keys = all.filter(({ excluded = false }) => !excluded);
  if (!isDiscoverable(issuer) || keys.length === 0) return null;
  return {
    configuration: {
      issuer,
      jwks_uri: jwksUri,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
    },
    keys: { keys: keys.map(({ key, id, algorithm }) => ({ use: 'sig', kid: id, alg: algorithm, ...key.export({ format: 'jwk' }) })) },
  };
}

function isDiscoverable(issuer: string): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  return url !== null && url.protocol === 'https:' && url.search === '' && url.hash === '';
}
