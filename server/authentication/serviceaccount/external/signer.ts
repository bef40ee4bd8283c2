import { createPublicKey } from 'node:crypto';
import { isObject } from '../../../../api/json/json.js';
import { LocalService } from '../../../../program/grpc/localService.js';
import { socketPath } from '../../../../program/grpc/socketPath.js';
import type { MessageType } from '../../../../program/grpc/messageType.js';
import { verificationKey, type VerificationKey, type VerificationKeys } from '../keys.js';
import type { TokenIssuer } from '../issuer.js';
import { unmeasured, type SignerMeasures } from './measures.js';
import { signerMethods, signerService, type PublishedKeys, type SignedParts } from './messages.js';

/** A service on a Unix socket with the keys of service account tokens, which this process never sees. */
export interface ExternalSigner {
  issuer(name: string): TokenIssuer;
  readonly keys: VerificationKeys;
  /** The longest lifetime that it signs. */
  readonly lifetimeSecondsMax: number;
  stop(): void;
}

export interface ExternalSignerOptions {
  readonly socket: string;
  /** Called when keys cannot be renewed: known ones stay valid. */
  readonly failed: (error: Error) => void;
  readonly measures?: SignerMeasures;
  readonly timeoutMs?: number;
  readonly renewalIntervalMs?: number;
}

const defaultTimeoutMs = 10_000;
/** The retry interval while keys cannot be fetched. */
const fallbackRefreshMs = 10_000;
const refreshSecondsMax = 24 * 60 * 60;
/** Minimum interval of fetches for unknown key ids, which any client can send. */
const defaultRenewalIntervalMs = 1_000;
const lifetimeSecondsMin = 600;
const keyIdCharactersMax = 1_024;
const algorithms: ReadonlySet<unknown> = new Set(['RS256', 'ES256', 'ES384', 'ES512']);

/** Fetches keys and limits. Rejects for an unreachable service or an invalid response: tokens would not work. */
export async function connectSigner({
  socket,
  failed,
  timeoutMs = defaultTimeoutMs,
  renewalIntervalMs = defaultRenewalIntervalMs,
  measures = unmeasured,
}: ExternalSignerOptions): Promise<ExternalSigner> {
  const service = new LocalService({ endpoint: `unix:${socketPath(socket)}`, timeoutMs });
  const call = caller(service, measures);
  try {
    const { maxTokenExpirationSeconds } = await call('Metadata', {});
    if (maxTokenExpirationSeconds < lifetimeSecondsMin)
      throw new Error(`it signs for at most ${maxTokenExpirationSeconds} seconds; at least ${lifetimeSecondsMin} are needed`);
    const keys = new FollowedKeys({ fetch: () => call('FetchKeys', {}), failed, renewalIntervalMs, measures });
    await keys.start();
    const sign = signBy(call, keys, measures);
    return {
      issuer: (issuer) => ({ issuer, sign }),
      keys,
      lifetimeSecondsMax: maxTokenExpirationSeconds,
      stop: () => {
        keys.stop();
        service.close();
      },
    };
  } catch (cause) {
    service.close();
    throw new Error(`--service-account-signing-endpoint: the signer at ${socket} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

const signBy =
  (call: Call, keys: FollowedKeys, measures: SignerMeasures): TokenIssuer['sign'] =>
  (payload) => {
    const claims = Buffer.from(JSON.stringify(payload)).toString('base64url');
    const signing = call('Sign', { claims }).then(async (parts) => {
      await checkParts(parts, keys);
      return `${parts.header}.${claims}.${parts.signature}`;
    });
    signing.then(
      () => measures.signed(null),
      (error: unknown) => measures.signed(error),
    );
    return signing;
  };

/** DEADLINE_EXCEEDED and UNAVAILABLE of gRPC. */
const awayCodes: ReadonlySet<unknown> = new Set([4, 14]);

/** Returns whether the signer is unreachable, unlike one with a wrong response. */
export function isAway(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (awayCodes.has((at as { readonly code?: unknown }).code)) return true;
  return false;
}

type Methods = typeof signerMethods;
type Question<N extends keyof Methods> = Methods[N]['question'] extends MessageType<infer Q> ? Q : never;
type Answer<N extends keyof Methods> = Methods[N]['answer'] extends MessageType<infer A> ? A : never;
type Call = <N extends keyof Methods>(name: N, message: Question<N>) => Promise<Answer<N>>;

function caller(service: LocalService, measures: SignerMeasures): Call {
  return async <N extends keyof Methods>(name: N, message: Question<N>): Promise<Answer<N>> => {
    const types = signerMethods[name] as unknown as {
      readonly question: MessageType<Question<N>>;
      readonly answer: MessageType<Answer<N>>;
    };
    const path = `${signerService}/${name}`;
    const begun = performance.now();
    const called = (error: unknown): void => measures.called(path, error, (performance.now() - begun) / 1000);
    try {
      const answer = await service.call({ path, ...types }, message);
      called(null);
      return answer;
    } catch (cause) {
      called(cause);
      throw new Error(`${name}: ${(cause as Error).message}`, { cause });
    }
  };
}

interface KeySource {
  readonly fetch: () => Promise<PublishedKeys>;
  readonly failed: (error: Error) => void;
  readonly renewalIntervalMs: number;
  readonly measures: SignerMeasures;
}

/** Fetches the keys now, at the service's refresh interval, and for tokens with an unknown key. */
class FollowedKeys implements VerificationKeys {
  readonly #source: KeySource;
  #text = '';
  #current: readonly VerificationKey[] = [];
  #fetchedAt = 0;
  #renewedAt = -Infinity;
  #refreshMs = fallbackRefreshMs;
  #timer: NodeJS.Timeout | null = null;
  #fetching: Promise<void> | null = null;
  #stopped = false;

  constructor(source: KeySource) {
    this.#source = source;
  }

  async start(): Promise<void> {
    await this.#fetch();
    this.#schedule(this.#refreshMs);
  }

  get current(): readonly VerificationKey[] {
    return this.#current;
  }

  get maxAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#fetchedAt + this.#refreshMs - performance.now()) / 1000));
  }

  async renew(): Promise<readonly VerificationKey[]> {
    const now = performance.now();
    if (this.#fetching === null && now - this.#renewedAt < this.#source.renewalIntervalMs) return this.#current;
    this.#renewedAt = now;
    return this.learn();
  }

  /** Fetches unconditionally: the signer itself has just named the key. */
  async learn(): Promise<readonly VerificationKey[]> {
    await this.#fetchOnce();
    return this.#current;
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #fetchOnce(): Promise<void> {
    return (this.#fetching ??= this.#fetch()
      .then(
        () => {
          this.#schedule(this.#refreshMs);
        },
        (error: unknown) => {
          this.#source.failed(error as Error);
          this.#schedule(fallbackRefreshMs);
        },
      )
      .finally(() => {
        this.#fetching = null;
      }));
  }

  async #fetch(): Promise<void> {
    const { fetch, measures } = this.#source;
    this.#fetchedAt = performance.now();
    const fetched = fetch().then((published) => ({ published, read: readKeys(published) }));
    fetched.then(
      ({ published: { dataTimestamp } }) => measures.fetched(null, dataTimestamp),
      (error: unknown) => measures.fetched(error, null),
    );
    const { published, read } = await fetched;
    this.#refreshMs = Math.min(published.refreshHintSeconds, refreshSecondsMax) * 1000;
    // Unchanged keys keep their list, so that verified tokens stay valid.
    const text = textOf(published);
    if (text !== this.#text) [this.#current, this.#text] = [read, text];
  }

  #schedule(inMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#stopped
      ? null
      : setTimeout(() => {
          void this.#fetchOnce();
        }, inMs).unref();
  }
}

const textOf = ({ keys }: PublishedKeys): string =>
  JSON.stringify(
    keys.map(({ keyId, key, excludeFromOidcDiscovery }) => [keyId, Buffer.from(key).toString('base64'), excludeFromOidcDiscovery]),
  );

function readKeys({ keys, refreshHintSeconds, dataTimestamp }: PublishedKeys): VerificationKey[] {
  if (refreshHintSeconds <= 0) throw new Error(`its hint when to ask for keys again is ${refreshHintSeconds} seconds`);
  if (keys.length === 0) throw new Error('it has no keys');
  if (dataTimestamp === null) throw new Error('it does not say how old its keys are');
  return keys.map(({ keyId, key, excludeFromOidcDiscovery }) => {
    if (keyId === '' || keyId.length > keyIdCharactersMax) throw new Error(`a key has an id of ${keyId.length} characters`);
    return {
      ...verificationKey(createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' }), keyId),
      excluded: excludeFromOidcDiscovery,
    };
  });
}

/** Others must be able to verify the result, which must contain nothing more. Clients see the errors, so they have the reference's words. */
async function checkParts({ header, signature }: SignedParts, keys: FollowedKeys): Promise<void> {
  const kid = keyIdIn(header);
  const known = keys.current.some(({ id }) => id === kid) ? keys.current : await keys.learn();
  if (known.some(({ id, excluded = false }) => id === kid && excluded))
    throw new Error(`while validating header: key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`);
  if (signature === '') throw new Error('empty signature returned');
}

function keyIdIn(header: string): string {
  const refuse = (why: string): never => {
    throw new Error(`while validating header: ${why}`);
  };
  const members = parseJson(Buffer.from(header, 'base64url').toString('utf8'));
  if (!isObject(members)) return refuse('while parsing header JSON: it is no object');
  const { alg, kid, typ, ...rest } = members;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return refuse(`while parsing header JSON: json: unknown field ${JSON.stringify(unknown)}`);
  if (typ !== 'JWT') return refuse('bad type');
  if (typeof kid !== 'string' || kid === '') return refuse('key id missing');
  if (kid.length > keyIdCharactersMax) return refuse('key id longer than 1 kb');
  return algorithms.has(alg) ? kid : refuse(`bad signing algorithm ${JSON.stringify(alg ?? '')}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
