/**
 * The controller manager in the calling process, with clouds of one's own.
 *
 * @module raftplane/controllers
 */
import fs from 'node:fs';
import type { CloudProvider } from './cloud/provider.js';
import { ManagerLog } from './managerLog.js';
import type { ControllerManagerOptions } from './options/flags.js';
import { runManager } from './runManager.js';
import { fileErrors, readUsable } from './usableOptions.js';

export type { CloudProvider, Instances, LoadBalancers, Machine, Route, Routes } from './cloud/provider.js';

export interface CloudSettings {
  /** The content of the `--cloud-config` file; null without one. */
  readonly configuration: string | null;
  /** `--cluster-name`. */
  readonly clusterName: string;
}

/** Creates each cloud's interface, by its name in `--cloud-provider`. */
export type Clouds = Readonly<Record<string, (settings: CloudSettings) => CloudProvider | Promise<CloudProvider>>>;

export interface RunningManager {
  /** Resolves when the manager has stopped; `lost` means that another may lead. Rejects with the reason of a failure. */
  readonly ended: Promise<'stopped' | 'lost'>;
  /** Stops in order. Resolves when nothing is left of it. */
  stop(): Promise<void>;
}

/**
 * Starts a controller manager with the command line options of `controller-manager`, and the clouds for `--cloud-provider`. Resolves once its port answers;
 * rejects, with nothing left running, for contradictory or unusable options.
 */
export async function startControllerManager(
  args: readonly string[],
  { clouds = {} }: { readonly clouds?: Clouds } = {},
): Promise<RunningManager> {
  const options = usable(args, Object.keys(clouds));
  const cloud = await cloudOf(options, clouds);
  const over = new AbortController();
  let ended: Promise<'stopped' | 'lost'> | null = null;
  await new Promise<void>((resolve, reject) => {
    ended = runManager({ options, cloud, log: new ManagerLog(options), signal: over.signal, serves: resolve });
    ended.then(() => resolve(), reject);
  });
  return {
    ended: ended!,
    stop: async () => {
      over.abort();
      await ended;
    },
  };
}

function usable(args: readonly string[], clouds: readonly string[]): ControllerManagerOptions {
  const read = readUsable(args, clouds);
  const errors = read.ok ? fileErrors(read.options) : read.errors;
  if (!read.ok || errors.length > 0) throw new RangeError(errors.join('\n'));
  return read.options;
}

async function cloudOf(options: ControllerManagerOptions, clouds: Clouds): Promise<CloudProvider | null> {
  const file = options['cloud-config'] ?? '';
  const make = Object.hasOwn(clouds, options['cloud-provider'] ?? '') ? clouds[options['cloud-provider'] ?? ''] : undefined;
  if (make === undefined) return null;
  return make({ configuration: file === '' ? null : fs.readFileSync(file, 'utf8'), clusterName: options['cluster-name'] });
}
