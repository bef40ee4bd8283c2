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

/** A rule without a selector selects nothing, with an empty selector all devices. */
export function selects({ spec: { deviceSelector } }: DeviceTaintRule, name: DeviceName): boolean {
  if (deviceSelector === undefined || deviceSelector === null) return false;
  return (['driver', 'pool', 'device'] as const).every((member) => (deviceSelector[member] ?? name[member]) === name[member]);
}

/** Returns the taint of an evicting rule for a device, or null. */
export function ruleTaint(rule: DeviceTaintRule, name: DeviceName): DeviceTaint | null {
  const { taint } = rule.spec;
  if (taint.effect !== effect || !selects(rule, name)) return null;
  const { creationTimestamp: timeAdded } = rule.metadata;
  return { ...(timeAdded === undefined ? {} : { timeAdded }), ...taint };
}

/** Returns the rule with the effect of evicting pods. */
export const evicting = (rule: DeviceTaintRule): DeviceTaintRule => ({
  ...rule,
  spec: { ...rule.spec, taint: { ...rule.spec.taint, effect } },
});

/** Returns until when a claim may be used, in milliseconds since 1970: Infinity for ever; null without tainted devices. */
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
