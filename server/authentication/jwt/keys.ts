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
  stop(): void;
}

export interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

/** Receives outcomes of key fetches. */
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
  /** The minimum interval of fetches for unknown keys: unauthenticated clients can send such tokens. */
  readonly renewalIntervalMs?: number;
}

const retryIntervalMs = 10_000;
/** A revoked key is known no longer than this, even without tokens of a new one. */
const keysAgeMaxMs = 10 * 60_000;
const defaultRenewalIntervalMs = 1_000;

/**
 * Starts discovery at once and retries until it succeeds or is stopped. The keys are fetched for the first token, and again for each one until they are known;
 * nothing waits for an issuer without keys.
 */
export function createIssuerKeys({
  issuer,
  discoveryUrl,
  way,
  failed,
  counts = noFetchCounts,
  renewalIntervalMs = defaultRenewalIntervalMs,
}: IssuerKeysOptions): IssuerKeys {
  const where = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const known = { keys: null as KeySet | null, text: '', askedAt: -Infinity, renewedAt: -Infinity };
  let looking: Promise<string> | null = null;
  let asking: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;
  let stopped = false;
  let settle = (): void => {};
  const ready = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const look = async (): Promise<string> => {
    const address = keysAddress(await fetchDocument(where, way), issuer);
    settle();
    return address;
  };
  /** The first fetch uses the initial discovery; later ones repeat it, because addresses change. */
  const found = (): Promise<string> => {
    const first = looking;
    looking = null;
    return first?.catch(look) ?? look();
  };
  const lookFirst = (): void => {
    const first = look();
    looking = first;
    first.catch((error: unknown) => {
      failed(error as Error);
      if (looking === first && known.keys === null && !stopped) retry = setTimeout(lookFirst, retryIntervalMs).unref();
    });
  };
  const ask = async (): Promise<void> => {
    known.askedAt = performance.now();
    const jwks = await fetchDocument(await found(), way);
    const keys = { find: createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet) };
    counts.fetched(issuer, jwks);
    // Unchanged keys keep their object, so that verified tokens stay valid.
    if (jwks === known.text) return;
    known.keys = keys;
    known.text = jwks;
  };
  const askOnce = (): Promise<void> =>
    (asking ??= ask()
      .catch((error: unknown) => {
        counts.failed(issuer);
        failed(error as Error);
      })
      .finally(() => {
        asking = null;
      }));
  lookFirst();
  return {
    current: () => {
      if (known.keys !== null && performance.now() - known.askedAt > keysAgeMaxMs) void askOnce();
      return known.keys;
    },
    renew: async () => {
      if (asking === null && known.keys !== null && performance.now() - known.renewedAt < renewalIntervalMs) return known.keys;
      known.renewedAt = performance.now();
      await askOnce();
      return known.keys;
    },
    ready,
    stop: () => {
      stopped = true;
      counts.forgotten(issuer);
      if (retry !== null) clearTimeout(retry);
    },
  };
}

/** The document of another issuer would let its keys sign this one's tokens. */
function keysAddress(document: string, issuer: string): string {
  const { issuer: told, jwks_uri: address } = JSON.parse(document) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (told !== issuer) throw new Error(`the discovery document is that of another issuer: ${JSON.stringify(told)}`);
  if (typeof address !== 'string' || !address.startsWith('https://'))
    throw new Error('the discovery document names no https address of keys');
  return address;
}
