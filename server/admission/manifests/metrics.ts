import { Counter, Gauge, type Registry } from 'prom-client';
import { hashLabel } from '../../../program/metrics/hashLabel.js';

export interface ManifestMetrics {
  /** The content with this hash is in effect. */
  loaded(plugin: string, content: { readonly hash: string }): void;
  /** Changed files were read. */
  reloaded(plugin: string, outcome: 'success' | 'failure'): void;
}

/** The names are the reference's. `server` distinguishes replicas. */
export function createManifestMetrics(registry: Registry, server: string): ManifestMetrics {
  const prefix = 'apiserver_manifest_admission_config_controller';
  const registers = [registry];
  const total = new Counter({
    name: `${prefix}_automatic_reloads_total`,
    help: 'Times that changed manifests of admission plug-ins were read, by outcome.',
    labelNames: ['apiserver_id_hash', 'plugin', 'status'],
    registers,
  });
  const last = new Gauge({
    name: `${prefix}_automatic_reload_last_timestamp_seconds`,
    help: 'When that was last, in seconds since 1970, by outcome.',
    labelNames: ['apiserver_id_hash', 'plugin', 'status'],
    registers,
  });
  const info = new Gauge({
    name: `${prefix}_last_config_info`,
    help: 'The hash of the manifests that are in effect.',
    labelNames: ['apiserver_id_hash', 'hash', 'plugin'],
    registers,
  });
  const apiserver_id_hash = hashLabel(server);
  const known = new Map<string, string>();
  return {
    loaded: (plugin, { hash: content }) => {
      const before = known.get(plugin);
      if (before !== undefined) info.remove({ apiserver_id_hash, hash: before, plugin });
      known.set(plugin, content);
      info.set({ apiserver_id_hash, hash: content, plugin }, 1);
    },
    reloaded: (plugin, status) => {
      // The order is that of label names, as in the reference.
      total.inc({ apiserver_id_hash, plugin, status });
      last.set({ apiserver_id_hash, plugin, status }, Date.now() / 1000);
    },
  };
}
