import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../api/object.js';
import { withoutTrailing } from '../../api/trailing.js';
import type { User } from '../../api/user.js';
import { groupAuthenticated } from '../../program/authentication/authenticator.js';
import { memberAt, textAt } from '../../api/json/members.js';
import type { Attributes, Authorizer, Decision } from './authorizer.js';
import type { RuleResolver } from './rules.js';

/** Empty members match nothing, `*` matches everything. */
interface Policy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const option = '--authorization-policy-file';
const policyVersion = 'abac.authorization.kubernetes.io/v1beta1';
const readVerbs: readonly string[] = ['get', 'list', 'watch'];
const any = '*';

const allow: Decision = { decision: 'allow', reason: '' };
const silence: Decision = { decision: 'noOpinion', reason: 'No policy matched.' };

export interface AbacPolicies {
  readonly authorize: Authorizer;
  readonly rules: RuleResolver;
}

/** Reads one JSON object per line, skipping blank lines and lines that begin with `#`. Throws with file and line. */
export function readAbacPolicies(file: string): AbacPolicies {
  const lines = readText(file)
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'));
  return abacPolicies(lines.map(({ line, number }) => parsePolicy(line, `${option}: line ${number} of ${file}`)));
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${option}: cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}

function parsePolicy(line: string, where: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Error(`${where} is not JSON`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} is not an object`);
  const object = value as JsonObject;
  const { apiVersion, kind } = object;
  if (apiVersion === undefined && kind === undefined) return unversioned(object);
  if (apiVersion !== policyVersion || kind !== 'Policy') throw new Error(`${where} must have apiVersion ${policyVersion} and kind Policy`);
  return versioned(object);
}

function versioned(object: JsonObject): Policy {
  const text = (member: string): string => textAt(object, 'spec', member);
  const [user, group] = [text('user'), text('group')];
  return {
    // A wildcard matches every authenticated user, and only these.
    user,
    group: user === any || group === any ? groupAuthenticated : group,
    readonly: memberAt(object, 'spec', 'readonly') === true,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  };
}

/** The oldest form, in which omitted members match everything. */
function unversioned(object: JsonObject): Policy {
  const text = (member: string): string => textAt(object, member);
  const [user, group, resource, namespace] = ['user', 'group', 'resource', 'namespace'].map(text) as [string, string, string, string];
  const everybody = (user === '' && group === '') || user === any || group === any;
  return {
    user,
    group: everybody ? groupAuthenticated : group,
    readonly: object['readonly'] === true,
    apiGroup: any,
    resource: resource || any,
    namespace: namespace || any,
    nonResourcePath: resource === '' && namespace === '' ? any : '',
  };
}

function abacPolicies(policies: readonly Policy[]): AbacPolicies {
  return {
    authorize: (attributes) => (policies.some((policy) => grants(policy, attributes)) ? allow : silence),
    rules: (user, namespace) => {
      // The reference also lists a policy for paths only in its namespace, though it always grants the paths.
      const own = policies.filter((policy) => concerns(policy, user) && is(policy.namespace, namespace));
      const verbs = (policy: Policy): readonly string[] => (policy.readonly ? readVerbs : [any]);
      return {
        resourceRules: own
          .filter(({ resource }) => resource !== '')
          .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource], resourceNames: [] })),
        nonResourceRules: own
          .filter(({ nonResourcePath }) => nonResourcePath !== '')
          .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
        incomplete: false,
        problems: [],
      };
    },
  };
}

const is = (wanted: string, actual: string): boolean => wanted === any || wanted === actual;

function concerns({ user, group }: Policy, { name, groups }: User): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || is(user, name)) && (group === '' || groups.includes(group));
}

function grants(policy: Policy, attributes: Attributes): boolean {
  if (!concerns(policy, attributes.user) || (policy.readonly && !readVerbs.includes(attributes.verb))) return false;
  if (attributes.isResource)
    return is(policy.namespace, attributes.namespace) && is(policy.resource, attributes.resource) && is(policy.apiGroup, attributes.group);
  const { nonResourcePath } = policy;
  return (
    is(nonResourcePath, attributes.path) ||
    (nonResourcePath.endsWith(any) && attributes.path.startsWith(withoutTrailing(nonResourcePath, any)))
  );
}
