import type { Replica } from '../raft/replica-api.js';
import { pathNotFound } from './api/status.js';
import type { RequestContext } from './endpoints/context.js';
import type { Logger } from './observability/logger.js';
import type { ApiServerOptions } from './options/apiserver.js';
import { createRaftStorage } from './storage/raft.js';
import type { RaftStorage } from './storage/raft.js';

/** The API behind the filters, put together from storage, registry and endpoints. */
export interface Api {
  readonly storage: RaftStorage;
  readonly resources: (context: RequestContext) => Promise<void>;
  /** False when the path is no document of the API. */
  readonly documents: (context: RequestContext) => Promise<boolean>;
  /** Makes what must exist in every cluster; safe to call again and on several servers at once. Rejects when it cannot be finished now. */
  readonly bootstrap: () => Promise<void>;
}

export function assembleApi({ options, replica }: { readonly options: ApiServerOptions; readonly replica: Replica; readonly log: Logger }): Api {
  const storage = createRaftStorage({ replica, prefix: options['etcd-prefix'] });
  return {
    storage,
    resources: () => Promise.reject(pathNotFound()),
    documents: () => Promise.resolve(false),
    bootstrap: () => Promise.resolve(),
  };
}
