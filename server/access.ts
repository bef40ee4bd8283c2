import { escalationCheck } from './authorization/rbac/escalation.js';
import { createRbac, type Rbac } from './authorization/rbac/authorizer.js';
import type { AdmissionPlugin } from './admission/contract.js';
import { firstOf, refuseTokens } from './authentication/authenticator.js';
import type { Authenticator } from './authentication/authenticator.js';
import { certificateAuthenticator } from './authentication/certificate.js';
import { firstDecision } from './authorization/authorizer.js';
import type { Authorizer } from './authorization/authorizer.js';
import { alwaysAllow, alwaysDeny, masters } from './authorization/builtin.js';
import { joinRules, type RuleResolver } from './authorization/rules.js';
import type { Logger } from './observability/logger.js';
import type { ApiServerOptions } from './options/apiserver.js';
import type { Storage } from './storage/contract.js';

/** Who may come in and what they may do. */
export interface Access {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  /** What users may do, for those who ask. */
  readonly rules: RuleResolver;
  /** Steps of admission that keep rights from growing. */
  readonly guards: readonly AdmissionPlugin[];
  /** Settles once roles and bindings are known. */
  readonly synced: Promise<unknown>;
  stop(): void;
}

/** One authorization mode at work. */
interface Mode { readonly authorize: Authorizer; readonly rules: RuleResolver | null }

const everythingAllowed: RuleResolver = () => ({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }], incomplete: false, problems: [],
});

/** Follows storage from now on; decisions are good once `synced` has settled. */
export function createAccess(options: ApiServerOptions, storage: Storage, log: Logger): Access {
  const names = options['authorization-mode'].length === 0 ? ['AlwaysAllow'] : options['authorization-mode'];
  // Roles are followed whatever the modes are: nobody may write a role that grants more than its writer holds.
  const rbac = createRbac(storage);
  const modes = names.map((name) => modeOf(name, rbac));
  const open = names.includes('AlwaysAllow');
  if (open) log.warn('every authenticated request is allowed; give --authorization-mode=RBAC to change that');
  if (open && options['anonymous-auth']) log.warn('requests without credentials are refused, because authorization would allow them everything');
  const authorize = firstDecision([masters, ...modes.map((mode) => mode.authorize)]);
  return {
    authenticate: firstOf([certificateAuthenticator(), refuseTokens], { anonymous: options['anonymous-auth'] && !open }),
    authorize, rules: joinRules(modes.flatMap(({ rules }) => rules ?? [])), guards: [escalationCheck(rbac.index, authorize)],
    synced: rbac.synced, stop: () => { rbac.stop(); },
  };
}

function modeOf(name: string, rbac: Rbac): Mode {
  switch (name) {
    case 'AlwaysAllow': return { authorize: alwaysAllow, rules: everythingAllowed };
    case 'AlwaysDeny': return { authorize: alwaysDeny, rules: null };
    case 'RBAC': return rbac;
    // Options that name what is not there are refused before anything starts.
    default: throw new Error(`--authorization-mode=${name} is not available in this build`);
  }
}
