import { Counter, Gauge, type Registry } from 'prom-client';
import { hashLabel } from './hashLabel.js';

/** Counts how often a configuration file was read again, and how that went. */
export interface ReloadMetrics {
  /** A file is in effect whose SHA-256, in hexadecimal digits, is this. */
  loaded(content: { readonly hash: string }): void;
  record(outcome: 'success' | 'failure'): void;
}

/** `subsystem` as in the names of the reference's metrics: `authentication_config_controller`. `server` tells replicas apart. */
export function createReloadMetrics(registry: Registry, subsystem: string, server: string): ReloadMetrics {
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
  const info = new Gauge({
    name: `apiserver_${subsystem}_last_config_info`,
    help: 'The hash of the configuration file that is in effect.',
    labelNames: ['apiserver_id_hash', 'hash'],
    registers: [registry],
  });
  const apiserver_id_hash = hashLabel(server);
  return {
    loaded: ({ hash: content }) => {
      info.reset();
      info.set({ apiserver_id_hash, hash: `sha256:${content}` }, 1);
    },
    record: (status) => {
      total.inc({ status, apiserver_id_hash });
      last.set({ status, apiserver_id_hash }, Date.now() / 1000);
    },
  };
}
