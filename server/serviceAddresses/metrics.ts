import { Counter, Gauge, type Registry } from 'prom-client';
import type { AllocationCounts } from './allocationCounts.js';
import type { Usage } from './usage.js';
import { DurationHistogram } from '../../program/metrics/durations.js';
import { total } from '../../program/metrics/totals.js';

/** Bounds in seconds, as in the reference. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createAllocationMetrics(registry: Registry): AllocationCounts {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
    new Counter({ name: `kube_apiserver_${name}`, help, labelNames: [...labelNames], registers });
  const addresses = counter('clusterip_allocator_allocation_total', 'Addresses that services were given.', ['cidr', 'scope']);
  const addressErrors = counter('clusterip_allocator_allocation_errors_total', 'Addresses that services wanted and could not be given.', [
    'cidr',
    'scope',
  ]);
  const ports = counter('nodeport_allocator_allocation_total', 'Node ports that services were given.', ['scope']);
  const portErrors = counter('nodeport_allocator_allocation_errors_total', 'Node ports that services wanted and could not be given.', [
    'scope',
  ]);
  const durations = new DurationHistogram({
    name: 'kube_apiserver_clusterip_allocator_allocation_duration_seconds',
    help: 'Time until a free address of a range was found, in seconds.',
    labelNames: ['cidr'],
    buckets: bounds,
    registers,
  });
  return {
    address: (cidr, scope, seconds) => {
      addresses.inc({ cidr, scope });
      durations.of({ cidr }).observe(seconds);
    },
    addressFailed: (cidr, scope) => {
      addressErrors.inc({ cidr, scope });
    },
    port: (scope) => {
      ports.inc({ scope });
    },
    portFailed: (scope) => {
      portErrors.inc({ scope });
    },
  };
}

/** Failed repairs by subject. */
export function createRepairMetrics(registry: Registry): (what: 'addresses' | 'ports') => void {
  const errors = {
    addresses: total(registry, 'apiserver_clusterip_repair_reconcile_errors_total', 'Times that claims on addresses could not be checked.'),
    ports: total(registry, 'apiserver_nodeport_repair_reconcile_errors_total', 'Times that claims on node ports could not be checked.'),
  };
  return (what) => {
    errors[what].value++;
  };
}

/** Used and free addresses and node ports, read on collection. Unreadable ones are omitted. */
export function exposeAllocations(
  registry: Registry,
  read: { readonly addresses: () => Promise<ReadonlyMap<string, Usage>>; readonly ports: () => Promise<Usage> },
): void {
  for (const [part, ipHelp, portHelp] of [
    ['allocated', 'Addresses of services that are taken.', 'Node ports that are taken.'],
    ['available', 'Addresses of services that are free.', 'Node ports that are free.'],
  ] as const) {
    new Gauge({
      name: `kube_apiserver_clusterip_allocator_${part}_ips`,
      help: ipHelp,
      labelNames: ['cidr'],
      registers: [registry],
      async collect() {
        this.reset();
        const usage = await read.addresses().catch(() => new Map<string, Usage>());
        for (const [cidr, use] of usage) this.set({ cidr }, use[part]);
      },
    });
    new Gauge({
      name: `kube_apiserver_nodeport_allocator_${part}_ports`,
      help: portHelp,
      registers: [registry],
      async collect() {
        const usage = await read.ports().catch(() => null);
        if (usage !== null) this.set(usage[part]);
      },
    });
  }
}
