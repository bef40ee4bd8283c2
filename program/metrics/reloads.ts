import { Counter, Gauge, type Registry } from 'prom-client';
import { hashLabel } from './hashLabel.js';

/** Counts reloads of a configuration file, and their results. */
export interface ReloadMetrics {
  /** Records the SHA-256, in hexadecimal digits, of the file in effect. */
  loaded(content: { readonly hash: string }): void;
  record(outcome: 'success' | 'failure'): void;
}

/** `subsystem` appears in the reference's names: `authentication_config_controller`. `server` distinguishes replicas. */
export function createReloadMetrics(registry: Registry, subsystem: string, server: string): ReloadMetrics {
  // Labels are written in this order: that of their names, as in the reference.
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
