import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { fetchDocument, type Way } from './document.js';

/** Finds the keys of an issuer by its discovery document, and follows their rotation. */
export interface IssuerKeys {
  /** The key set as it is known; null until the issuer has answered for the first time. */
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

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly discoveryUrl: string | null;
  readonly way: Way;
  /** Called when the issuer cannot be asked, or answers nonsense. */
  readonly failed: (error: Error) => void;
  /** Least time between two questions that tokens with unknown keys cause: anybody can send such tokens. */
  readonly renewalIntervalMs?: number;
}

const retryIntervalMs = 10_000;
/** A key that its issuer took back is known no longer than this, even if no token with a new one comes by. */
const keysAgeMaxMs = 10 * 60_000;
const defaultRenewalIntervalMs = 1_000;

/** Begins to ask at once, and goes on until the issuer has answered or all is stopped. */
export function createIssuerKeys({
  issuer,
  discoveryUrl,
  way,
  failed,
  renewalIntervalMs = defaultRenewalIntervalMs,
}: IssuerKeysOptions): IssuerKeys {
  const where = discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const known = { keys: null as KeySet | null, text: '', askedAt: -Infinity, renewedAt: -Infinity };
  let asking: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;
  let stopped = false;
  let settle = (): void => {};
  const ready = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const ask = async (): Promise<void> => {
    known.askedAt = performance.now();
    const jwks = await fetchDocument(keysAddress(await fetchDocument(where, way), { issuer }), way);
    // The same keys stay the same object: what was verified with them goes on to count.
    if (jwks === known.text) return;
    known.keys = { find: createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet) };
    known.text = jwks;
    settle();
  };
  const askOnce = (): Promise<void> =>
    (asking ??= ask()
      .catch((error: unknown) => {
        failed(error as Error);
        if (known.keys === null && !stopped)
          retry = setTimeout(() => {
            void askOnce();
          }, retryIntervalMs).unref();
      })
      .finally(() => {
        asking = null;
      }));
  void askOnce();
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
      if (retry !== null) clearTimeout(retry);
    },
  };
}

/** A document of another issuer would let its keys sign this one's tokens. */
function keysAddress(document: string, { issuer }: { readonly issuer: string }): string {
  const { issuer: told, jwks_uri: address } = JSON.parse(document) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (told !== issuer) throw new Error(`the discovery document is that of another issuer: ${JSON.stringify(told)}`);
  if (typeof address !== 'string' || !address.startsWith('https://'))
    throw new Error('the discovery document names no https address of keys');
  return address;
}
