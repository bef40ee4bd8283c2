import { decodeJwt } from 'jose';

/** Read before anything is verified, and only to know whose business a token is. Empty for what is no token of this form. */
export function claimedIssuer(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}
