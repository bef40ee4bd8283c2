import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../../../api/status.js';
import { connectSigner, isAway, type ExternalSigner, type ExternalSignerOptions } from './signer.js';

export interface AwaitedSignerOptions extends ExternalSignerOptions {
  /** Throws where a connected signer does not meet the requirements. */
  readonly check: (signer: ExternalSigner) => void;
  /** Called while the signer is unreachable and being retried. */
  readonly away: (error: Error) => void;
  /** Called when it is connected. */
  readonly came: () => void;
  /** The time that a start waits for it, in milliseconds. */
  readonly startTimeoutMs?: number;
  /** The time that a token waits for it. */
  readonly signTimeoutMs?: number;
  readonly retryMs?: number;
}

const startTimeoutDefaultMs = 2_000;
const retryDefaultMs = 2_000;
/** The reference waits as long before its start fails (pkg/controlplane/apiserver/options/options.go). */
const signTimeoutDefaultMs = 60_000;

/**
 * A signer that may start after the server. Until then service account tokens are not accepted and requests for tokens wait; all else is served. Rejects for a
 * reachable but unusable signer.
 */
export async function awaitSigner(options: AwaitedSignerOptions): Promise<ExternalSigner> {
  const signer = new AwaitedSigner(options);
  const first = signer.look();
  const found = await Promise.race([first, delay(options.startTimeoutMs ?? startTimeoutDefaultMs, null, { ref: false })]);
  if (found !== true)
    void first.catch((error: unknown) => {
      signer.refused(error as Error);
    });
  return signer;
}

class AwaitedSigner implements ExternalSigner {
  readonly #options: AwaitedSignerOptions;
  #signer: ExternalSigner | null = null;
  #stopped = false;
  /** Emits `end` when nobody waits any longer. */
  readonly #awaited = new EventEmitter().setMaxListeners(0);
  readonly keys: ExternalSigner['keys'];

  constructor(options: AwaitedSignerOptions) {
    this.#options = options;
    const current = (): ExternalSigner | null => this.#signer;
    this.keys = {
      get current() {
        return current()?.keys.current ?? [];
      },
      get maxAgeSeconds() {
        return current()?.keys.maxAgeSeconds ?? 0;
      },
      renew: async () => (await current()?.keys.renew?.()) ?? [],
    };
  }

  get lifetimeSecondsMax(): number {
    return this.#signer?.lifetimeSecondsMax ?? 0;
  }

  issuer(name: string): ReturnType<ExternalSigner['issuer']> {
    return {
      issuer: name,
      sign: async (payload) => (await this.#arrived()).issuer(name).sign(payload),
    };
  }

  async #arrived(): Promise<ExternalSigner> {
    if (this.#signer === null && !this.#stopped) {
      const signal = AbortSignal.timeout(this.#options.signTimeoutMs ?? signTimeoutDefaultMs);
      await once(this.#awaited, 'end', { signal }).catch(() => undefined);
    }
    if (this.#signer === null) throw unavailable('the signer of service account tokens has not been reached yet');
    return this.#signer;
  }

  stop(): void {
    this.#stopped = true;
    this.#awaited.emit('end');
    this.#signer?.stop();
  }

  /** Tries once, then in the background while the signer is unreachable. Returns whether it is connected; rejects when it is unusable. */
  async look(): Promise<boolean> {
    const { away, check, came } = this.#options;
    try {
      const signer = await connectSigner(this.#options);
      if (this.#stopped) {
        signer.stop();
        return false;
      }
      try {
        check(signer);
      } catch (error) {
        signer.stop();
        throw error;
      }
      this.#signer = signer;
      this.#awaited.emit('end');
      came();
      return true;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!this.#stopped) away(error as Error);
      void this.#lookLater();
      return false;
    }
  }

  async #lookLater(): Promise<void> {
    await delay(this.#options.retryMs ?? retryDefaultMs, undefined, { ref: false });
    if (this.#stopped) return;
    try {
      await this.look();
    } catch (error) {
      this.refused(error as Error);
    }
  }

  /** The signer is unusable; a later one may not be. */
  refused(error: Error): void {
    this.#options.failed(error);
    void this.#lookLater();
  }
}
