import { firstOf, refuseTokens } from './authentication/authenticator.js';
import type { Authenticator } from './authentication/authenticator.js';
import { certificateAuthenticator } from './authentication/certificate.js';
import { firstDecision } from './authorization/authorizer.js';
import type { Authorizer } from './authorization/authorizer.js';
import { alwaysAllow, alwaysDeny, bootstrapRules, masters } from './authorization/builtin.js';
import type { Logger } from './observability/logger.js';
import type { ApiServerOptions } from './options/apiserver.js';

/** Modes that are there so far. What is missing grants nothing, so that nobody gets more than was asked for. */
const modes: ReadonlyMap<string, Authorizer> = new Map([['AlwaysAllow', alwaysAllow], ['AlwaysDeny', alwaysDeny], ['RBAC', bootstrapRules]]);

/** Who may come in and what they may do, as the options say. */
export function accessFrom(options: ApiServerOptions, log: Logger): { readonly authenticate: Authenticator; readonly authorize: Authorizer } {
  const wanted = options['authorization-mode'].length === 0 ? ['AlwaysAllow'] : options['authorization-mode'];
  const missing = wanted.filter((mode) => !modes.has(mode));
  if (missing.length > 0) log.warn('authorization modes that are not there yet grant nothing', { modes: missing.join(',') });
  const open = wanted.includes('AlwaysAllow');
  if (open) log.warn('every authenticated request is allowed; give --authorization-mode=RBAC to change that');
  if (open && options['anonymous-auth']) log.warn('requests without credentials are refused, because authorization would allow them everything');
  return {
    authenticate: firstOf([certificateAuthenticator(), refuseTokens], { anonymous: options['anonymous-auth'] && !open }),
    authorize: firstDecision([masters, ...wanted.map((mode) => modes.get(mode)).filter((authorizer) => authorizer !== undefined)]),
  };
}
