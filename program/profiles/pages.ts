import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { getHeapSnapshot } from 'node:v8';
import type { Readable } from 'node:stream';
import type { Verbosity } from '../log/logger.js';
import { allocationProfile, cpuProfile, eventTrace, pprofOfCpu, pprofOfHeap, ProfilerBusyError } from './inspector.js';
import { encodePprof, type Profile, type Sample } from './pprof.js';

/** Comes over HTTPS, or over an unguarded socket. */
export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
  readonly body: () => Promise<Buffer>;
}

export interface PageAnswer {
  readonly code: number;
  readonly type: string;
  readonly body: Buffer | string | Readable;
  readonly file?: string;
}

export interface PagesOptions {
  /** Changed by `PUT /debug/flags/v`. */
  readonly verbosity: Verbosity;
  /** `--contention-profiling`. */
  readonly contention: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const secondsMax = 600;
const secondsDefault = { profile: 30, trace: 1, heap: 5, allocs: 5 } as const;
const resolutionMs = 10;
const root = '/debug/pprof';

const text = (code: number, body: string): PageAnswer => ({ code, type: 'text/plain; charset=utf-8', body });
const pprof = (profile: Profile, name: string): PageAnswer => ({
  code: 200,
  type: 'application/octet-stream',
  body: encodePprof(profile),
  file: name,
});
const json = (value: unknown, name: string): PageAnswer => ({
  code: 200,
  type: 'application/json',
  body: JSON.stringify(value),
  file: name,
});

type Page = (request: PageRequest) => Promise<PageAnswer> | PageAnswer;

/** Pages under `/debug/`: log verbosity, and profiles for `go tool pprof` or (`?format=`) DevTools. */
export class DebugPages {
  readonly #options: PagesOptions;
  readonly #pages: ReadonlyMap<string, Page>;
  readonly #waiting: IntervalHistogram | null;

  constructor(options: PagesOptions) {
    this.#options = options;
    this.#waiting = options.contention ? monitorEventLoopDelay({ resolution: resolutionMs }) : null;
    this.#waiting?.enable();
    this.#pages = new Map<string, Page>([
      [root, () => this.#index()],
      [`${root}/profile`, (request) => this.#cpu(request)],
      [`${root}/heap`, (request) => this.#heap(request, false)],
      [`${root}/allocs`, (request) => this.#heap(request, true)],
      [`${root}/trace`, (request) => this.#trace(request)],
      [`${root}/goroutine`, () => text(200, whatIsUnderWay())],
      [`${root}/threadcreate`, () => text(200, whatIsUnderWay())],
      [`${root}/block`, () => pprof(this.#block(), 'block')],
      [`${root}/mutex`, () => pprof(this.#block(), 'mutex')],
      // The command line holds no secrets: options name files.
      [`${root}/cmdline`, () => text(200, process.argv.join('\0'))],
      // Stacks carry their names already.
      [`${root}/symbol`, () => text(200, 'num_symbols: 1\n')],
      ['/debug/flags/v', (request) => this.#verbosity(request)],
    ]);
  }

  get paths(): readonly string[] {
    return [...this.#pages.keys()];
  }

  async answer(request: PageRequest): Promise<PageAnswer | null> {
    const page = this.#pages.get(request.path);
    if (page === undefined) return null;
    try {
      return await page(request);
    } catch (error) {
      if (error instanceof ProfilerBusyError) return text(503, `${error.message}\n`);
      if (error instanceof PageError) return text(error.code, `${error.message}\n`);
      throw error;
    }
  }

  stop(): void {
    this.#waiting?.disable();
  }

  #index(): PageAnswer {
    const names = this.paths.filter((path) => path.startsWith(`${root}/`)).map((path) => path.slice(root.length + 1));
    return {
      code: 200,
      type: 'text/html; charset=utf-8',
      body: `<!doctype html><title>${root}/</title><h1>${root}/</h1><ul>${names.map((name) => `<li><a href="${root}/${name}">${name}</a>`).join('')}</ul>\n`,
    };
  }

  async #cpu({ query, signal }: PageRequest): Promise<PageAnswer> {
    const format = formatOf(query, ['pprof', 'cpuprofile']);
    const takenAt = this.#options.now();
    const profile = await cpuProfile(secondsOf(query, secondsDefault.profile) * 1000, signal);
    return format === 'pprof' ? pprof(pprofOfCpu(profile, takenAt), 'profile') : json(profile, 'profile.cpuprofile');
  }

  async #heap({ query, signal }: PageRequest, collected: boolean): Promise<PageAnswer> {
    const format = formatOf(query, ['pprof', 'heapprofile', 'heapsnapshot']);
    if (format === 'heapsnapshot') return { code: 200, type: 'application/json', body: getHeapSnapshot(), file: 'heap.heapsnapshot' };
    const takenAt = this.#options.now();
    const durationMs = secondsOf(query, secondsDefault.heap) * 1000;
    const profile = await allocationProfile(durationMs, { collected }, signal);
    const kind = collected ? 'alloc' : 'inuse';
    return format === 'pprof' ? pprof(pprofOfHeap(profile, { takenAt, durationMs, kind }), 'heap') : json(profile, 'heap.heapprofile');
  }

  async #trace({ query, signal }: PageRequest): Promise<PageAnswer> {
    return json(await eventTrace(secondsOf(query, secondsDefault.trace) * 1000, signal), 'trace.json');
  }

  /** All work waits for one thing: the next turn. */
  #block(): Profile {
    const types = [
      { type: 'contentions', unit: 'count' },
      { type: 'delay', unit: 'nanoseconds' },
    ];
    return { types, samples: this.#turns(), period: { type: types[0]!, value: 1 }, takenAt: this.#options.now(), durationMs: 0 };
  }

  #turns(): readonly Sample[] {
    const waiting = this.#waiting;
    if (waiting === null || waiting.count === 0) return [];
    const percentiles = [...waiting.percentiles].filter(([, nanoseconds]) => nanoseconds > 0);
    let before = 0;
    return percentiles.map(([percentile, nanoseconds]) => {
      const count = Math.round(((percentile - before) / 100) * waiting.count);
      before = percentile;
      const name = `a turn of the event loop took ${(nanoseconds / 1e6).toFixed(1)} ms`;
      return { stack: [{ name, file: 'event loop', line: 0 }], values: [count, count * nanoseconds] };
    });
  }

  async #verbosity({ method, body }: PageRequest): Promise<PageAnswer> {
    const { verbosity } = this.#options;
    if (method !== 'PUT') return text(405, 'unrecognized http method\n');
    const requested = (await body()).toString('utf8').trim();
    if (!/^-?\d{1,9}$/.test(requested)) return text(400, `failed to set klog.logging.verbosity ${requested}: it must be a whole number\n`);
    verbosity.level = Number(requested);
    return text(200, `successfully set klog.logging.verbosity to ${requested}`);
  }
}

class PageError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

function secondsOf(query: URLSearchParams, byDefault: number): number {
  const requested = query.get('seconds') ?? '';
  const seconds = requested === '' ? byDefault : Number(requested);
  if (!(seconds > 0 && seconds <= secondsMax))
    throw new PageError(400, `seconds must be above 0 and at most ${secondsMax}, not ${JSON.stringify(requested)}`);
  return seconds;
}

function formatOf<const F extends string>(query: URLSearchParams, formats: readonly F[]): F {
  const requested = query.get('format') ?? formats[0]!;
  const found = formats.find((format) => format === requested);
  if (found === undefined) throw new PageError(400, `format must be one of ${formats.join(', ')}, not ${JSON.stringify(requested)}`);
  return found;
}

/** Active resources are the closest equivalent of goroutines. */
function whatIsUnderWay(): string {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} @ ${name}`);
  return `goroutine profile: total ${total}\n${lines.join('\n')}\n`;
}
