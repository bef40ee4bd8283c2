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

/** What a user may do in a namespace, as far as authorizers can list it. */
export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** An authorizer may allow more than is listed. */
  readonly incomplete: boolean;
  /** Why something may be missing; several of them are joined for the client. */
  readonly problems: readonly string[];
}

/** Lists what one authorizer allows. */
export type RuleResolver = (user: User, namespace: string) => RuleList;

export const noRules: RuleList = { resourceRules: [], nonResourceRules: [], incomplete: false, problems: [] };

/** What all of them allow together. */
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
