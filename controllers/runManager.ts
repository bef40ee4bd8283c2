import fs from 'node:fs';
import os from 'node:os';
import { randomUUID } from 'node:crypto';
import { release } from '../program/version.js';
import { emulatedMinor } from '../program/features/emulation.js';
import { featuresOf } from '../program/features/options.js';
import { metricChoice } from '../program/metrics/options.js';
import { unknownControllers } from './catalogue.js';
import type { CloudProvider } from './cloud/provider.js';
import { systemClock } from './client/clock.js';
import { inClusterSettings, loadKubeconfig, type ConnectionSettings } from './client/kubeconfig.js';
import { Manager } from './manager.js';
import type { ManagerLog } from './managerLog.js';
import type { ControllerManagerOptions } from './options/flags.js';
import { leaderMigrationOf } from './options/migration.js';
import { Checks } from './serving/checks.js';
import { serveHealth } from './serving/health.js';
import { Metrics } from './serving/metrics.js';
import { flexDriversIn } from './volumeattachment/flexDrivers.js';

export interface ManagerRun {
  readonly options: ControllerManagerOptions;
  readonly log: ManagerLog;
  readonly cloud: CloudProvider | null;
  readonly signal: AbortSignal;
  /** Called once the secure port answers. */
  readonly serves: () => void;
}

/** Runs a controller manager in this process until `signal` aborts. `lost` means that another may lead. */
export async function runManager({ options, log, cloud, signal, serves }: ManagerRun): Promise<'stopped' | 'lost'> {
  const settings = connectionOf(options);
  const rootCa = options['root-ca-file'] ? fs.readFileSync(options['root-ca-file'], 'utf8') : (settings.ca ?? null);
  const features = featuresOf(options);
  const metrics = new Metrics(metricChoice(options), features);
  const checks = new Checks();
  const common = { options, features, metrics, checks, clock: systemClock, log: log.write };
  const migration = leaderMigrationOf(options, (name) => unknownControllers([name]).length === 0 && name !== '*');
  const manager = new Manager({
    ...common,
    settings,
    rootCa,
    random: Math.random,
    identity: `${os.hostname()}_${randomUUID()}`,
    version: release,
    emulationVersion: `1.${emulatedMinor(options)}.0`,
    migration,
    trace: log.trace,
    ...(cloud === null ? {} : { cloud }),
  });
  const drivers = flexDriversIn(options['flex-volume-plugin-dir']);
  if (drivers.length > 0)
    log.write('error', `FlexVolume drivers are not run here, CSI drivers alone are: ${drivers.slice(0, 20).join(', ')}`);
  // Keeps the process alive, which connections and the clock's timers do not.
  const awake = setInterval(() => undefined, 24 * 60 * 60 * 1000);
  const serving = await serveHealth({ ...common, verbosity: log.verbosity, inEffect: { migration, hasCloud: cloud !== null } }).catch(
    (error: unknown) => {
      clearInterval(awake);
      throw error;
    },
  );
  serves();
  try {
    return await manager.run(signal);
  } finally {
    await serving?.close();
    clearInterval(awake);
  }
}

function connectionOf({ kubeconfig, master }: ControllerManagerOptions): ConnectionSettings {
  if (kubeconfig) return loadKubeconfig(kubeconfig, master);
  return master ? { server: master } : inClusterSettings(process.env);
}
