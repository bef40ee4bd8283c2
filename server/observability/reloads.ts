import { hash } from 'node:crypto';
import { Counter, Gauge } from 'prom-client';
import type { Metrics } from './metrics.js';

/** Counts how often a configuration file was read again, and how that went. */
export interface ReloadMetrics {
  record(outcome: 'success' | 'failure'): void;
}

/** `subsystem` as in the names of the reference's metrics: `authentication_config_controller`. `server` tells replicas apart. */
export function createReloadMetrics({ registry }: Metrics, subsystem: string, { server }: { readonly server: string }): ReloadMetrics {
  const labelNames = ['status', 'apiserver_id_hash'];
  const total = new Counter({
    name: `apiserver_${subsystem}_automatic_reloads_total`,
    help: 'Times that the changed configuration file was read, by outcome.',
    labelNames,
    registers: [registry],
  });
  const last = new Gauge({
    name: `apiserver_${subsystem}_automatic_reload_last_timestamp_seconds`,
    help: 'When that was last, in seconds since 1970, by outcome.',
    labelNames,
    registers: [registry],
  });
  const apiserver_id_hash = `sha256:${hash('sha256', server, 'hex')}`;
  return {
    record: (status) => {
      total.inc({ status, apiserver_id_hash });
      last.set({ status, apiserver_id_hash }, Date.now() / 1000);
    },
  };
}
