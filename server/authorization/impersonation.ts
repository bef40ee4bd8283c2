import type { StatusError } from '../../api/status.js';
import { anonymousUser, groupAuthenticated, groupUnauthenticated } from '../../program/authentication/authenticator.js';
import type { User } from '../../api/user.js';
import { subdomainName } from '../registry/validation/names.js';
import type { Attributes, Authorizer } from './authorizer.js';
import { forbidden } from './forbidden.js';

/** The requested identity. `extra` is a map because clients choose its keys, which must not name inherited members. */
export interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** The permitting verb for the audit log; empty for plain "impersonate". */
export interface Impersonated {
  readonly user: User;
  readonly constraint: string;
}

/** Receives each authorization check and request. Durations are in seconds. */
export interface ImpersonationCounts {
  asked(mode: ModeName, decision: Outcome, seconds: number): void;
  attempted(mode: ModeName, decision: Outcome, seconds: number): void;
}
export type ModeName = 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';
export type Outcome = 'allowed' | 'denied';

interface Mode {
  readonly name: ModeName;
  applies(wanted: Wanted, requestor: User): boolean;
}

const serviceAccountPrefix = 'system:serviceaccount:';
const nodePrefix = 'system:node:';
const nodeNameKey = 'authentication.kubernetes.io/node-name';
const associatedKeys = 'authentication.kubernetes.io/associated-node-keys';
const authenticationGroup = 'authentication.k8s.io';

/** Number of values from which the right to all is checked first. */
const manyValues = 4;

const legacy: Mode = { name: 'legacy', applies: () => true };

/** Narrowest first, as in KEP-5284. Nodes and service accounts are only named; the server adds the rest. */
const modes: readonly Mode[] = [
  {
    name: 'associated-node',
    applies: (wanted, requestor) => onlyNamed(wanted) && nodeOf(wanted.name) !== null && nodeOf(wanted.name) === boundNode(requestor),
  },
  { name: 'arbitrary-node', applies: (wanted) => onlyNamed(wanted) && nodeOf(wanted.name) !== null },
  { name: 'serviceaccount', applies: (wanted) => onlyNamed(wanted) && serviceAccount(wanted.name) !== null },
  { name: 'user-info', applies: ({ name }) => nodeOf(name) === null && serviceAccount(name) === null },
  legacy,
];

/**
 * Returns the identity for `request`, or throws the refusal. A constrained mode checks the right to the request (`impersonate-on:MODE:VERB`), then to the
 * identity (`impersonate:MODE`). The plain verb "impersonate" comes last and suffices for everything. The first refusal is reported.
 */
export async function impersonate(
  wanted: Wanted,
  request: Attributes,
  authorize: Authorizer,
  { constrained, counts }: { readonly constrained: boolean; readonly counts: ImpersonationCounts },
): Promise<Impersonated> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const applying = constrained ? modes.filter((mode) => mode.applies(wanted, request.user)) : [legacy];
  const refusals: StatusError[] = [];
  for (const { name } of applying) {
    const refused = await refusalOf(name, stepsOf(name, wanted, request), authorize, counts);
    if (refused === null) {
      counts.attempted(name, 'allowed', seconds());
      return { user: userOf(name, wanted), constraint: name === 'legacy' ? '' : `impersonate:${name}` };
    }
    refusals.push(refused);
  }
  counts.attempted(applying[0]!.name, 'denied', seconds());
  throw refusals[0]!;
}

/** Required rights, or `whole` instead of them; or the refusal of a forbidden identity. */
type Step = { readonly whole: Attributes | null; readonly each: readonly Attributes[] } | { readonly never: StatusError };

async function refusalOf(
  mode: ModeName,
  steps: Iterable<Step>,
  authorize: Authorizer,
  counts: ImpersonationCounts,
): Promise<StatusError | null> {
  const refused = async (attributes: Attributes): Promise<StatusError | null> => {
    const startedAt = performance.now();
    const { decision, reason } = await authorize(attributes);
    const allowed = decision === 'allow';
    counts.asked(mode, allowed ? 'allowed' : 'denied', (performance.now() - startedAt) / 1000);
    return allowed ? null : forbidden(attributes, reason);
  };
  for (const step of steps) {
    if ('never' in step) return step.never;
    if (step.whole !== null && (await refused(step.whole)) === null) continue;
    for (const attributes of step.each) {
      const refusal = await refused(attributes);
      if (refusal !== null) return refusal;
    }
  }
  return null;
}

function* stepsOf(mode: ModeName, wanted: Wanted, request: Attributes): Generator<Step> {
  if (mode === 'legacy') {
    const on = asking(request.user, 'impersonate');
    yield all([identity(mode, wanted, on, '')]);
    yield all(wanted.groups.map((name) => on('groups', name)));
    yield all(extraValues(wanted).map(([key, value]) => on('userextras', value, { group: authenticationGroup, subresource: key })));
    if (wanted.uid !== '') yield all([on('uids', wanted.uid, { group: authenticationGroup })]);
    return;
  }
  const user = mode === 'associated-node' ? ofAnyNode(request.user) : request.user;
  const plain = asking(user, `impersonate:${mode}`);
  const on: Asking = (resource, name, more = {}) => plain(resource, name, { group: authenticationGroup, ...more });
  yield all([{ ...request, user, verb: `impersonate-on:${mode}:${request.verb}` }]);
  yield all([identity(mode, wanted, on, authenticationGroup)]);
  if (wanted.uid !== '') yield all([on('uids', wanted.uid)]);
  yield groupStep(wanted.groups, on);
  yield extraStep(wanted, on);
}

const all = (each: readonly Attributes[], whole: Attributes | null = null): Step => ({ whole, each });

function groupStep(groups: readonly string[], on: Asking): Step {
  if (groups.includes('')) return { never: forbidden(on('groups', ''), 'impersonating the empty string group is not allowed') };
  if (groups.includes('system:masters')) {
    return { never: forbidden(on('groups', 'system:masters'), 'impersonating the system:masters group is not allowed') };
  }
  return all(
    groups.map((name) => on('groups', name)),
    groups.length >= manyValues ? on('groups', '*') : null,
  );
}

function extraStep(wanted: Wanted, on: Asking): Step {
  const values = extraValues(wanted);
  const wrong = extraProblem(wanted.extra);
  if (wrong !== null) return { never: forbidden(on('userextras', ''), wrong) };
  return all(
    values.map(([key, value]) => on('userextras', value, { subresource: key })),
    values.length >= manyValues ? on('userextras', '*', { subresource: '*' }) : null,
  );
}

/** Keys must be lower-case paths with a domain, like the server's own. */
function extraProblem(extra: Wanted['extra']): string | null {
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const slash = key.indexOf('/');
    const path = key.slice(slash + 1);
    if (slash < 1 || path === '') {
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
    }
    const [flaw] = subdomainName(key.slice(0, slash), false);
    if (flaw !== undefined) {
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${JSON.stringify(key.slice(0, slash))}: ${flaw}`;
    }
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) {
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${JSON.stringify(path)}: Invalid path`;
    }
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return null;
}

type Asking = (resource: string, name: string, more?: { group?: string; namespace?: string; subresource?: string }) => Attributes;

const asking =
  (user: User, verb: string): Asking =>
  (resource, name, more = {}) => ({
    isResource: true,
    user,
    verb,
    group: '',
    version: 'v1',
    namespace: '',
    subresource: '',
    resource,
    name,
    ...more,
  });

/** Returns the right to the identity. That to the own node covers any node. */
function identity(mode: ModeName, { name }: Wanted, on: Asking, group: string): Attributes {
  const account = serviceAccount(name);
  if (account !== null) return on('serviceaccounts', account.name, { group, namespace: account.namespace });
  const node = mode === 'legacy' ? null : nodeOf(name);
  if (node === null) return on('users', name, { group });
  return on('nodes', mode === 'associated-node' ? '*' : node, { group });
}

const extraValues = ({ extra }: Wanted): [string, string][] =>
  [...extra].flatMap(([key, values]) => values.map((value): [string, string] => [key, value]));

const onlyNamed = ({ uid, groups, extra }: Wanted): boolean => uid === '' && groups.length === 0 && extra.size === 0;

function nodeOf(name: string): string | null {
  if (!name.startsWith(nodePrefix)) return null;
  const node = name.slice(nodePrefix.length);
  return subdomainName(node, false).length === 0 ? node : null;
}

/** Returns the node of the pod that binds a service account's token. */
export function boundNode({ name, extra }: User): string | null {
  const nodes = Object.hasOwn(extra, nodeNameKey) ? extra[nodeNameKey] : undefined;
  return serviceAccount(name) !== null && nodes?.length === 1 ? nodes[0]! : null;
}

/** Removes node-specific values from the requestor, keeping the keys. */
const ofAnyNode = (user: User): User => ({ ...user, extra: { [associatedKeys]: Object.keys(user.extra).sort() } });

function serviceAccount(name: string): { readonly namespace: string; readonly name: string } | null {
  if (!name.startsWith(serviceAccountPrefix)) return null;
  const [namespace, account, ...more] = name.slice(serviceAccountPrefix.length).split(':');
  return namespace && account && more.length === 0 ? { namespace, name: account } : null;
}

const userOf = (mode: ModeName, wanted: Wanted): User => ({
  name: wanted.name,
  uid: wanted.uid,
  groups: completeGroups(mode, wanted),
  extra: Object.fromEntries(wanted.extra),
});

/** Adds groups of service accounts, constrained nodes, and authenticated or anonymous users. */
function completeGroups(mode: ModeName, { name, groups }: Wanted): string[] {
  const account = serviceAccount(name);
  const own =
    mode === 'associated-node' || mode === 'arbitrary-node'
      ? ['system:nodes']
      : groups.length === 0 && account !== null
        ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
        : groups;
  if (own.includes(groupUnauthenticated)) return [...own];
  if (name === anonymousUser) return [...own, groupUnauthenticated];
  return own.includes(groupAuthenticated) ? [...own] : [...own, groupAuthenticated];
}
