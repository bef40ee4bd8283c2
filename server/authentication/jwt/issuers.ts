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
}

/** Follows the settings: issuers with an unchanged address keep their keys. */
export function createIssuers(settings: Live<readonly JwtSettings[]>, log: Logger, options: IssuerOptions = {}): Issuers {
  let entries: readonly Entry[] = [];
  const apply = (list: readonly JwtSettings[]): void => {
    const before = entries;
    entries = list.map((one) => entryOf(one, before, log, options));
    for (const { claims } of before) claims.stop();
    for (const { keys } of before) if (!entries.some((entry) => entry.keys === keys)) keys.stop();
  };
  apply(settings.current);
  settings.onChange(apply);
  return {
    authenticate: async (token) => {
      for (const { authenticate } of entries) {
        const found = await authenticate(token);
        if (found !== null) return found;
      }
      return null;
    },
    ready: () => Promise.all(entries.map(({ keys }) => keys.ready)),
    stop: () => {
      for (const { keys, claims } of entries) {
        keys.stop();
        claims.stop();
      }
    },
  };
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
