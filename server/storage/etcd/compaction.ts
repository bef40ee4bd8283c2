import type { Logger } from '../../../program/log/logger.js';
import { delayMsMax } from '../../../program/flags/duration.js';
import type { BarrierOutcome, WriteOutcome } from '../engine.js';
import type { EtcdClient } from './client.js';
import { txn } from './messages.js';

export interface EtcdCompactionOptions {
  readonly client: EtcdClient;
  readonly barrier: (timeoutMs: number) => Promise<BarrierOutcome>;
  readonly compact: (revision: number, timeoutMs: number) => Promise<WriteOutcome>;
  readonly log: Logger;
}

/** All servers of an etcd, including kube-apiservers, elect the compacting one by this key. */
const compactionKey = 'compact_rev_key';

const timeoutMs = 30_000;

/** The first server in an interval finds the key at the version seen an interval ago: it writes the present revision, and compacts at the previous content. */
export class EtcdCompaction {
  readonly #options: EtcdCompactionOptions;
  #timer: NodeJS.Timeout | null = null;
  #version = 0;
  #revision = 0;
  #turn: Promise<void> | null = null;

  constructor(options: EtcdCompactionOptions) {
    this.#options = options;
  }

  /** `intervalMs` 0: never. */
  start(intervalMs: number): void {
    if (intervalMs === 0) return;
    this.#timer = setInterval(
      () => {
        void this.turn();
      },
      Math.min(intervalMs, delayMsMax),
    ).unref();
  }

  /** Nothing is compacted at the start. */
  begin(): void {
    void this.turn();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  turn(): Promise<void> {
    this.#turn ??= this.#agree()
      .catch((error: unknown) => {
        this.#options.log.warn('compaction failed; it is tried again after the next interval', { error });
      })
      .finally(() => {
        this.#turn = null;
      });
    return this.#turn;
  }

  async #agree(): Promise<void> {
    const { client, log } = this.#options;
    await this.#options.barrier(timeoutMs);
    const key = compactionKey;
    const answer = await client.call(
      txn,
      {
        compare: [{ result: 0, target: 0, key, version: this.#version }],
        success: [{ put: { key, value: Buffer.from(String(this.#revision)) } }],
        failure: [{ range: { key } }],
      },
      { timeoutMs, repeatable: false },
    );
    const due = this.#revision;
    this.#revision = answer.header.revision;
    if (!answer.succeeded) {
      this.#version = answer.responses[0]?.range?.kvs[0]?.version ?? 0;
      return;
    }
    this.#version++;
    if (due === 0) return;
    const { outcome } = await this.#options.compact(due, timeoutMs);
    log.debug(2, 'compacted', { version: due, outcome });
  }
}
