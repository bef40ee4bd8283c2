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
  /** This API's audiences, the default of a service's answer. */
  readonly audiences: readonly string[];
  readonly retrying?: Retrying;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  readonly counts?: TokenCacheCounts | null;
}

const cacheMax = 8_192;
const answerTimeoutMs = 30_000;
const initialWaitMs = 500;

/** Asks a service by TokenReview. Errors are not cached; parallel requests with one token share a call. */
export function tokenWebhook(options: TokenWebhookOptions): TokenAuthenticator {
  const reviews = new TokenReviews(options);
  return (token, audiences) => reviews.authenticate(token, audiences);
}

class TokenReviews {
  readonly #options: TokenWebhookOptions;
  readonly #retrying: Retrying;
  readonly #now: () => number;
  readonly #counts: TokenCacheCounts | null;
  readonly #cache: TtlCache<TokenAuthentication>;
  readonly #fetching = new Map<string, Promise<TokenAuthentication>>();

  constructor(options: TokenWebhookOptions) {
    const { retrying = reviewRetrying(initialWaitMs), now = () => performance.now(), counts = null } = options;
    this.#options = options;
    this.#retrying = retrying;
    this.#now = now;
    this.#counts = counts;
    this.#cache = new TtlCache(cacheMax, now);
  }

  authenticate(token: string, audiences: readonly string[]): TokenAuthentication | Promise<TokenAuthentication> {
    const key = hash('sha256', JSON.stringify([token, audiences]), 'base64');
    const begun = this.#now();
    const looked = (how: 'hit' | 'miss'): void => this.#counts?.looked(how, (this.#now() - begun) / 1000);
    const known = this.#cache.get(key);
    if (known !== undefined) {
      looked('hit');
      return known;
    }
    const others = this.#fetching.get(key);
    return (others === undefined ? this.#fetch(token, audiences, key) : this.#join(others)).finally(() => {
      looked('miss');
    });
  }

  async #join(others: Promise<TokenAuthentication>): Promise<TokenAuthentication> {
    this.#counts?.blocked(1);
    try {
      return await others;
    } finally {
      this.#counts?.blocked(-1);
    }
  }

  #fetch(token: string, audiences: readonly string[], key: string): Promise<TokenAuthentication> {
    const fetching = this.#review(token, audiences, key);
    this.#fetching.set(key, fetching);
    return fetching;
  }

  async #review(token: string, audiences: readonly string[], key: string): Promise<TokenAuthentication> {
    const { client, version, cacheTtlMs, audiences: own } = this.#options;
    this.#counts?.fetching(1);
    let answered = false;
    try {
      const body = reviewOf(token, audiences, version);
      const answer = await retry(() => client.post(body, { timeoutMs: answerTimeoutMs }), this.#retrying);
      const result = readStatus(memberAt(JSON.parse(answer) as JsonValue, 'status'), audiences, own);
      if ('failed' in result) return { outcome: 'invalid', reason: result.failed };
      answered = true;
      this.#cache.put(key, result, cacheTtlMs);
      return result;
    } catch (error) {
      return { outcome: 'invalid', reason: `the service that checks tokens failed: ${(error as Error).message.replaceAll(token, '…')}` };
    } finally {
      this.#fetching.delete(key);
      this.#counts?.fetching(-1);
      this.#counts?.fetched(answered ? 'ok' : 'error');
    }
  }
}

const reviewOf = (token: string, audiences: readonly string[], version: TokenWebhookOptions['version']): string =>
  JSON.stringify({
    kind: 'TokenReview',
    apiVersion: `authentication.k8s.io/${version}`,
    metadata: { creationTimestamp: null },
    spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
    status: { user: {} },
  });

/** A service's own error does not concern the token, and is not cached. */
function readStatus(
  status: JsonValue | undefined,
  audiences: readonly string[],
  own: readonly string[],
): TokenAuthentication | { readonly failed: string } {
  const answered = itemsOf(memberAt(status, 'audiences')).map(String);
  const meant = audiences.filter((audience) => (answered.length === 0 ? own : answered).includes(audience));
  if (audiences.length > 0 && meant.length === 0) return notOfThisKind;
  const error = textAt(status, 'error');
  if (memberAt(status, 'authenticated') !== true) return error === '' ? notOfThisKind : { failed: error };
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
