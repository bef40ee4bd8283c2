import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { fetchDocument, type Way } from './document.js';

/** Discovers the keys of an issuer and follows their rotation. */
export interface IssuerKeys {
  /** Null until the first fetch. */
  current(): KeySet | null;
  /** Fetches keys unless that was done a moment ago. Resolves with the known keys. */
  renew(): Promise<KeySet | null>;
  /** Settles once the issuer has answered. */
  readonly ready: Promise<void>;
  readonly isReady: boolean;
  stop(): void;
}

export interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

export interface FetchCounts {
  fetched(issuer: string, keySet: string): void;
  failed(issuer: string): void;
  forgotten(issuer: string): void;
}

const noFetchCounts: FetchCounts = { fetched: () => {}, failed: () => {}, forgotten: () => {} };

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly discoveryUrl: string | null;
  readonly way: Way;
  /** Called when the issuer is unreachable or responds with an invalid document. */
  readonly failed: (error: Error) => void;
  readonly counts?: FetchCounts;
  /** Minimum interval of fetches for unknown keys, which unauthenticated clients can send. */
  readonly renewalIntervalMs?: number;
}

const retryIntervalMs = 10_000;
/** Longest validity of a revoked key, even without tokens of a new one. */
const keysAgeMaxMs = 10 * 60_000;
const defaultRenewalIntervalMs = 1_000;

/**
 * Starts discovery and retries until success or stop. Fetches the keys for the first token, and again for each one until they are known; tokens of an issuer
 * without keys do not wait.
 */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const keys = new DiscoveredKeys(options);
  keys.discover();
  return keys;
}

class DiscoveredKeys implements IssuerKeys {
  readonly ready: Promise<void>;
  isReady = false;
  readonly #issuer: string;
  readonly #discoveryUrl: string;
  readonly #way: Way;
  readonly #failed: (error: Error) => void;
  readonly #counts: FetchCounts;
  readonly #renewalIntervalMs: number;
  #settle: () => void = () => undefined;
  #keys: KeySet | null = null;
  #text = '';
  #fetchedAt = -Infinity;
  #renewedAt = -Infinity;
  #discovering: Promise<string> | null = null;
  #fetching: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor({
    issuer,
    discoveryUrl,
    way,
    failed,
    counts = noFetchCounts,
    renewalIntervalMs = defaultRenewalIntervalMs,
  }: IssuerKeysOptions) {
    this.#issuer = issuer;
    this.#discoveryUrl = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    this.#way = way;
    this.#failed = failed;
    this.#counts = counts;
    this.#renewalIntervalMs = renewalIntervalMs;
    this.ready = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  discover(): void {
    const first = this.#findAddress();
    this.#discovering = first;
    first.catch((error: unknown) => {
      this.#failed(error as Error);
      if (this.#discovering === first && this.#keys === null && !this.#stopped)
        this.#retry = setTimeout(() => {
          this.discover();
        }, retryIntervalMs).unref();
    });
  }

  current(): KeySet | null {
    if (this.#keys !== null && performance.now() - this.#fetchedAt > keysAgeMaxMs) void this.#fetchOnce();
    return this.#keys;
  }

  async renew(): Promise<KeySet | null> {
    const now = performance.now();
    if (this.#fetching === null && this.#keys !== null && now - this.#renewedAt < this.#renewalIntervalMs) return this.#keys;
    this.#renewedAt = now;
    await this.#fetchOnce();
    return this.#keys;
  }

  stop(): void {
    this.#stopped = true;
    this.#counts.forgotten(this.#issuer);
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  async #findAddress(): Promise<string> {
    const address = keysAddress(await fetchDocument(this.#discoveryUrl, this.#way), this.#issuer);
    this.isReady = true;
    this.#settle();
    return address;
  }

  /** Later fetches repeat the discovery, because addresses change. */
  #address(): Promise<string> {
    const first = this.#discovering;
    this.#discovering = null;
    return first?.catch(() => this.#findAddress()) ?? this.#findAddress();
  }

  #fetchOnce(): Promise<void> {
    return (this.#fetching ??= this.#fetch()
      .catch((error: unknown) => {
        this.#counts.failed(this.#issuer);
        this.#failed(error as Error);
      })
      .finally(() => {
        this.#fetching = null;
      }));
  }

  async #fetch(): Promise<void> {
    this.#fetchedAt = performance.now();
    const jwks = await fetchDocument(await this.#address(), this.#way);
    const keys = { find: createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet) };
    this.#counts.fetched(this.#issuer, jwks);
    // Unchanged keys keep their object, so that verified tokens stay valid.
    if (jwks === this.#text) return;
    this.#keys = keys;
    this.#text = jwks;
  }
}

/** Keys of another issuer must not sign this one's tokens. */
function keysAddress(document: string, issuer: string): string {
  const { issuer: named, jwks_uri: address } = JSON.parse(document) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (named !== issuer) throw new Error(`the discovery document is that of another issuer: ${JSON.stringify(named)}`);
  if (typeof address !== 'string' || !address.startsWith('https://'))
    throw new Error('the discovery document names no https address of keys');
  return address;
}
