import { dayText } from '../../../api/time.js';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import { readFailure } from '../../registry/failures.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { Storage, StoredObject } from '../../storage/contract.js';
import { accountGroups, accountUserName, type Reference } from './claims.js';
import type { VerificationKeys } from './keys.js';
import type { Lookup } from './lookup.js';
import { signatureCheck } from './signatures.js';
import type { TokenUse } from './tokenUse.js';

/** Issuer of the tokens that are kept in secrets and have no end. */
const issuer = 'kubernetes/serviceaccount';
/** A controller marks the secrets of tokens that nobody has used for long. */
const invalidSince = 'kubernetes.io/legacy-token-invalid-since';
/** It knows that by this label, which says on which day a token was used last. */
const lastUsed = 'kubernetes.io/legacy-token-last-used';
const markTimeoutMs = 5_000;
/** Secrets whose use today was noted; more are noted again. */
const notedMax = 10_000;

interface Claims {
  readonly namespace: string;
  readonly account: Reference;
  readonly secret: string;
  readonly user: User;
}

export interface SecretTokenOptions {
  readonly keys: VerificationKeys;
  readonly storage: Pick<Storage, 'get' | 'update'>;
  /** Null where a token counts whatever has become of its account and secret. */
  readonly lookup: Lookup | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Told of every token that is good, and of those that nobody has used for long. */
  readonly count?: (use: TokenUse) => void;
}

/** Authenticates service accounts by tokens kept in secrets. Such a token counts as long as the secret holds it. */
export function secretTokens({
  keys,
  storage,
  lookup,
  now = Date.now,
  count = () => undefined,
}: SecretTokenOptions): (token: string) => Promise<User | string | null> {
  const noteUse = useNotes(storage, now);
  const check = signatureCheck<Claims>({ keys, issuers: [issuer], read: claimsOf });
  return async (token) => {
    const vouched = await check(token);
    if (vouched === null || typeof vouched === 'string') return vouched;
    if (lookup === null) return vouched.user;
    const secret = await secretOf(vouched, storage);
    const wrong = await whyGone(token, vouched, secret, lookup);
    if (wrong === unused) count('invalidLegacyAuto');
    if (wrong !== null) return wrong;
    count('legacy');
    count((await namesSecret(vouched, storage)) ? 'legacyAuto' : 'legacyManual');
    if (secret !== null) noteUse(vouched, secret);
    return vouched.user;
  };
}

function claimsOf(payload: JsonObject): Claims | null {
  const text = (name: string): string => textAt(payload, `kubernetes.io/serviceaccount/${name}`);
  const namespace = text('namespace');
  const account = { name: text('service-account.name'), uid: text('service-account.uid') };
  const secret = text('secret.name');
  const name = accountUserName(namespace, account.name);
  if ([namespace, account.name, account.uid, secret].includes('') || payload['sub'] !== name) return null;
  return { namespace, account, secret, user: { name, uid: account.uid, groups: accountGroups(namespace), extra: {} } };
}

const secrets = { group: '', resource: 'secrets' };
const accounts = { group: '', resource: 'serviceaccounts' };
const unused = 'service account token has been marked as unused';

/** Whether the account names the secret among its own: then a controller has made it. */
async function namesSecret({ namespace, account, secret }: Claims, storage: Pick<Storage, 'get'>): Promise<boolean> {
  const result = await storage.get({ resource: accounts, namespace, name: account.name }, { at: 'any' });
  return result.outcome === 'found' && itemsOf(memberAt(result.object.decode(), 'secrets')).some((each) => textAt(each, 'name') === secret);
}

async function secretOf({ namespace, secret }: Claims, storage: Pick<Storage, 'get'>): Promise<StoredObject | null> {
  const result = await storage.get({ resource: secrets, namespace, name: secret }, { at: 'any' });
  if (result.outcome !== 'found' && result.outcome !== 'absent') throw readFailure(result);
  return result.outcome === 'found' ? result.object : null;
}

/** Writes on a secret that its token was used today: once a day, and without letting the request wait. A note that is lost is made with the next use. */
function useNotes(storage: Pick<Storage, 'update'>, now: () => number): (claims: Claims, secret: StoredObject) => void {
  const noted = new Map<string, string>();
  return ({ namespace, secret: name }, stored) => {
    const today = dayText(now());
    const object = stored.decode();
    const place = `${namespace}/${name}`;
    if (object.metadata.labels?.[lastUsed] === today || noted.get(place) === today) return;
    if (noted.size >= notedMax) noted.clear();
    noted.set(place, today);
    const marked = { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [lastUsed]: today } } };
    const forget = (): void => {
      noted.delete(place);
    };
    storage.update({ resource: secrets, namespace, name }, marked, stored.version, { timeoutMs: markTimeoutMs }).then(({ outcome }) => {
      if (outcome !== 'applied') forget();
    }, forget);
  };
}

async function whyGone(token: string, { namespace, account }: Claims, stored: StoredObject | null, lookup: Lookup): Promise<string | null> {
  const object = stored?.decode() ?? null;
  const held = Buffer.from(textAt(object, 'data', 'token'), 'base64').toString('utf8');
  if (object === null || object.metadata.deletionTimestamp !== undefined || !sameToken(held, token))
    return 'service account token has been invalidated';
  if ((object.metadata.labels?.[invalidSince] ?? '') !== '') return unused;
  const always = {
    id: '',
    subject: '',
    audiences: [],
    issuedAt: null,
    notBefore: null,
    expires: null,
    warnAfter: null,
    pod: null,
    secret: null,
    node: null,
  };
  return lookup({ ...always, namespace, account }, Date.now() / 1000);
}

/** Digests of equal length, because only such can be compared in constant time. */
function sameToken(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
