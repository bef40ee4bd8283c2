import { pause, type Clock } from './client/clock.js';
import type { Api } from './client/api.js';
import { isAlreadyExists, isNotFound, messageOf, unless } from './client/errors.js';
import { nameOf } from '../api/meta/object.js';
import { serviceAccounts } from '../api/types/core/v1.js';

/** Gives each controller its own service account in `kube-system`, with the rights of its role. Tokens live for an hour. */

/** `expirationSeconds` of the response is the remaining lifetime. `expirationTimestamp` uses the server's wall clock, which may differ from ours. */
interface TokenRequest {
  readonly spec?: { readonly expirationSeconds?: number };
  readonly status?: { readonly token?: string };
}

const namespace = 'kube-system';
const tokenSeconds = 3_600;
/** Part of its lifetime after which a token is replaced. */
const renewAfter = 0.8;
const retryMs = 1_000;
const madeAtOnce = 8;

interface AccountTokensOptions {
  readonly api: Api;
  /** Creates the accounts at the start, before any token waits. Default: `api`. */
  readonly unthrottled?: Api;
  readonly clock: Clock;
  readonly onError: (message: string) => void;
  readonly signal: AbortSignal;
}

export class AccountTokens {
  readonly #options: AccountTokensOptions;
  readonly #tokens = new Map<string, { readonly token: string; /** Times are of the clock of durations. */ readonly renewAtMs: number }>();
  readonly #pending = new Map<string, Promise<string>>();

  constructor(options: AccountTokensOptions) {
    this.#options = options;
  }

  /** Returns the account's token; waits until the server issues one. */
  async of(account: string): Promise<string> {
    const known = this.#tokens.get(account);
    if (known && this.#options.clock.elapsed() < known.renewAtMs) return known.token;
    let pending = this.#pending.get(account);
    if (!pending) {
      pending = this.#obtain(account).finally(() => this.#pending.delete(account));
      this.#pending.set(account, pending);
    }
    return pending;
  }

  /** Creates the missing accounts, some concurrently, including those not used yet, so that operators find all of them. */
  async prepare(accounts: readonly string[]): Promise<void> {
    const { onError, signal } = this.#options;
    try {
      const { items } = await this.#unthrottled.list(serviceAccounts, { namespace });
      const there = new Set(items.map(nameOf));
      const missing = [...new Set(accounts)].filter((name) => !there.has(name));
      await Promise.all(Array.from({ length: madeAtOnce }, () => this.#makeAll(missing)));
    } catch (error) {
      if (!signal.aborted) onError(`the accounts that are there are not known: ${messageOf(error)}`);
    }
  }

  async #makeAll(names: string[]): Promise<void> {
    const { onError, signal } = this.#options;
    for (let name = names.shift(); name !== undefined && !signal.aborted; name = names.shift()) {
      try {
        await unless(isAlreadyExists, this.#unthrottled.create(serviceAccounts, { metadata: { name, namespace } }));
      } catch (error) {
        // Its first user tries again.
        if (!signal.aborted) onError(`no account ${name} yet: ${messageOf(error)}`);
      }
    }
  }

  get #unthrottled(): Api {
    return this.#options.unthrottled ?? this.#options.api;
  }

  /** Drops a refused token, whose account may have been recreated. */
  forget(account: string): void {
    this.#tokens.delete(account);
  }

  async #obtain(account: string): Promise<string> {
    const { clock, onError, signal } = this.#options;
    for (;;) {
      try {
        return (await unless(isNotFound, this.#request(account))) ?? (await this.#make(account));
      } catch (error) {
        if (signal.aborted) throw error;
        onError(`no token for the account ${account}: ${messageOf(error)}`);
        await pause(clock, retryMs, signal);
      }
    }
  }

  /** Another manager may do the same. */
  async #make(account: string): Promise<string> {
    await unless(isAlreadyExists, this.#options.api.create(serviceAccounts, { metadata: { name: account, namespace } }));
    return this.#request(account);
  }

  async #request(account: string): Promise<string> {
    const { api, clock } = this.#options;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: tokenSeconds } };
    const askedAt = clock.elapsed();
    const { spec, status } = await api.post<TokenRequest>(serviceAccounts, { namespace, name: account }, 'token', body);
    if (!status?.token) throw new Error('the server answered without a token');
    const livesMs = (spec?.expirationSeconds ?? tokenSeconds) * 1000;
    this.#tokens.set(account, { token: status.token, renewAtMs: askedAt + livesMs * renewAfter });
    return status.token;
  }
}
