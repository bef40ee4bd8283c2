import { timeOf } from '../../api/time.js';
import type { DeviceToleration, ResourceClaim, ResourceSlice } from '../../api/types/resource/v1.js';
import type { DeviceTaintRule } from '../../api/types/resource/v1beta2.js';
import { tolerates } from '../workloads/toleration.js';

/** Time limits for pods with tainted devices. Pure. */

export interface DeviceTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}
export interface DeviceName {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

const effect = 'NoExecute';
export const deviceText = ({ driver, pool, device }: DeviceName): string => `${driver}/${pool}/${device}`;

export const taintedDevices = ({
  spec: { driver, pool, devices = [] },
}: ResourceSlice): readonly (readonly [string, readonly DeviceTaint[]])[] =>
  devices.flatMap(({ name, taints = [] }) => {
    const driving = taints.filter((taint) => taint.effect === effect);
    return driving.length > 0 ? [[deviceText({ driver, pool: pool.name, device: name }), driving] as const] : [];
  });

/** A rule without a selector taints every device; one with an empty selector too. */
export function ruleTaint({ metadata, spec: { deviceSelector = {}, taint } }: DeviceTaintRule, name: DeviceName): DeviceTaint | null {
  if (taint.effect !== effect) return null;
  const { driver = name.driver, pool = name.pool, device = name.device } = deviceSelector;
  if (driver !== name.driver || pool !== name.pool || device !== name.device) return null;
  return { ...taint, ...(metadata.creationTimestamp === undefined ? {} : { timeAdded: metadata.creationTimestamp }), ...taint };
}

/** Returns until when a claim may be used, in milliseconds since 1970: Infinity for ever, and null where none of its devices is tainted. */
export function usableUntil(
  { status }: ResourceClaim,
  taintsOf: (device: DeviceName) => readonly DeviceTaint[],
  now: number,
): number | null {
  const ends = (status?.allocation?.devices?.results ?? []).flatMap((result) =>
    taintsOf(result).map((taint) => borneUntil(taint, result.tolerations ?? [], now)),
  );
  return ends.length > 0 ? Math.min(...ends) : null;
}

function borneUntil(taint: DeviceTaint, tolerations: readonly DeviceToleration[], now: number): number {
  const bearing = tolerations.filter((toleration) => tolerates(toleration, taint));
  if (bearing.length === 0) return now;
  const seconds = bearing.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  if (seconds.length === 0) return Infinity;
  const addedAt = timeOf(taint.timeAdded);
  return (Number.isNaN(addedAt) ? now : addedAt) + Math.max(0, Math.min(...seconds)) * 1000;
}
