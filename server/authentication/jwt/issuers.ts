import type { User } from '../../api/user.js';
import type { Live } from '../../files/liveFile.js';
import type { Logger } from '../../observability/logger.js';
import { jwtAuthenticator, type JwtAuthenticator } from './authenticator.js';
import { createIssuerKeys, type IssuerKeys } from './keys.js';
import type { JwtSettings } from './settings.js';

/** Authenticators of all issuers that are configured now. */
export interface Issuers {
  readonly authenticate: (token: string) => Promise<User | string | null>;
  /** Settles once every issuer that is configured now has answered. */
  ready(): Promise<unknown>;
  stop(): void;
}

interface Entry {
  readonly source: string;
  readonly keys: IssuerKeys;
  readonly authenticate: JwtAuthenticator;
}

/** Follows the settings: keys of an issuer whose address did not change stay known. */
export function createIssuers(settings: Live<readonly JwtSettings[]>, log: Logger, renewalIntervalMs?: number): Issuers {
  let entries: readonly Entry[] = [];
  const apply = (list: readonly JwtSettings[]): void => {
    const before = entries;
    entries = list.map((one) => {
      const source = JSON.stringify([one.issuer, one.discoveryUrl, one.certificateAuthority]);
      const keys =
        before.find((entry) => entry.source === source)?.keys ??
        createIssuerKeys({
          ...one,
          failed: (error) => {
            log.warn('issuer of tokens cannot be asked for its keys', { issuer: one.issuer, error });
          },
          ...(renewalIntervalMs === undefined ? {} : { renewalIntervalMs }),
        });
      return { source, keys, authenticate: jwtAuthenticator(one, keys) };
    });
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
      for (const { keys } of entries) keys.stop();
    },
  };
}
