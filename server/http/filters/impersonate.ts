import { badRequest } from '../../../api/status.js';
import { decodeKey } from '../../../program/authentication/frontProxy.js';
import { headerText } from '../../../program/port/headerText.js';
import { quoted, quotedBytes } from '../../../workers/codecs/goQuotes.js';
import { removeHeaders } from '../../authentication/stripping.js';
import { timed } from '../../../program/tracing/requestLatency.js';
import { attributesOf, type Authorizer } from '../../authorization/authorizer.js';
import { impersonate, type ImpersonationCounts, type Wanted } from '../../authorization/impersonation.js';
import type { Exchange } from '../exchange.js';
import type { Filter } from './filter.js';

const extraPrefix = 'impersonate-extra-';

export interface ImpersonationOptions {
  /** Accepts constrained permissions (`impersonate:MODE`, `impersonate-on:MODE:VERB`): feature ConstrainedImpersonation. */
  readonly constrained: boolean;
  readonly counts: ImpersonationCounts;
}

/** Headers `Impersonate-User`, `-Group`, `-Uid`, `-Extra-KEY`, each subject to permission. The audit log keeps the original user. */
export function impersonateFilter(authorize: Authorizer, options: ImpersonationOptions): Filter {
  return (exchange) => {
    const wanted = readHeaders(exchange);
    return wanted === null ? undefined : timed(exchange.latency, 'impersonation', () => become(exchange, wanted, authorize, options));
  };
}

async function become(exchange: Exchange, wanted: Wanted, authorize: Authorizer, options: ImpersonationOptions): Promise<void> {
  if (wanted.name === '')
    throw badRequest(`requested ${goSyntax(readHeaders(exchange, asBytes) ?? wanted)} without impersonating a user name`);
  const request = attributesOf(exchange.user, exchange.info, exchange.method);
  const { user, constraint } = await impersonate(wanted, request, authorize, options);
  removeHeaders(exchange.request, (header) => header.startsWith('impersonate-'));
  exchange.impersonator = exchange.user;
  exchange.impersonationConstraint = constraint;
  exchange.user = user;
}

/** HTTP parsers make a character of each byte. */
const asBytes = (value: string): string => value;

function readHeaders({ request }: Exchange, read: (value: string) => string = headerText): Wanted | null {
  if (!anyImpersonation(request.headers)) return null;
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  const raw = rawHeaders(request.rawHeaders, read);
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

/** Joining repeated headers would make a group of two names. */
function rawHeaders(list: readonly string[], read: (value: string) => string): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = list[i]!.toLowerCase();
    if (name.startsWith('impersonate-')) pairs.push([name, read(list[i + 1]!)]);
  }
  return pairs;
}

/** Clients of the reference see this text, a printed Go structure, with maps in the order of their keys. */
function goSyntax({ name, uid, groups, extra }: Wanted): string {
  const list = (values: readonly string[]): string => `[]string{${values.map(quotedBytes).join(', ')}}`;
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, values]) => `${quoted(key)}:${list(values)}`);
  const extras = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${quotedBytes(name)}, UID:${quotedBytes(uid)}, Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}, Extra:${extras}}`;
}
