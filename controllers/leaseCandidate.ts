import { microTimeText, timeOf } from '../api/time.js';
import { leaseCandidates, type LeaseCandidate } from '../api/types/coordination/v1beta1.js';
import type { Api } from './client/api.js';
import type { Clock } from './client/clock.js';
import { Informer } from './client/informer.js';
import { work, WorkQueue } from './client/workQueue.js';

export interface CandidacyOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: () => number;
  readonly namespace: string;
  /** The identity for holding the lease; also the candidate's name. */
  readonly identity: string;
  readonly leaseName: string;
  /** Semantic versions: of this program, and of its emulated behaviour. */
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  readonly onError?: (error: unknown) => void;
}

/** A candidate expires after 30 minutes without renewal, as in the reference. */
const renewEveryMs = 5 * 60_000;
const [retryFirstMs, retryMaxMs] = [200, 30_000];
const strategy = 'OldestEmulationVersion';
const own = 'own';

/** Announces this program as a candidate for a lease (KEP 4355): renews a LeaseCandidate periodically, and at once when the electing server asks. */
export class Candidacy {
  readonly #options: CandidacyOptions;
  readonly #informer: Informer<LeaseCandidate>;
  readonly #queue: WorkQueue;

  constructor(options: CandidacyOptions) {
    this.#options = options;
    const { api, clock, random, namespace, identity, onError } = options;
    this.#queue = new WorkQueue({ clock, backoffFirstMs: retryFirstMs, backoffMaxMs: retryMaxMs });
    const fieldSelector = `metadata.name=${identity}`;
    this.#informer = new Informer({
      ...{ api, clock, random, namespace, fieldSelector, type: leaseCandidates },
      ...(onError === undefined ? {} : { onError }),
    });
    const add = (): void => this.#queue.add(own);
    this.#informer.addHandlers({
      changed: (_before, after) => {
        if (isAsked(after)) add();
      },
      // Another client has deleted it: this program still exists.
      removed: add,
    });
  }

  /** Returns whether the server's state of the candidate is known. */
  get hasSynced(): boolean {
    return this.#informer.hasSynced;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#informer.start(signal);
    await this.#informer.synced();
    this.#queue.add(own);
    const { onError } = this.#options;
    const report = (_key: string, error: unknown): void => onError?.(error);
    await work(this.#queue, { workers: 1, sync: () => this.#sync(), onError: report }, signal);
    await this.#informer.stopped();
  }

  async #sync(): Promise<{ readonly againAfterMs: number }> {
    const { api, clock, namespace, identity, leaseName, binaryVersion, emulationVersion } = this.#options;
    const renewTime = microTimeText(clock.now());
    const known = this.#informer.cache.get(`${namespace}/${identity}`);
    if (known) await api.update(leaseCandidates, { ...known, spec: { ...known.spec, renewTime } });
    else
      await api.create(leaseCandidates, {
        metadata: { name: identity, namespace },
        spec: { leaseName, binaryVersion, emulationVersion, strategy, renewTime },
      });
    return { againAfterMs: renewEveryMs };
  }
}

const isAsked = ({ spec: { pingTime, renewTime } }: LeaseCandidate): boolean => (timeOf(pingTime) || 0) > (timeOf(renewTime) || 0);
