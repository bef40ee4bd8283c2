import { machineClock } from '../presence/machineClock.js';
import type { Logger } from '../../program/log/logger.js';
import type { Catalogue } from '../registry/resources.js';
import type { Registry } from '../registry/contract.js';
import type { RaftStorage } from '../storage/raft.js';
import type { ServerStore } from '../store/store.js';
import type { Api } from './api.js';

interface LeaderWork {
  readonly storage: RaftStorage;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly leads: () => Promise<boolean>;
  readonly now: () => number;
  readonly report: (what: string, error: unknown) => void;
}

export interface LeaderWorkParts {
  readonly api: Api;
  readonly store: ServerStore;
  readonly log: Logger;
}

/** `failed` is the component's log message. */
export const leaderWork = (
  { api: { storage, ownRegistry, catalogue }, store, log }: LeaderWorkParts,
  part: string,
  failed: string,
): LeaderWork => ({
  storage,
  registry: ownRegistry,
  catalogue,
  leads: () => store.leads(),
  now: machineClock.now,
  report: (what, error) => {
    log.named(part).warn(failed, { what, error });
  },
});
