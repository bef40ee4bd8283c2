import { headerText } from '../port/headerText.js';
import type { Request } from '../port/message.js';
import type { Live } from '../files/liveFile.js';
import { withAuthenticatedGroup } from './authenticator.js';
import type { Authentication, Authenticator } from './authenticator.js';
import { peerOf, subjectValues, vouchedBy, type Anchors } from './peer.js';

/** Headers that name the user, as in the options; case-insensitive. */
export interface IdentityHeaders {
  readonly user: readonly string[];
  readonly uid: readonly string[];
  readonly group: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export interface FrontProxyOptions {
  readonly anchors: Live<Anchors>;
  /** Empty allows every certificate of the authorities. */
  readonly allowedNames: readonly string[];
  readonly headers: IdentityHeaders;
}

/** Accepts the user in headers of proxies with a certificate of these authorities. Other certificates may still name a user (request/x509/x509.go). */
export function frontProxyAuthenticator({ anchors, allowedNames, headers }: FrontProxyOptions): Authenticator {
  const problem = vouchedBy(anchors);
  return (request) => {
    const peer = peerOf(request);
    if (peer === null) return { outcome: 'absent' };
    const wrong = problem(peer);
    if (wrong !== null) return invalid(wrong);
    const [proxy = ''] = subjectValues(peer, 'CN').slice(-1);
    if (allowedNames.length > 0 && !allowedNames.includes(proxy)) return invalid(`its name ${JSON.stringify(proxy)} is not allowed`);
    const sent = namedHeaders(request);
    const name = first(sent, headers.user);
    if (name === '') return { outcome: 'absent' };
    return {
      outcome: 'user',
      user: withAuthenticatedGroup({
        name,
        uid: first(sent, headers.uid),
        groups: all(sent, headers.group),
        extra: extraOf(sent, headers.extraPrefixes),
      }),
    };
  };
}

const invalid = (why: string): Authentication => ({ outcome: 'invalid', reason: `certificate of a front proxy: ${why}` });

type Pairs = readonly (readonly [name: string, value: string])[];

function namedHeaders({ rawHeaders }: Request): Pairs {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i]!.toLowerCase(), headerText(rawHeaders[i + 1]!)]);
  return pairs;
}

/** Returns the first header with a value; of a repeated header, the first one. */
function first(sent: Pairs, names: readonly string[]): string {
  return names.map((name) => sent.find(([header]) => header === name.toLowerCase())?.[1] ?? '').find((value) => value !== '') ?? '';
}

const all = (sent: Pairs, names: readonly string[]): string[] =>
  names.flatMap((name) => sent.filter(([header, value]) => header === name.toLowerCase() && value !== '').map(([, value]) => value));

function extraOf(sent: Pairs, prefixes: readonly string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes.map((text) => text.toLowerCase())) {
    for (const [header, value] of sent) {
      if (!header.startsWith(prefix)) continue;
      const key = decodeKey(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  return Object.fromEntries(extra);
}

/** Keys are percent-encoded, because header names do not allow all characters. */
export function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
