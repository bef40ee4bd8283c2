import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { fetchDocument, type Way } from './document.js';

/** Finds the keys of an issuer by its discovery document, and follows their rotation. */
export interface IssuerKeys {
  /** The key set as it is known; null until it was asked for. */
  current(): KeySet | null;
  /** Asks the issuer again, unless its keys are known and that was done a moment ago. Resolves with what is known then. */
  renew(): Promise<KeySet | null>;
  /** Settles once the issuer has answered. */
  readonly ready: Promise<void>;
  stop(): void;
}

export interface KeySet {
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

/** Hears how questions for keys go. */
export interface FetchCounts {
  fetched(issuer: string, keySet: string): void;
  failed(issuer: string): void;
  /** The issuer is none any more. */
  forgotten(issuer: string): void;
}

const noFetchCounts: FetchCounts = { fetched: () => {}, failed: () => {}, forgotten: () => {} };

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly discoveryUrl: string | null;
  readonly way: Way;
  /** Called when the issuer cannot be asked, or answers nonsense. */
  readonly failed: (error: Error) => void;
  readonly counts?: FetchCounts;
  /** Least time between two questions that tokens with unknown keys cause: anybody can send such tokens. */
  readonly renewalIntervalMs?: number;
}

const retryIntervalMs = 10_000;
/** A key that its issuer took back is known no longer than this, even if no token with a new one comes by. */
const keysAgeMaxMs = 10 * 60_000;
const defaultRenewalIntervalMs = 1_000;

/**
 * Looks for the issuer at once, and goes on until it has answered or all is stopped. Its keys are asked for when a first token comes, and with each next one
 * until
 * they are known: nobody waits for an issuer that has no keys yet.
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

  /** The address of the keys. */
  const look = async (): Promise<string> => {
    const address = keysAddress(await fetchDocument(where, way), issuer);
    settle();
    return address;
  };
  /** What was found at the start is good for the first question; later ones look again, because addresses change. */
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
    // The same keys stay the same object: what was verified with them goes on to count.
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

/** A document of another issuer would let its keys sign this one's tokens. */
function keysAddress(document: string, issuer: string): string {
  const { issuer: told, jwks_uri: address } = JSON.parse(document) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (told !== issuer) throw new Error(`the discovery document is that of another issuer: ${JSON.stringify(told)}`);
  if (typeof address !== 'string' || !address.startsWith('https://'))
    throw new Error('the discovery document names no https address of keys');
  return address;
}
