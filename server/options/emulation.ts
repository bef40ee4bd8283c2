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

/** Only one version is emulated, and forward compatibility requires an earlier one. */
export function emulationProblem(options: EmulationOptions): string | null {
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
 * Returns whether a resource's version is later than the emulated one, and therefore absent. `earlier`: an older version is served, to which forward
 * compatibility adds more stable versions.
 */
export function isTooNew(options: EmulationOptions, resource: VersionedResource, earlier: () => boolean): boolean {
  if (introducedIn(resource) <= emulatedMinor(options)) return false;
  return !(options['emulation-forward-compatible'] && earlier());
}

/** A rank for comparison: alpha before beta before stable. */
export function stabilityOf(version: string): number {
  return version.includes('alpha') ? 0 : version.includes('beta') ? 1 : 2;
}
