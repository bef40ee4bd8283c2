import { tooManyRequests } from '../../api/status.js';
import { answerStream } from '../../program/port/streams.js';
import type { Exchange } from '../http/exchange.js';
import type { RequestTap, SeenRequest } from './requestTap.js';

const streamsMax = 32;
const flushMs = 200;
/** Requests per line; further ones are counted and not shown. */
const batchMax = 400;
/** A slow browser receives nothing more until it catches up. */
const waitingBytesMax = 1 << 20;
const holdersMax = 20;
const holdersEveryMs = 2_000;

export interface RequestBatch {
  readonly requests: readonly SeenRequest[];
  /** Requests that ended in this time and are not shown. */
  readonly dropped: number;
  /** Current holders of watches and streams, most first; only in some lines. */
  readonly holders?: readonly Holder[];
}

export interface Holder {
  readonly user: string;
  readonly resource: string;
  readonly count: number;
}

/** Sends each finished request, as lines of JSON, until the client leaves. */
export function streamRequests(exchange: Exchange, tap: RequestTap, active: () => Iterable<Exchange>): void {
  if (tap.watchers >= streamsMax) throw tooManyRequests('too many look at requests already; try again later', 5);
  const { response } = exchange;
  response.setHeader('content-type', 'application/x-ndjson');
  response.setHeader('x-content-type-options', 'nosniff');
  response.writeHead(200);
  response.flushHeaders();
  const out = answerStream(response);
  let waiting: SeenRequest[] = [];
  let dropped = 0;
  let holdersAt = Number.NEGATIVE_INFINITY;
  const stopLooking = tap.look((request) => {
    // The console's own requests are not shown.
    if (request.path.startsWith('/console/')) return;
    if (waiting.length < batchMax) waiting.push(request);
    else dropped++;
  });
  const flush = (): void => {
    if (out.writableLength > waitingBytesMax) return;
    const showsHolders = performance.now() - holdersAt >= holdersEveryMs;
    if (waiting.length === 0 && dropped === 0 && !showsHolders) return;
    const batch: RequestBatch = { requests: waiting, dropped, ...(showsHolders ? { holders: holdersIn(active()) } : {}) };
    if (showsHolders) holdersAt = performance.now();
    [waiting, dropped] = [[], 0];
    out.write(`${JSON.stringify(batch)}\n`);
  };
  const timer = setInterval(flush, flushMs);
  exchange.onClose(() => {
    clearInterval(timer);
    stopLooking();
  });
  flush();
}

/** Counts watches and other streams by holder, most first. */
export function holdersIn(active: Iterable<Pick<Exchange, 'longRunning' | 'info' | 'user'>>): readonly Holder[] {
  const counts = new Map<string, { user: string; resource: string; count: number }>();
  for (const { longRunning, info, user } of active) {
    if (!longRunning || !info.isResource) continue;
    const resource = info.group === '' ? info.resource : `${info.group}/${info.resource}`;
    const key = `${user.name} ${resource}`;
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { user: user.name, resource, count: 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).slice(0, holdersMax);
}
