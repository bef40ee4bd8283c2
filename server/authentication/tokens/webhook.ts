import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import type { WebhookClient } from '../../webhook/client.js';
import { retry, reviewRetrying, type Retrying } from '../../webhook/retry.js';
import { TtlCache } from '../../webhook/ttlCache.js';
import type { TokenCacheCounts } from './cacheCounts.js';
import { notOfThisKind, type TokenAuthentication, type TokenAuthenticator } from './token.js';

export interface TokenWebhookOptions {
  readonly client: WebhookClient;
  readonly version: 'v1' | 'v1beta1';
  /** The cache lifetime of positive and negative answers. */
  readonly cacheTtlMs: number;
  /** The audiences of this API, which a service's answer has by default. */
  readonly audiences: readonly string[];
  readonly retrying?: Retrying;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  readonly counts?: TokenCacheCounts | null;
}

const cacheMax = 8_192;
const answerTimeoutMs = 30_000;
const initialWaitMs = 500;

/** Asks a service by TokenReview. Errors are not cached; parallel requests for one token share a call. */
export function tokenWebhook({
  client,
  version,
  cacheTtlMs,
  audiences: own,
  retrying = reviewRetrying(initialWaitMs),
  now = () => performance.now(),
  counts = null,
}: TokenWebhookOptions): TokenAuthenticator {
  const cache = new TtlCache<TokenAuthentication>(cacheMax, now);
  const asking = new Map<string, Promise<TokenAuthentication>>();
  const ask = async (token: string, audiences: readonly string[], key: string): Promise<TokenAuthentication> => {
    counts?.fetching(1);
    let answered = false;
    try {
      const body = JSON.stringify({
        kind: 'TokenReview',
        apiVersion: `authentication.k8s.io/${version}`,
        metadata: { creationTimestamp: null },
        spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
        status: { user: {} },
      });
      const answer = await retry(() => client.post(body, { timeoutMs: answerTimeoutMs }), retrying);
      const result = readStatus(memberAt(JSON.parse(answer) as JsonValue, 'status'), audiences, own);
      answered = !('failed' in result);
      if (!('failed' in result)) cache.put(key, result, cacheTtlMs);
      return 'failed' in result ? { outcome: 'invalid', reason: result.failed } : result;
    } catch (error) {
      return { outcome: 'invalid', reason: `the service that checks tokens failed: ${(error as Error).message.replaceAll(token, '…')}` };
    } finally {
      asking.delete(key);
      counts?.fetching(-1);
      counts?.fetched(answered ? 'ok' : 'error');
    }
  };
  const joined = async (others: Promise<TokenAuthentication>): Promise<TokenAuthentication> => {
    counts?.blocked(1);
    try {
      return await others;
    } finally {
      counts?.blocked(-1);
    }
  };
  const question = (token: string, audiences: readonly string[], key: string): Promise<TokenAuthentication> => {
    const others = asking.get(key);
    if (others !== undefined) return joined(others);
    const own = ask(token, audiences, key);
    asking.set(key, own);
    return own;
  };
  return (token, audiences) => {
    const key = hash('sha256', JSON.stringify([token, audiences]), 'base64');
    const begun = now();
    const known = cache.get(key);
    if (known !== undefined) {
      counts?.looked('hit', (now() - begun) / 1000);
      return known;
    }
    return question(token, audiences, key).finally(() => {
      counts?.looked('miss', (now() - begun) / 1000);
    });
  };
}

/** An error that the service reports says nothing about the token, so it is not cached. */
function readStatus(
  status: JsonValue | undefined,
  audiences: readonly string[],
  own: readonly string[],
): TokenAuthentication | { readonly failed: string } {
  const error = textAt(status, 'error');
  if (memberAt(status, 'authenticated') !== true) return error === '' ? notOfThisKind : { failed: error };
  const told = itemsOf(memberAt(status, 'audiences')).map(String);
  const meant = audiences.filter((audience) => (told.length === 0 ? own : told).includes(audience));
  if (audiences.length > 0 && meant.length === 0) return notOfThisKind;
  return { outcome: 'user', user: userIn(membersOf(memberAt(status, 'user'))), audiences: meant };
}

function userIn(user: JsonObject): User {
  const extra = Object.entries(membersOf(user['extra'])).map(([key, values]) => [key, itemsOf(values).map(String)] as const);
  return {
    name: textAt(user, 'username'),
    uid: textAt(user, 'uid'),
    groups: itemsOf(user['groups']).map(String),
    extra: Object.fromEntries(extra),
  };
}
