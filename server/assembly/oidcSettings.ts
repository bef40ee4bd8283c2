import { readFileSync } from 'node:fs';
import type { ApiServerOptions } from '../options/flags.js';
import { authorityProblem } from '../authentication/jwt/configuration.js';
import type { JwtSettings } from '../authentication/jwt/settings.js';

/** Null without an issuer. Throws for an unusable file of authorities. */
export function oidcSettings(options: ApiServerOptions): JwtSettings | null {
  const issuer = options['oidc-issuer-url'];
  const audience = options['oidc-client-id'];
  if (issuer === null || audience === null) return null;
  const [usernameClaim, groupsClaim] = [options['oidc-username-claim'], options['oidc-groups-claim']];
  return {
    issuer,
    discoveryUrl: null,
    certificateAuthority: authority(options['oidc-ca-file']),
    egress: null,
    audiences: [audience],
    algorithms: options['oidc-signing-algs'],
    requiredClaims: options['oidc-required-claim'],
    claimRules: [],
    username: {
      by: 'claim',
      claim: usernameClaim,
      prefix: usernamePrefix(options['oidc-username-prefix'], { claim: usernameClaim, issuer }),
    },
    groups: groupsClaim === null ? null : { by: 'claim', claim: groupsClaim, prefix: options['oidc-groups-prefix'] ?? '' },
    uid: null,
    extra: [],
    userRules: [],
  };
}

/** User names of different issuers must not collide; email addresses are unique. */
function usernamePrefix(configured: string | null, { claim, issuer }: { readonly claim: string; readonly issuer: string }): string {
  if (configured === '-') return '';
  return configured ?? (claim === 'email' ? '' : `${issuer}#`);
}

function authority(file: string | null): string | null {
  if (file === null) return null;
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`--oidc-ca-file: cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  const wrong = authorityProblem(pem);
  if (wrong !== null) throw new Error(`--oidc-ca-file: ${file}: ${wrong}`);
  return pem;
}
