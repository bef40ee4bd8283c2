import type { TokenIssuer } from '../serviceaccount/issuer.js';
import type { TokenAuthenticator } from './token.js';

export interface TokenServices {
  /** Null without a signing key. */
  readonly issuer: TokenIssuer | null;
  readonly authenticate: TokenAuthenticator;
  readonly audiences: readonly string[];
  /** 0 for no limit. */
  readonly lifetimeSecondsMax: number;
  /** The longest extended lifetime; null for the default. */
  readonly extendedSecondsMax: number | null;
  /** Extends pods' usual tokens for clients that read them only once. */
  readonly extendsLifetime: boolean;
  /** Refuses token requests with another uid than the account's (feature TokenRequestServiceAccountUIDValidation). */
  readonly refusesOtherUids: boolean;
}
