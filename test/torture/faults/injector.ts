import { setTimeout as delay } from 'node:timers/promises';
import type { FailPoint } from '../../../raft/failPoints.js';
import type { Finding } from '../checks/finding.js';
import type { TortureCluster } from '../cluster/tortureCluster.js';
import { ChangeTookTooLong } from './membership.js';
import type { Fault, PlannedFault } from './plan.js';
import { Scene } from './scene.js';
import { faultTypes } from './table.js';

/** Carries out a plan. Faults overlap, but a process has one at a time; a fault without a free member is skipped and logged. Membership changes are serial. */
export class Injector {
  readonly counts = new Map<string, number>();
  readonly #scene: Scene;
  readonly #stop = new AbortController();

  constructor(cluster: TortureCluster, log: (line: string) => void) {
    this.#scene = new Scene(cluster, log);
  }

  get findings(): readonly Finding[] {
    return this.#scene.findings;
  }

  get pointsMet(): ReadonlySet<FailPoint> {
    return this.#scene.pointsMet;
  }

  /** Resolves when all faults are over and repaired. */
  async run(plan: readonly PlannedFault[]): Promise<void> {
    const start = performance.now();
    const running: Promise<void>[] = [];
    for (const { atMs, fault } of plan) {
      await delay(Math.max(0, start + atMs - performance.now()), undefined, { signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) break;
      running.push(this.#inject(fault));
    }
    await Promise.all(running);
    const { cluster } = this.#scene;
    cluster.network.heal();
    for (const exit of cluster.unexpectedExits.splice(0)) this.#scene.finding('availability', `a server ended by itself: ${exit}`);
  }

  /** Starts no further faults; running ones end normally. */
  stop(): void {
    this.#stop.abort();
  }

  async #inject({ kind, parameters }: Fault): Promise<void> {
    try {
      const met = await faultTypes[kind].inject(this.#scene, parameters);
      this.#scene.log(met === null ? `passed over: ${kind} ${JSON.stringify(parameters)}` : `over: ${kind} ${met}`);
      if (met !== null) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof ChangeTookTooLong)) throw error;
      this.#scene.finding('operations', error.message);
    }
  }
}
