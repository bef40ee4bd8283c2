import type { GroupResource, GroupVersion } from '../../api/resource.js';
import { binaryMinor } from '../../program/features/gates.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { introducedIn } from '../../program/features/introduced.js';

interface EmulationOptions {
  readonly 'emulated-version': readonly string[];
  readonly 'emulation-forward-compatible': boolean;
  readonly 'runtime-config-emulation-forward-compatible': boolean;
}
type VersionedResource = GroupVersion & GroupResource;

/** One version is emulated at most, and forward compatibility has a meaning only for an earlier version. */
export function emulationComplaint(options: EmulationOptions): string | null {
  if (options['emulated-version'].length > 1)
    return `--emulated-version names more than one version: ${options['emulated-version'].join(', ')}`;
  const forward = (['emulation-forward-compatible', 'runtime-config-emulation-forward-compatible'] as const).filter(
    (name) => options[name],
  );
  return forward.length > 0 && emulatedMinor(options) === binaryMinor
    ? `${forward.map((name) => `--${name}`).join(', ')} needs --emulated-version below 1.${binaryMinor}`
    : null;
}

/**
 * Whether a version of a resource came after the emulated version, and is therefore not there. `earlier` tells whether the resource is served in a version that
 * was there: then, with forward compatibility, more stable versions of it are served as well.
 */
export function isTooNew(options: EmulationOptions, resource: VersionedResource, earlier: () => boolean): boolean {
  if (introducedIn(resource) <= emulatedMinor(options)) return false;
  return !(options['emulation-forward-compatible'] && earlier());
}

/** Later, for a comparison: alpha versions before beta ones before those that are stable. */
export function stabilityOf(version: string): number {
  return version.includes('alpha') ? 0 : version.includes('beta') ? 1 : 2;
}
