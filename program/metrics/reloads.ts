import { Counter, Gauge, type Registry } from 'prom-client';
import { hashLabel } from './hashLabel.js';

/** Counts reloads of a configuration file, and their results. */
export interface ReloadMetrics {
  /** `hash`: SHA-256 of the file, in hexadecimal digits. */
  loaded(content: { readonly hash: string }): void;
  record(outcome: 'success' | 'failure'): void;
}

/** Subsystem such as `authentication_config_controller`. `server` distinguishes replicas. */
export function createReloadMetrics(registry: Registry, subsystem: string, server: string): ReloadMetrics {
  const labelNames = ['apiserver_id_hash', 'status'];
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
      total.inc({ apiserver_id_hash, status });
      last.set({ apiserver_id_hash, status }, Date.now() / 1000);
    },
  };
}
