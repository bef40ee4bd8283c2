import type { User } from '../../endpoints/context.js';
import { badRequest } from '../../api/status.js';
import { anonymousUser, groupAuthenticated, groupUnauthenticated } from '../../authentication/authenticator.js';
import { decodeKey } from '../../authentication/frontProxy.js';
import { removeHeaders } from '../../authentication/stripping.js';
import type { Attributes, Authorizer } from '../../authorization/authorizer.js';
import { forbidden } from '../../authorization/forbidden.js';
import type { Exchange } from '../exchange.js';

const extraPrefix = 'impersonate-extra-';
const serviceAccountPrefix = 'system:serviceaccount:';

/** Keys of `extra` are the client's words: a map has no members of its own that one of them could name. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/**
 * Lets a user act as another one (headers `Impersonate-User`, `-Group`, `-Uid`, `-Extra-KEY`), if the verb "impersonate" is granted on every
 * single part. From here on the request is the other user's; who really asked stays known for the audit log.
 */
export function impersonateFilter(authorize: Authorizer): (exchange: Exchange) => void | Promise<void> {
  return (exchange) => {
    const wanted = readHeaders(exchange);
    return wanted === null ? undefined : impersonate(exchange, wanted, authorize);
  };
}

async function impersonate(exchange: Exchange, wanted: Wanted, authorize: Authorizer): Promise<void> {
  if (wanted.name === '') throw badRequest(`requested ${goSyntax(wanted)} without impersonating a user name`);
  for (const attributes of parts(exchange.user, wanted)) {
    const { decision, reason } = await authorize(attributes);
    if (decision !== 'allow') throw forbidden(attributes, reason);
  }
  removeHeaders(exchange.request, (header) => header.startsWith('impersonate-'));
  exchange.impersonator = exchange.user;
  exchange.user = { name: wanted.name, uid: wanted.uid, groups: completeGroups(wanted), extra: Object.fromEntries(wanted.extra) };
}

/** Null when no impersonation is asked for. Cheap for the usual request, which has none of these headers. */
function readHeaders({ request }: Exchange): Wanted | null {
  if (!anyImpersonation(request.headers)) return null;
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  const raw = rawHeaders(request.rawHeaders);
  for (const [header, value] of raw) {
    if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(extraPrefix)) {
      const key = decodeKey(header.slice(extraPrefix.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  const single = (wantedHeader: string): string => raw.find(([header]) => header === wantedHeader)?.[1] ?? '';
  const wanted = { name: single('impersonate-user'), uid: single('impersonate-uid'), groups, extra };
  return wanted.name === '' && wanted.uid === '' && groups.length === 0 && extra.size === 0 ? null : wanted;
}

function anyImpersonation(headers: Exchange['request']['headers']): boolean {
  for (const header in headers) if (header.startsWith('impersonate-')) return true;
  return false;
}

/** Values of repeated headers one by one: joining them would make a group of two names with a comma. */
function rawHeaders(list: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = list[i]!.toLowerCase();
    if (name.startsWith('impersonate-')) pairs.push([name, list[i + 1]!]);
  }
  return pairs;
}

/** What must be allowed, part by part. */
function* parts(user: User, wanted: Wanted): Generator<Attributes> {
  const on = (resource: string, name: string, more: { group?: string; namespace?: string; subresource?: string } = {}): Attributes => ({
    isResource: true,
    user,
    verb: 'impersonate',
    group: '',
    version: 'v1',
    namespace: '',
    subresource: '',
    resource,
    name,
    ...more,
  });
  const account = serviceAccount(wanted.name);
  yield account === null ? on('users', wanted.name) : on('serviceaccounts', account.name, { namespace: account.namespace });
  for (const group of wanted.groups) yield on('groups', group);
  for (const [key, values] of wanted.extra) {
    for (const value of values) yield on('userextras', value, { group: 'authentication.k8s.io', subresource: key });
  }
  if (wanted.uid !== '') yield on('uids', wanted.uid, { group: 'authentication.k8s.io' });
}

function serviceAccount(name: string): { readonly namespace: string; readonly name: string } | null {
  if (!name.startsWith(serviceAccountPrefix)) return null;
  const [namespace, account, ...more] = name.slice(serviceAccountPrefix.length).split(':');
  return namespace && account && more.length === 0 ? { namespace, name: account } : null;
}

/** Service accounts bring their groups; everybody is either authenticated or not, as the real user would be. */
function completeGroups(wanted: Wanted): string[] {
  const account = serviceAccount(wanted.name);
  const own =
    wanted.groups.length === 0 && account !== null
      ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`]
      : wanted.groups;
  if (own.includes(groupAuthenticated) || own.includes(groupUnauthenticated)) return [...own];
  return [...own, wanted.name === anonymousUser ? groupUnauthenticated : groupAuthenticated];
}

/** Clients of the reference see this text, which prints a structure of its implementation language. */
function goSyntax({ name, uid, groups, extra }: Wanted): string {
  const list = (values: readonly string[]): string => `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const entries = [...extra].map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const extras = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}, Extra:${extras}}`;
}
