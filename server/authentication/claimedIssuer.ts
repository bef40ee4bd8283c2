import { decodeJwt } from 'jose';

/** Reads the issuer before verification, only to select an authenticator. Empty for other tokens. */
export function claimedIssuer(token: string): string {
  try {
    return issuerOf(decodeJwt(token).iss);
  } catch {
    return '';
  }
}

/** One provider leaves the scheme out (token/oidc/oidc.go). */
export const issuerOf = (iss: unknown): string =>
  iss === 'accounts.google.com' ? 'https://accounts.google.com' : typeof iss === 'string' ? iss : '';
