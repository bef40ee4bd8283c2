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

export interface EncryptionReports {
  loaded(content: { readonly hash: string }): void;
  reloaded(): void;
  refused(error: Error): void;
}

const noReports: EncryptionReports = { loaded: () => {}, reloaded: () => {}, refused: () => {} };

/** Milliseconds. */
export interface ReloadTimes {
  /** Pending values still use replaced key services. */
  readonly closing: number;
  readonly asking: number;
  readonly pause: number;
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
  readonly hash: string;
}

/** Throws for an unusable configuration. A later one takes effect once its key services work. */
export function loadEncryption(
  options: EncryptionOptions,
  live: LiveFiles,
  { allowsKmsV1 = true, counts = noEncryptionCounts, reports = noReports, times = timesDefault }: LoadOptions = {},
): Live<Encryption> | null {
  const file = options['encryption-provider-config'];
  if (file === null) return null;
  const read = (): Loaded => {
    const content = hash('sha256', readFileSync(file), 'hex');
    const rules = readEncryptionConfiguration(file, options['encryption-provider-config-automatic-reload']);
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

interface Reloading {
  readonly reports: EncryptionReports;
  readonly times: ReloadTimes;
}

class ReloadedEncryption implements Live<Encryption> {
  readonly #read: () => Loaded;
  readonly #options: Reloading;
  #current: Loaded;
  readonly #listeners: ((value: Encryption) => void)[] = [];
  #considering = new AbortController();

  constructor(first: Loaded, read: () => Loaded, options: Reloading) {
    this.#read = read;
    this.#options = options;
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

  async consider(first: Loaded): Promise<void> {
    const { reports, times } = this.#options;
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
      const again = signal.aborted ? null : this.#readAgain();
      if (again === null) return;
      next = again;
    }
  }

  #readAgain(): Loaded | null {
    try {
      return this.#read();
    } catch {
      return null;
    }
  }

  /** Null once they work. */
  async #troubleOf({ keyServices }: Encryption, signal: AbortSignal): Promise<Error | null> {
    const { asking, pause } = this.#options.times;
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
    const { reports, times } = this.#options;
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
