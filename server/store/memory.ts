import { Compaction } from '../storage/compaction.js';
import { MemoryEngine } from '../storage/memoryEngine.js';
import type { ServerStore } from './store.js';

const compactionTimeoutMs = 30_000;

export function openMemory(): ServerStore {
  const engine = new MemoryEngine();
  return {
    engine,
    elsewhere: [],
    health: engine,
    healthElsewhere: [],
    asReference: false,
    expires: false,
    replayedRevisions: null,
    published: null,
    tickets: [],
    replica: null,
    leads: () => Promise.resolve(true),
    onFailure: () => undefined,
    history: (owner, log) =>
      new Compaction({
        version: () => owner.version,
        log,
        standing: () => Promise.resolve({ leads: true, compacted: engine.compacted }),
        compact: (version) => owner.compact(version, compactionTimeoutMs),
      }),
    expose: () => undefined,
    handOver: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}
