import type { Program } from '../../cel/environment.js';

/** Where a claim goes, taken as it is (with a prefix) or through an expression. */
export type Mapping =
  { readonly by: 'claim'; readonly claim: string; readonly prefix: string } | { readonly by: 'expression'; readonly program: Program };

export interface Rule {
  readonly program: Program;
  /** For the log, when the rule is broken. */ readonly message: string;
}

/** Tokens of one issuer, and what they make of a user. */
export interface JwtSettings {
  readonly issuer: string;
  /** Where keys are learnt; null for the usual place below the issuer. */
  readonly discoveryUrl: string | null;
  /** Authorities of the issuer's certificate in PEM; null for those that Node knows. */
  readonly certificateAuthority: string | null;
  /** Which way the issuer is reached; null for the direct one. */
  readonly egress: 'controlplane' | 'cluster' | null;
  /** A token must be meant for one of them. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** Claims that must be there with this text. */
  readonly requiredClaims: Readonly<Record<string, string>>;
  readonly claimRules: readonly Rule[];
  readonly username: Mapping;
  readonly groups: Mapping | null;
  readonly uid: Mapping | null;
  readonly extra: readonly { readonly key: string; readonly program: Program }[];
  readonly userRules: readonly Rule[];
}

/** All signatures that keys of an issuer can make: asymmetric ones. What is not here is not accepted, whatever a token says. */
export const signatureAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'] as const;
