import type { User } from '../../../api/user.js';
import type { Live } from '../../../program/files/liveFile.js';
import type { Logger } from '../../../program/log/logger.js';
import { jwtAuthenticator, type JwtAuthenticator } from './authenticator.js';
import { distributedClaims, type DistributedClaims } from './distributedClaims.js';
import type { Way } from './document.js';
import { createIssuerKeys, type FetchCounts, type IssuerKeys } from './keys.js';
import type { JwtSettings } from './settings.js';

export interface Issuers {
  readonly authenticate: (token: string) => Promise<User | string | null>;
  /** Settles once every configured issuer has answered. */
  ready(): Promise<unknown>;
  stop(): void;
}

interface Entry {
  readonly source: string;
  readonly keys: IssuerKeys;
  readonly claims: DistributedClaims;
  readonly authenticate: JwtAuthenticator;
}

export interface IssuerOptions {
  /** The egress dialer of an issuer; null for a direct connection. Default: direct. */
  readonly egress?: (by: NonNullable<JwtSettings['egress']>) => Way['dial'];
  readonly renewalIntervalMs?: number;
  readonly counts?: FetchCounts;
  readonly reloads?: IssuerReloads;
  readonly lateMs?: number;
}

/** Receives what becomes of changed settings. */
export interface IssuerReloads {
  applied(): void;
  /** New issuers have not answered in time; the earlier ones stay until they do. */
  late(): void;
}

const lateMsDefault = 60_000;

/** Follows the settings: issuers with an unchanged address keep their keys. */
export function createIssuers(settings: Live<readonly JwtSettings[]>, log: Logger, options: IssuerOptions = {}): Issuers {
  const make = (list: readonly JwtSettings[], before: readonly Entry[]): Entry[] => list.map((one) => entryOf(one, before, log, options));
  const followed = new FollowedIssuers(make(settings.current, []), options);
  settings.onChange((list) => {
    followed.change(make(list, followed.entries));
  });
  return {
    authenticate: async (token) => {
      for (const { authenticate } of followed.entries) {
        const found = await authenticate(token);
        if (found !== null) return found;
      }
      return null;
    },
    ready: () => Promise.all(followed.entries.map(({ keys }) => keys.ready)),
    stop: () => followed.stop(),
  };
}

/** Changed settings apply once all their issuers have answered (kubeapiserver/authenticator/config.go). */
class FollowedIssuers {
  entries: readonly Entry[];
  readonly #reloads: IssuerReloads;
  readonly #lateMs: number;
  #waiting: { readonly entries: readonly Entry[]; readonly timer: NodeJS.Timeout } | null = null;

  constructor(
    first: readonly Entry[],
    { reloads = { applied: () => undefined, late: () => undefined }, lateMs = lateMsDefault }: IssuerOptions,
  ) {
    this.entries = first;
    this.#reloads = reloads;
    this.#lateMs = lateMs;
  }

  change(next: readonly Entry[]): void {
    this.#giveUp();
    if (next.every(({ keys }) => keys.isReady)) return this.#use(next);
    const waiting = { entries: next, timer: setTimeout(() => this.#reloads.late(), this.#lateMs).unref() };
    this.#waiting = waiting;
    void Promise.all(next.map(({ keys }) => keys.ready)).then(() => {
      if (this.#waiting !== waiting) return;
      clearTimeout(waiting.timer);
      this.#waiting = null;
      this.#use(next);
    });
  }

  stop(): void {
    this.#giveUp();
    stopAll(this.entries, []);
  }

  #giveUp(): void {
    if (this.#waiting === null) return;
    clearTimeout(this.#waiting.timer);
    stopAll(this.#waiting.entries, this.entries);
    this.#waiting = null;
  }

  #use(next: readonly Entry[]): void {
    const before = this.entries;
    this.entries = next;
    stopAll(before, next);
    this.#reloads.applied();
  }
}

function stopAll(entries: readonly Entry[], kept: readonly Entry[]): void {
  for (const { keys, claims } of entries) {
    claims.stop();
    if (!kept.some((entry) => entry.keys === keys)) keys.stop();
  }
}

function entryOf(
  one: JwtSettings,
  before: readonly Entry[],
  log: Logger,
  { egress = () => null, renewalIntervalMs, counts }: IssuerOptions,
): Entry {
  const { issuer, discoveryUrl, certificateAuthority } = one;
  const way: Way = { certificateAuthority, dial: one.egress === null ? null : egress(one.egress) };
  const source = JSON.stringify([issuer, discoveryUrl, certificateAuthority, one.egress]);
  const keys =
    before.find((entry) => entry.source === source)?.keys ??
    createIssuerKeys({
      issuer,
      discoveryUrl,
      way,
      failed: (error) => {
        log.warn('issuer of tokens cannot be asked for its keys', { issuer, error });
      },
      ...(renewalIntervalMs === undefined ? {} : { renewalIntervalMs }),
      ...(counts === undefined ? {} : { counts }),
    });
  const claims = distributedClaims(one, keys, way, {
    failed: (error) => {
      log.warn('a source of claims cannot be asked', { issuer, error });
    },
  });
  return { source, keys, claims, authenticate: jwtAuthenticator(one, keys, claims.resolve) };
}
