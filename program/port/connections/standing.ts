import { anonymousUser, groupMasters } from '../../authentication/authenticator.js';
import type { User } from '../../../api/user.js';

/**
 * Priority when room is scarce: unauthenticated clients come last; a flood must not cost nodes and managers (essential) their leases; administrators inspect
 * problems.
 */
export type Standing = 'unauthenticated' | 'ordinary' | 'essential' | 'administrator';

const essentialUsers: ReadonlySet<string> = new Set(['system:kube-controller-manager', 'system:kube-scheduler']);
const essentialGroups: ReadonlySet<string> = new Set(['system:nodes', 'system:serviceaccounts:kube-system']);

export function standingOf({ name, groups }: User): Standing {
  if (groups.includes(groupMasters)) return 'administrator';
  if (essentialUsers.has(name) || groups.some((group) => essentialGroups.has(group))) return 'essential';
  return name === anonymousUser ? 'unauthenticated' : 'ordinary';
}
