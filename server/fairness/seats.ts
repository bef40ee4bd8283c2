import type { GroupResource } from '../../api/resource.js';
import type { RequestInfo } from '../../api/requestInfo.js';

/** The cost of a request: seats while it runs, and afterwards while watchers receive its change. */
export interface Work {
  readonly seats: number;
  readonly finalSeats: number;
  readonly finalMs: number;
  /** The watchers of a write; null for other requests. */
  readonly watchers: number | null;
}

/** Counts a resource's objects. `bytes`: their total size; null where lists cost by number alone (SizeBasedListCostEstimate is off). */
export type Estimate = (resource: GroupResource) => { readonly objects: number; readonly bytes: number | null; readonly watchers: number };

const seatsMax = 10;
const objectsPerSeat = 100;
/** The size of a hundred usual objects. */
const bytesPerSeat = 100_000;
const watchersPerSeat = 10;
/** The additional time for each seat of watched writes. */
const finalMsPerSeat = 5;

const plain: Work = { seats: 1, finalSeats: 0, finalMs: 0, watchers: null };
const changing: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Lists and starting watches cost by objects read, writes by their watchers. Pure. */
export function workOf(info: RequestInfo, query: URLSearchParams, estimate: Estimate): Work {
  if (!info.isResource) return plain;
  if (info.verb === 'list') return listWork(info, query, estimate);
  if (info.verb === 'watch') return query.get('sendInitialEvents') === 'true' ? listWork(info, query, estimate) : plain;
  if (!changing.has(info.verb) || info.subresource === 'token') return plain;
  const { watchers } = estimate(info);
  const finalSeats = Math.ceil(watchers / watchersPerSeat);
  if (watchers < watchersPerSeat) return { ...plain, watchers };
  return {
    seats: 1,
    watchers,
    finalSeats: Math.min(seatsMax, finalSeats),
    finalMs: (finalSeats * finalMsPerSeat * finalSeats) / Math.min(seatsMax, finalSeats),
  };
}

function listWork(info: RequestInfo & { readonly isResource: true }, query: URLSearchParams, estimate: Estimate): Work {
  // A request for one object has the plain cost.
  if (info.name !== '') return plain;
  const { objects, bytes } = estimate(info);
  const limit = Number(query.get('limit') ?? 0);
  const selective = info.fieldSelector !== undefined || info.labelSelector !== undefined;
  const looked = limit > 0 && !selective ? Math.min(limit, objects) : objects;
  const cost = bytes === null || objects === 0 ? looked / objectsPerSeat : ((bytes / objects) * looked) / bytesPerSeat;
  return { seats: Math.min(seatsMax, Math.max(1, Math.ceil(cost))), finalSeats: 0, finalMs: 0, watchers: null };
}
