import type { Program } from '../../../cel/environment.js';

/** Maps a claim unchanged (with a prefix) or through an expression. */
export type Mapping =
  | { readonly by: 'claim'; readonly claim: string; readonly prefix: string }
  | { readonly by: 'expression'; readonly program: Program };

export interface Rule {
  readonly program: Program;
  readonly message: string;
}

/** The tokens of one issuer, and their mapping to users. */
export interface JwtSettings {
  readonly issuer: string;
  /** Null for the default address below the issuer. */
  readonly discoveryUrl: string | null;
  /** Certificate authorities in PEM; null for Node's. */
  readonly certificateAuthority: string | null;
  /** The egress selection; null for a direct connection. */
  readonly egress: 'controlplane' | 'cluster' | null;
  /** A token must have one of them. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** Claims that must have this text. */
  readonly requiredClaims: Readonly<Record<string, string>>;
  readonly claimRules: readonly Rule[];
  readonly username: Mapping;
  readonly groups: Mapping | null;
  readonly uid: Mapping | null;
  readonly extra: readonly { readonly key: string; readonly program: Program }[];
  readonly userRules: readonly Rule[];
}

/** The accepted algorithms, all asymmetric. Tokens cannot select others. */
export const signatureAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'] as const;
