import { Session, type NodeTracing, type Profiler } from 'node:inspector';
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, Profile, Sample } from './pprof.js';

/** Another profile is being taken. */
export class ProfilerBusyError extends Error {}

/** One at a time, as a second one would end the first. */
let busy = false;

async function inSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
  if (busy) throw new ProfilerBusyError('another profile is being taken; try again');
  busy = true;
  const session = new Session();
  try {
    session.connect();
    return await work(session);
  } finally {
    session.disconnect();
    busy = false;
  }
}

function post<T>(session: Session, method: string, params: object = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => {
      if (error === null) resolve(result as T);
      else reject(error);
    });
  });
}

const microsecondsPerSample = 1_000;

/** DevTools' format. */
export const cpuProfile = (ms: number, signal: AbortSignal): Promise<Profiler.Profile> =>
  inSession(async (session) => {
    await post(session, 'Profiler.enable');
    await post(session, 'Profiler.setSamplingInterval', { interval: microsecondsPerSample });
    await post(session, 'Profiler.start');
    await delay(ms, undefined, { signal }).catch(() => undefined);
    return (await post<Profiler.StopReturnType>(session, 'Profiler.stop')).profile;
  });

interface AllocationNode {
  readonly id: number;
  readonly callFrame: Profiler.Profile['nodes'][number]['callFrame'];
  readonly selfSize: number;
  readonly children: readonly AllocationNode[];
}
export interface AllocationProfile {
  readonly head: AllocationNode;
  readonly samples: readonly { readonly nodeId: number; readonly size: number }[];
}

const bytesPerSample = 32 * 1024;

export interface AllocationOptions {
  readonly collected: boolean;
}

/** Profiles allocations and their callers for some time, in DevTools' format. */
export const allocationProfile = (ms: number, { collected }: AllocationOptions, signal: AbortSignal): Promise<AllocationProfile> =>
  inSession(async (session) => {
    await post(session, 'HeapProfiler.enable');
    await post(session, 'HeapProfiler.startSampling', {
      samplingInterval: bytesPerSample,
      includeObjectsCollectedByMajorGC: collected,
      includeObjectsCollectedByMinorGC: collected,
    });
    await delay(ms, undefined, { signal }).catch(() => undefined);
    return (await post<{ readonly profile: AllocationProfile }>(session, 'HeapProfiler.stopSampling')).profile;
  });

const traced = ['node', 'node.async_hooks', 'node.perf', 'v8'];
const traceEventsMax = 500_000;

/** Records runtime events for some time, in the format of `chrome://tracing` and Perfetto. */
export const eventTrace = (ms: number, signal: AbortSignal): Promise<{ readonly traceEvents: readonly object[] }> =>
  inSession(async (session) => {
    const traceEvents: object[] = [];
    const complete = new Promise<void>((resolve) => {
      session.on('NodeTracing.tracingComplete', () => {
        resolve();
      });
    });
    session.on('NodeTracing.dataCollected', ({ params }: { readonly params: NodeTracing.DataCollectedEventDataType }) => {
      if (traceEvents.length < traceEventsMax) traceEvents.push(...(params.value as object[]));
    });
    await post(session, 'NodeTracing.start', { traceConfig: { includedCategories: traced } });
    await delay(ms, undefined, { signal }).catch(() => undefined);
    await post(session, 'NodeTracing.stop');
    await complete;
    return { traceEvents };
  });

const frameOf = ({ functionName, url, lineNumber }: Profiler.Profile['nodes'][number]['callFrame']): Frame => ({
  name: functionName === '' ? '(anonymous)' : functionName,
  file: url,
  line: lineNumber + 1,
});

/** Returns each stack's count and total time. */
export function pprofOfCpu(profile: Profiler.Profile, takenAt: number): Profile {
  const stacks = new Map<number, readonly Frame[]>();
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const descend = (id: number, above: readonly Frame[]): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const stack = node.callFrame.functionName === '(root)' ? above : [frameOf(node.callFrame), ...above];
    stacks.set(id, stack);
    for (const child of node.children ?? []) descend(child, stack);
  };
  const root = profile.nodes[0];
  if (root !== undefined) descend(root.id, []);
  const seen = new Map<number, { count: number; microseconds: number }>();
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const each = seen.get(id) ?? { count: 0, microseconds: 0 };
    each.count++;
    each.microseconds += Math.max(0, profile.timeDeltas?.[index] ?? 0);
    seen.set(id, each);
  }
  const samples: Sample[] = [...seen]
    .filter(([id]) => byId.get(id)?.callFrame.functionName !== '(idle)')
    .map(([id, { count, microseconds }]) => ({ stack: stacks.get(id) ?? [], values: [count, microseconds * 1000] }));
  return {
    types: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    samples,
    period: { type: { type: 'cpu', unit: 'nanoseconds' }, value: microsecondsPerSample * 1000 },
    takenAt,
    durationMs: (profile.endTime - profile.startTime) / 1000,
  };
}

/** The same for allocations: objects and bytes by stack. Pure. */
export function pprofOfHeap(profile: AllocationProfile, { takenAt, durationMs, kind }: HeapFacts): Profile {
  const samples: Sample[] = [];
  const objects = new Map<number, number>();
  for (const { nodeId } of profile.samples) objects.set(nodeId, (objects.get(nodeId) ?? 0) + 1);
  const descend = (node: AllocationNode, above: readonly Frame[]): void => {
    const stack = node.callFrame.functionName === '(root)' ? above : [frameOf(node.callFrame), ...above];
    if (node.selfSize > 0) samples.push({ stack, values: [objects.get(node.id) ?? 0, node.selfSize] });
    for (const child of node.children) descend(child, stack);
  };
  descend(profile.head, []);
  return {
    types: [
      { type: `${kind}_objects`, unit: 'count' },
      { type: `${kind}_space`, unit: 'bytes' },
    ],
    samples,
    period: { type: { type: 'space', unit: 'bytes' }, value: bytesPerSample },
    takenAt,
    durationMs,
  };
}

export interface HeapFacts {
  readonly takenAt: number;
  readonly durationMs: number;
  readonly kind: 'inuse' | 'alloc';
}
