import type { Replica, ReplicaAdministration, ReplicaTicket } from '../../raft/index.js';
import type { ProcessMetrics } from '../../program/metrics/metrics.js';
import type { Logger } from '../../program/log/logger.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { GroupResource } from '../../api/resource.js';
import type { Version } from '../storage/contract.js';
import type { StoreEngine, WriteOutcome } from '../storage/engine.js';

/** Drops history regularly. */
export interface HistoryKeeper {
  /** Milliseconds; 0: never. */
  start(intervalMs: number): void;
  /** What every cluster has is there now. */
  begin(): void;
  stop(): void;
}

/** What the watch cache says and can do, for whoever drops history. */
export interface HistoryOwner {
  readonly version: Version;
  compact(version: Version, options: { readonly timeoutMs: number }): Promise<WriteOutcome>;
}

/**
 * Where a server keeps its objects, and what that store wants of the server around it: the replica inside the process (`embedded.ts`), an etcd beside
 * it (`etcd.ts`), or its memory (`memory.ts`).
 */
export interface ServerStore {
  readonly engine: StoreEngine;
  /** Where resources are kept that are kept elsewhere. */
  readonly elsewhere: readonly { readonly resources: readonly GroupResource[]; readonly engine: StoreEngine }[];
  /** Barriers of the engine: whether it can be read and written. */
  readonly health: Pick<StoreEngine, 'barrier'>;
  /** Barriers of those that single resources are kept in, each by itself. */
  readonly healthElsewhere: readonly Pick<StoreEngine, 'barrier'>[];
  /** Keys and values have the form that kube-apiserver gives them in etcd. */
  readonly asReference: boolean;
  /** Keys that are put with a lifetime go by themselves. Otherwise somebody has to remove them. */
  readonly expires: boolean;
  /** As `FeedOptions.replayedRevisions`; null for the default. */
  readonly replayedRevisions: number | null;
  /** Where several threads of the process use this store: the version of which any of them may know; null where only this one does. */
  readonly published: (() => Version) | null;
  /** What the others need to use it as well. */
  readonly tickets: readonly ReplicaTicket[];
  /** What operators look after, if there is a replica in this process. */
  readonly replica: (Replica & ReplicaAdministration) | null;
  /** Whether this server does what one server does for all. Several may, for a time; it is then done twice, and must bear that. */
  leads(): Promise<boolean>;
  /** Called when the store can no longer serve: the process must end. */
  onFailure(listener: (error: Error) => void): void;
  history(owner: HistoryOwner, log: Logger): HistoryKeeper;
  expose(metrics: ProcessMetrics, options: ApiServerOptions): void;
  /** Lets go of what only one server can have. */
  handOver(log: Logger): Promise<void>;
  stop(): Promise<void>;
}
