import { decodeJwt } from 'jose';

/** Reads the issuer before verification, only to select an authenticator. Empty for other tokens. */
export function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}
