import type { User } from '../../api/user.js';

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** A user's rights in a namespace, as far as authorizers can list them. */
export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** An authorizer may allow more than is listed. */
  readonly incomplete: boolean;
  /** Why something may be missing; joined for the client. */
  readonly problems: readonly string[];
}

export type RuleResolver = (user: User, namespace: string) => RuleList;

export const noRules: RuleList = { resourceRules: [], nonResourceRules: [], incomplete: false, problems: [] };

export function joinRules(resolvers: readonly RuleResolver[]): RuleResolver {
  return (user, namespace) =>
    resolvers
      .map((resolve) => resolve(user, namespace))
      .reduce(
        (all, list) => ({
          resourceRules: [...all.resourceRules, ...list.resourceRules],
          nonResourceRules: [...all.nonResourceRules, ...list.nonResourceRules],
          incomplete: all.incomplete || list.incomplete,
          problems: [...all.problems, ...list.problems],
        }),
        noRules,
      );
}
