import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fixed, type Live, type LiveFiles } from '../../../program/files/liveFile.js';
import { noEncryptionCounts, type EncryptionCounts } from './counts.js';
import { readEncryptionConfiguration, type ResourceRule } from './configuration.js';
import { createEncryption, type Encryption } from './encryption.js';

export interface EncryptionOptions {
  readonly 'encryption-provider-config': string | null;
  readonly 'encryption-provider-config-automatic-reload': boolean;
}

/** Hears of configurations that take effect, and of those that cannot. */
export interface EncryptionReports {
  /** One is in effect whose file has this SHA-256. */
  loaded(content: { readonly hash: string }): void;
  /** A changed one has taken effect. */
  reloaded(): void;
  /** A changed one cannot be used, or one of its key services does not work: the earlier one stays. */
  refused(error: Error): void;
}

const noReports: EncryptionReports = { loaded: () => {}, reloaded: () => {}, refused: () => {} };

/** How patient a reload is, in milliseconds. */
export interface ReloadTimes {
  /** Values that are on their way when a configuration is replaced still use its key services this long. */
  readonly closing: number;
  /** New key services are asked again and again for this long, with this pause. */
  readonly asking: number;
  readonly pause: number;
  /** After that, the whole is tried again: the first wait, which doubles up to the last. */
  readonly again: { readonly first: number; readonly last: number };
}

const timesDefault: ReloadTimes = { closing: 60_000, asking: 10_000, pause: 100, again: { first: 5_000, last: 60_000 } };

export interface LoadOptions {
  readonly allowsKmsV1?: boolean;
  readonly counts?: EncryptionCounts;
  readonly reports?: EncryptionReports;
  readonly times?: ReloadTimes;
}

interface Loaded extends Encryption {
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly hash: string;
}

/**
 * The encryption that the options ask for, or null for none. Throws when the configuration cannot be used. A later one takes effect once its key services work;
 * until then, and where it cannot be used at all, the earlier one stays.
 */
export function loadEncryption(
  options: EncryptionOptions,
  live: LiveFiles,
  { allowsKmsV1 = true, counts = noEncryptionCounts, reports = noReports, times = timesDefault }: LoadOptions = {},
): Live<Encryption> | null {
  const file = options['encryption-provider-config'];
  if (file === null) return null;
  const read = (): Loaded => {
    const content = hash('sha256', readFileSync(file), 'hex');
    const rules = readEncryptionConfiguration(file);
    if (!allowsKmsV1 && usesKmsV1(rules))
      throw new Error(
        `--encryption-provider-config: ${file} has a provider kms of version v1, which is on its way out; use v2, or give --feature-gates=KMSv1=true`,
      );
    return { ...createEncryption(rules, counts), hash: content };
  };
  if (!options['encryption-provider-config-automatic-reload']) {
    const only = read();
    reports.loaded(only);
    return fixed(only);
  }
  const followed = live.follow({
    files: [file],
    read,
    failed: (error) => {
      reports.refused(error);
    },
  });
  const reloaded = new ReloadedEncryption(followed.current, read, { reports, times });
  followed.onChange((next) => {
    void reloaded.consider(next);
  });
  live.onStop(() => {
    reloaded.stop();
  });
  return reloaded;
}

/** The configuration that is in effect: the last one whose key services were found to work. */
class ReloadedEncryption implements Live<Encryption> {
  #current: Loaded;
  readonly #listeners: ((value: Encryption) => void)[] = [];
  /** Ends the attempts to take a changed one over. */
  #considering = new AbortController();

  constructor(
    first: Loaded,
    private readonly read: () => Loaded,
    private readonly options: { readonly reports: EncryptionReports; readonly times: ReloadTimes },
  ) {
    this.#current = first;
    options.reports.loaded(first);
  }

  get current(): Encryption {
    return this.#current;
  }

  onChange(listener: (value: Encryption) => void): void {
    this.#listeners.push(listener);
  }

  stop(): void {
    this.#considering.abort();
  }

  /** Puts a configuration into effect as soon as its key services work. A later one takes its place meanwhile. */
  async consider(first: Loaded): Promise<void> {
    const { reports, times } = this.options;
    this.#considering.abort();
    const { signal } = (this.#considering = new AbortController());
    let next = first;
    for (let waitMs = times.again.first; !signal.aborted; waitMs = Math.min(waitMs * 2, times.again.last)) {
      if (next.hash === this.#current.hash) return next.close();
      const trouble = await this.#troubleOf(next, signal);
      if (trouble === null) return this.#use(next);
      next.close();
      if (signal.aborted) return;
      reports.refused(trouble);
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
      // Connections of one that was given up are closed.
      const again = signal.aborted ? null : this.#readAgain();
      if (again === null) return;
      next = again;
    }
  }

  /** Null where the file cannot be used just now: whoever follows it says so. */
  #readAgain(): Loaded | null {
    try {
      return this.read();
    } catch {
      return null;
    }
  }

  /** What keeps the key services from being used; null once they can be. */
  async #troubleOf({ keyServices }: Encryption, signal: AbortSignal): Promise<Error | null> {
    const { asking, pause } = this.options.times;
    const until = performance.now() + asking;
    for (;;) {
      try {
        await Promise.all(keyServices.map((service) => service.prove()));
        return signal.aborted ? new Error('another configuration has come') : null;
      } catch (error) {
        if (signal.aborted || performance.now() >= until) return error as Error;
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #use(next: Loaded): void {
    const { reports, times } = this.options;
    const old = this.#current;
    this.#current = next;
    setTimeout(() => {
      old.close();
    }, times.closing).unref();
    reports.loaded(next);
    reports.reloaded();
    for (const listener of this.#listeners) listener(next);
  }
}

const usesKmsV1 = (rules: readonly ResourceRule[]): boolean =>
  rules.some(({ providers }) => providers.some((provider) => provider.kind === 'kms' && provider.kms.apiVersion === 'v1'));
