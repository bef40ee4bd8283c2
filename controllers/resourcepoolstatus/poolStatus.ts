import type { ResourceClaim, ResourceSlice } from '../../api/types/resource/v1.js';
import type { PoolStatus, ResourcePoolStatusRequest } from '../../api/types/resource/v1alpha3.js';
import { createdAt } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';

/** The number of devices in a driver's pools, and of allocated ones. Pure. */

const poolsMax = 100;
const hourMs = 3_600_000;

export function poolsOf(
  { spec }: ResourcePoolStatusRequest,
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[],
): { readonly pools: readonly PoolStatus[]; readonly poolCount: number } {
  const wanted = slices.filter(({ spec: { driver, pool } }) => driver === spec.driver && (!spec.poolName || pool.name === spec.poolName));
  const byPool = grouped(wanted);
  const given = new Set(
    claims.flatMap(({ status }) =>
      (status?.allocation?.devices?.results ?? []).flatMap(({ driver, pool, device, adminAccess }) =>
        driver === spec.driver && !adminAccess ? [`${pool}/${device}`] : [],
      ),
    ),
  );
  const pools = [...byPool].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => poolStatus(spec.driver, name, all, given));
  return { pools: pools.slice(0, spec.limit ?? poolsMax), poolCount: pools.length };
}

function grouped(slices: readonly ResourceSlice[]): Map<string, ResourceSlice[]> {
  const groups = new Map<string, ResourceSlice[]>();
  for (const slice of slices) groups.set(slice.spec.pool.name, [...(groups.get(slice.spec.pool.name) ?? []), slice]);
  return groups;
}

/** Only the newest generation of a pool counts, if complete. */
function poolStatus(driver: string, poolName: string, slices: readonly ResourceSlice[], given: ReadonlySet<string>): PoolStatus {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  const newest = slices.filter(({ spec }) => spec.pool.generation === generation);
  const wanted = newest[0]?.spec.pool.resourceSliceCount ?? 0;
  const nodes = new Set(newest.map(({ spec }) => spec.nodeName ?? ''));
  const [nodeName = ''] = nodes.size === 1 ? nodes : [];
  const base = { driver, poolName, generation, ...(nodeName ? { nodeName } : {}) };
  if (newest.length < wanted)
    return {
      ...base,
      validationError: `pool ${driver}/${poolName} is incomplete: observed ${newest.length}/${wanted} slices at generation ${generation}`,
    };
  const devices = newest.flatMap(({ spec }) => spec.devices ?? []);
  const isGiven = (name: string): boolean => given.has(`${poolName}/${name}`);
  const allocatedDevices = devices.filter(({ name }) => isGiven(name)).length;
  const unavailableDevices = devices.filter(
    ({ name, taints = [] }) => !isGiven(name) && taints.some(({ effect }) => effect !== 'None'),
  ).length;
  return {
    ...base,
    resourceSliceCount: newest.length,
    totalDevices: devices.length,
    allocatedDevices,
    unavailableDevices,
    availableDevices: devices.length - allocatedDevices - unavailableDevices,
  };
}

const answerOf = ({ status }: ResourcePoolStatusRequest): { readonly lastTransitionTime: string | null } | undefined =>
  status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');

export const isAnswered = (request: ResourcePoolStatusRequest): boolean => answerOf(request) !== undefined;

/** An answer is kept for an hour, an unanswered request for a day. Pure. */
export function isRequestOver(request: ResourcePoolStatusRequest, now: number): boolean {
  const answer = answerOf(request);
  return answer === undefined ? now - createdAt(request) > 24 * hourMs : now - timeOf(answer.lastTransitionTime ?? undefined) > hourMs;
}
