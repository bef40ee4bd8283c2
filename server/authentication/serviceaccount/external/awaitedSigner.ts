import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../../../api/status.js';
import { connectSigner, isAway, type ExternalSigner, type ExternalSignerOptions } from './signer.js';

export interface AwaitedSignerOptions extends ExternalSignerOptions {
  /** Throws where a signer that has come cannot do what is asked of it. */
  readonly check: (signer: ExternalSigner) => void;
  /** Hears that the signer is not there yet. It is looked for until it is. */
  readonly away: (error: Error) => void;
  /** Hears that it has come. */
  readonly came: () => void;
  /** For so long a start waits for it, in milliseconds. */
  readonly patienceMs?: number;
  /** Between two looks for it. */
  readonly lookMs?: number;
}

const patienceDefaultMs = 2_000;
const lookDefaultMs = 2_000;

/**
 * A signer that may come later than the server: until then no token of an account is signed or known, and everything else is served. Rejects when it is there and
 * cannot be used.
 */
export async function awaitSigner(options: AwaitedSignerOptions): Promise<ExternalSigner> {
  const signer = new AwaitedSigner(options);
  const first = signer.look();
  const found = await Promise.race([first, delay(options.patienceMs ?? patienceDefaultMs, null, { ref: false })]);
  if (found !== true)
    void first.catch((error: unknown) => {
      signer.refused(error as Error);
    });
  return signer;
}

class AwaitedSigner implements ExternalSigner {
  #signer: ExternalSigner | null = null;
  #stopped = false;
  readonly keys: ExternalSigner['keys'];

  constructor(private readonly options: AwaitedSignerOptions) {
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
      sign: (payload) => {
        if (this.#signer === null) throw unavailable('the signer of service account tokens has not been reached yet');
        return this.#signer.issuer(name).sign(payload);
      },
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#signer?.stop();
  }

  /** Looks once, and in the background for as long as nobody is there. Resolves with whether somebody is; rejects when that one cannot be used. */
  async look(): Promise<boolean> {
    const { away, check, came } = this.options;
    try {
      const signer = await connectSigner(this.options);
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
    await delay(this.options.lookMs ?? lookDefaultMs, undefined, { ref: false });
    if (this.#stopped) return;
    try {
      await this.look();
    } catch (error) {
      this.refused(error as Error);
    }
  }

  /** It has come, and is of no use: a later one may be. */
  refused(error: Error): void {
    this.options.failed(error);
    void this.#lookLater();
  }
}
