import type { Replica, ReplicaAdministration, ReplicaTicket } from '../../raft/index.js';
import type { ProcessMetrics } from '../../program/metrics/metrics.js';
import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { GroupResource } from '../../api/resource.js';
import type { Version } from '../storage/contract.js';
import type { StoreEngine, WriteOutcome } from '../storage/engine.js';

/** Compacts history regularly. */
export interface HistoryKeeper {
  /** Milliseconds; 0: never. */
  start(intervalMs: number): void;
  /** The cluster's initial objects exist. */
  begin(): void;
  stop(): void;
}

/** The watch cache's part in compaction. */
export interface HistoryOwner {
  readonly version: Version;
  compact(version: Version, timeoutMs: number): Promise<WriteOutcome>;
}

/** A server's store and its needs: the in-process replica (`embedded.ts`), an etcd (`etcd.ts`), or memory (`memory.ts`). */
export interface ServerStore {
  readonly engine: StoreEngine;
  readonly elsewhere: readonly { readonly resources: readonly GroupResource[]; readonly engine: StoreEngine }[];
  /** Its barriers check that it can be read and written. */
  readonly health: Pick<StoreEngine, 'barrier'>;
  /** Barriers of the stores of single resources. */
  readonly healthElsewhere: readonly Pick<StoreEngine, 'barrier'>[];
  /** Keys and values have kube-apiserver's etcd form. */
  readonly asReference: boolean;
  /** True if the engine removes expired keys; otherwise the server does. */
  readonly expires: boolean;
  /** See `FeedOptions.replayedRevisions`; null for the default. */
  readonly replayedRevisions: number | null;
  /** Returns the newest version that any thread may know; null with one thread. */
  readonly published: (() => Version) | null;
  /** Access for the other threads. */
  readonly tickets: readonly ReplicaTicket[];
  /** The in-process replica for operators, if any. */
  readonly replica: (Replica & ReplicaAdministration) | null;
  /** Returns whether this server does the work for all servers. Several may for a time, which the work must tolerate. */
  leads(): Promise<boolean>;
  /** Called when the store can no longer serve, which must end the process. */
  onFailure(listener: (error: Error) => void): void;
  history(owner: HistoryOwner, log: Logger): HistoryKeeper;
  expose(metrics: ProcessMetrics, options: ApiServerOptions): void;
  /** Releases what only one server can have. */
  handOver(log: Logger): Promise<void>;
  stop(): Promise<void>;
}
