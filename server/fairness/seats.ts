import type { GroupResource } from '../../api/resource.js';
import type { RequestInfo } from '../../api/requestInfo.js';

/** What a request takes: seats while it is worked on, and seats for some time afterwards, while its change goes out to those who watch. */
export interface Work {
  readonly seats: number;
  readonly finalSeats: number;
  readonly finalMs: number;
  /** Who is told of a write; null for what is none. */
  readonly watchers: number | null;
}

/** What is there of a resource. `bytes`: of all objects; null where lists count by objects alone (SizeBasedListCostEstimate is off). */
export type Estimate = (resource: GroupResource) => { readonly objects: number; readonly bytes: number | null; readonly watchers: number };

const seatsMax = 10;
const objectsPerSeat = 100;
/** As much as a hundred objects of a usual size. */
const bytesPerSeat = 100_000;
const watchersPerSeat = 10;
/** For each seat of writes that others watch. */
const finalMsPerSeat = 5;

const plain: Work = { seats: 1, finalSeats: 0, finalMs: 0, watchers: null };
const changing: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/** Pure. Lists and the beginnings of watches cost by what they have to look through, writes by who is told of them. */
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
  // One object, whatever there is beside it.
  if (info.name !== '') return plain;
  const { objects, bytes } = estimate(info);
  const limit = Number(query.get('limit') ?? 0);
  const selective = info.fieldSelector !== undefined || info.labelSelector !== undefined;
  const looked = limit > 0 && !selective ? Math.min(limit, objects) : objects;
  const cost = bytes === null || objects === 0 ? looked / objectsPerSeat : ((bytes / objects) * looked) / bytesPerSeat;
  return { seats: Math.min(seatsMax, Math.max(1, Math.ceil(cost))), finalSeats: 0, finalMs: 0, watchers: null };
}
