import { createServiceAllocator } from '../serviceAddresses/allocator.js';
import { createAllocationMetrics, createRepairMetrics, exposeAllocations } from '../serviceAddresses/metrics.js';
import { portBitmap, portClaims } from '../serviceAddresses/portRecord.js';
import { parsePortRange, parseRanges } from '../serviceAddresses/ranges.js';
import { addressUsage } from '../serviceAddresses/usage.js';
import { defaultServiceRange } from '../options/serviceRange.js';
import type { RaftStorage } from '../storage/raft.js';
import { ClaimRepairs } from './claimRepairs.js';
import type { Platform } from './platform.js';

export interface ServiceClaims {
  readonly allocator: ReturnType<typeof createServiceAllocator>;
  readonly repairs: ClaimRepairs;
  readonly ranges: readonly string[];
}

/** `asReference` keeps node ports in the reference's bitmap. */
export function claimServices({ options, metrics, log, parts, now }: Platform, storage: RaftStorage, asReference: boolean): ServiceClaims {
  const ranges = parseRanges(options['service-cluster-ip-range'] ?? defaultServiceRange);
  const ports = parsePortRange(options['service-node-port-range']);
  const portRecord = asReference ? portBitmap(storage, ports) : portClaims(storage);
  const allocator = createServiceAllocator({ storage, ranges, ports, portRecord, counts: createAllocationMetrics(metrics.registry) });
  exposeAllocations(metrics.registry, {
    addresses: () => addressUsage({ storage, ranges }),
    ports: async () => {
      const allocated = await portRecord.taken();
      return { allocated, available: ports.last - ports.first + 1 - allocated };
    },
  });
  const repairs = new ClaimRepairs({
    storage,
    log: log.named('services'),
    now,
    ports: asReference ? ports : null,
    failed: createRepairMetrics(metrics.registry),
  });
  parts.add({ name: 'claims of services', stop: () => repairs.stop() });
  return { allocator, repairs, ranges: ranges.map(({ text }) => text) };
}
