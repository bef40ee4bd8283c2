import type { TokenIssuer } from '../serviceaccount/issuer.js';
import type { TokenAuthenticator } from './token.js';

/** What the API needs to issue and to review tokens. */
export interface TokenServices {
  /** Null where no key was given to sign with. */
  readonly issuer: TokenIssuer | null;
  readonly authenticate: TokenAuthenticator;
  /** Audiences of this API. */
  readonly audiences: readonly string[];
  /** Longest lifetime of tokens; 0 for no limit. */
  readonly lifetimeSecondsMax: number;
  /** Longest lifetime of those that live longer than they were asked for; null for the usual one. */
  readonly extendedSecondsMax: number | null;
  /** Tokens of pods that ask for the usual lifetime live much longer, for clients that read them only once. */
  readonly extendsLifetime: boolean;
  /** Whether a request for a token that tells a uid which is not the account's is refused (feature TokenRequestServiceAccountUIDValidation). */
  readonly refusesOtherUids: boolean;
}
