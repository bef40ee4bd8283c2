import type { KubeObject } from '../../../api/meta/object.js';
import type { Entry } from './record.js';
import { differenceText, ownAnnotation, type Difference } from './state.js';

export interface Violation {
  readonly judgement:
    | 'finalState'
    | 'path'
    | 'quiet'
    | 'starts'
    | 'leftovers'
    | 'generation'
    | 'panic'
    | 'overwrites'
    | 'deletions'
    | 'fights'
    | 'idleWrites'
    | 'expected';
  readonly details: readonly string[];
  /** The states that are wrong, if any. */
  readonly differences?: readonly Difference[];
}

const detailsMax = 20;

export const differs = (step: string, differences: readonly Difference[], where?: string): Violation => ({
  judgement: 'finalState',
  details: [`after "${step}":`, ...differences.slice(0, detailsMax).map((difference) => differenceText(difference, where))],
  differences: differences.slice(0, detailsMax),
});

export function leftovers(objects: readonly KubeObject[]): Violation | null {
  const details = objects.slice(0, detailsMax).map(({ kind, metadata: { namespace, name, deletionTimestamp, finalizers = [] } }) => {
    const why = deletionTimestamp === undefined ? 'has no owner that takes it along' : `waits for ${finalizers.join(', ')}`;
    return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name} is left, and ${why}`;
  });
  return details.length === 0 ? null : { judgement: 'leftovers', details };
}

interface WithStatus extends KubeObject {
  readonly status?: { readonly observedGeneration?: number };
}

export function wrongGenerations(objects: readonly WithStatus[]): Violation | null {
  const details = objects.flatMap(({ kind, metadata, status }) => {
    const [seen, now] = [status?.observedGeneration, metadata.generation];
    if (seen === undefined || now === undefined || seen === now) return [];
    return [`${kind} ${metadata.name} is at rest with observedGeneration ${seen}, and its generation is ${now}`];
  });
  return details.length === 0 ? null : { judgement: 'generation', details };
}

/** `touched`: uids of objects that another client has annotated. */
export function overwritten(objects: readonly KubeObject[], touched: ReadonlySet<string>): Violation | null {
  const lost = objects.filter(({ metadata }) => touched.has(metadata.uid ?? '') && metadata.annotations?.[ownAnnotation] === undefined);
  const details = lost.map(({ kind, metadata }) => `${kind} ${metadata.name} has lost the annotation that somebody else has given it`);
  return details.length === 0 ? null : { judgement: 'overwrites', details };
}

/** Returns how often each deletion succeeds, at most in one of the runs. */
export function deletionsOf(records: readonly (readonly Entry[])[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const record of records) {
    const counts = new Map<string, number>();
    for (const { call, status, place } of record)
      if (call.verb.startsWith('delete') && status !== null && status < 300) counts.set(place.call, (counts.get(place.call) ?? 0) + 1);
    for (const [call, times] of counts) most.set(call, Math.max(most.get(call) ?? 0, times));
  }
  return most;
}

/** `usual`: those of undisturbed runs. What is made again has lost its data. */
export function furtherDeletions(record: readonly Entry[], usual: ReadonlyMap<string, number>): Violation | null {
  const further = [...deletionsOf([record])].filter(([call, times]) => times > (usual.get(call) ?? 0));
  const details = further.map(([call, times]) => `"${call}" is done ${times} times, and ${usual.get(call) ?? 0} times undisturbed`);
  return details.length === 0 ? null : { judgement: 'deletions', details };
}

/** Writes of one object to the same content within a step; fewer may be coincidence. */
const fightsMin = 4;
const idleWritesMin = 10;

/** Returns writes that another client keeps reverting, and writes without a change. */
export function vainWrites(record: readonly Entry[]): readonly Violation[] {
  const versions = new Map<string, string>();
  const [idle, effective]: [Entry[], Entry[]] = [[], []];
  for (const write of record) {
    if (write.outcome === undefined) continue;
    const { uid, version } = write.outcome;
    (versions.get(uid) === version ? idle : effective).push(write);
    versions.set(uid, version);
  }
  return [
    ...repeated(idle, idleWritesMin, 'idleWrites', 'and changes nothing'),
    ...repeated(effective, fightsMin, 'fights', 'to the same content, which somebody else has changed between'),
  ];
}

function repeated(writes: readonly Entry[], min: number, judgement: Violation['judgement'], how: string): readonly Violation[] {
  const alike = new Map<string, readonly Entry[]>();
  for (const write of writes) {
    const key = `${write.step} ${write.place.call} ${write.outcome!.uid} ${write.outcome!.content}`;
    alike.set(key, [...(alike.get(key) ?? []), write]);
  }
  const details = [...alike.values()]
    .filter(({ length }) => length >= min)
    .map(([write]) => `"${write!.place.call}" comes ${min} times or more in one step ${how}`);
  return details.length === 0 ? [] : [{ judgement, details }];
}

/** Uncaught errors of Go, Node, Python, Rust and Java. */
const panics =
  /^panic: .*|^goroutine \d+ \[running\]|UnhandledPromiseRejection|Uncaught \w*(Error|Exception)|^Traceback \(most recent call last\)|^thread '.*' panicked at|^Exception in thread .*|triggerUncaughtException|^Node\.js v\d+/m;

export function panicIn(output: string): Violation | null {
  const found = panics.exec(output);
  if (!found) return null;
  return { judgement: 'panic', details: output.slice(found.index).split('\n').slice(0, detailsMax) };
}
