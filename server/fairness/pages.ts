import type { RequestInfo } from '../../api/requestInfo.js';
import type { Fairness } from './fairness.js';

const root = '/debug/api_priority_and_fairness/';

/** Returns a text dump of the queues, one line per item; null for an unknown page. Pure. */
export function dumpPage(path: string, query: URLSearchParams, fairness: Fairness): string | null {
  if (!path.startsWith(root)) return null;
  return pages.get(path.slice(root.length))?.(fairness, query) ?? null;
}

const pages: ReadonlyMap<string, (fairness: Fairness, query: URLSearchParams) => string> = new Map([
  ['dump_priority_levels', ({ levels }) => written(levelColumns, [...levels].map(levelCells))],
  ['dump_queues', ({ levels }) => written(queueColumns, [...levels].flatMap(queueCells))],
  [
    'dump_requests',
    (fairness, query) => {
      const details = query.get('includeRequestDetails') === '1';
      return written(details ? [...requestColumns, ...detailColumns] : requestColumns, requestsOf(fairness, details));
    },
  ],
]);

type ShownLevel = Fairness['levels'] extends Iterable<infer Level> ? Level : never;

const levelCells = ({ settings, level, counts }: ShownLevel): Cell[] => [
  settings.name,
  level.busyQueues,
  level.underWay + level.waiting === 0,
  false,
  level.waiting,
  level.underWay,
  counts.dispatched,
  counts.rejected,
  counts.timedOut,
  counts.cancelled,
];

const queueCells = ({ settings, level }: ShownLevel): Cell[][] =>
  level.queues.map((queue, index) => [
    settings.name,
    index,
    queue.waiting.length,
    queue.underWay,
    queue.seatsInUse,
    `${queue.nextR.toFixed(8)}ss`,
    queue.waitingSeats,
    queue.waitingSeats,
    queue.waitingSeats,
  ]);

const levelColumns = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];
const queueColumns = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];
const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
];
const detailColumns = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

type Cell = string | number | boolean;

/** Waiting requests in queue order. Times are seconds since the process started. */
function requestsOf(fairness: Fairness, details: boolean): Cell[][] {
  return [...fairness.levels].flatMap(({ settings, level }) =>
    level.queues.flatMap((queue, index) =>
      queue.waiting.map(({ of: turn, arrivedAt, seats }, place): Cell[] => {
        const { request } = turn;
        const { schema, work } = turn.of;
        const flow = schema.distinguisher === 'ByUser' ? request.user.name : request.info.isResource ? request.info.namespace : '';
        return [
          settings.name,
          schema.name,
          index,
          place,
          schema.distinguisher === null ? '' : flow,
          `${arrivedAt.toFixed(6)}s`,
          seats,
          work.finalSeats,
          `${work.finalMs}ms`,
          ...(details ? [request.user.name, ...detailsOf(request.info)] : []),
        ];
      }),
    ),
  );
}

const detailsOf = (info: RequestInfo): Cell[] =>
  info.isResource
    ? [info.verb, info.path, info.namespace, info.name, info.version, info.resource, info.subresource]
    : [info.verb, info.path, '', '', '', '', ''];

const written = (columns: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [columns, ...rows].map((row) => `${row.join(', ')}\n`).join('');
