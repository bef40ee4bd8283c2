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

/** Counts objects that each deletion has ended, by step. */
export type Deletions = ReadonlyMap<string, readonly number[]>;

/** Counts the most of all runs. A deletion that is repeated until its object is gone counts once. */
export function deletionsOf(records: readonly (readonly Entry[])[]): Deletions {
  const most = new Map<string, readonly number[]>();
  for (const record of records)
    for (const [call, counts] of endedIn(record)) {
      const known = most.get(call) ?? [];
      const steps = Math.max(known.length, counts.length);
      most.set(
        call,
        Array.from({ length: steps }, (_, step) => Math.max(bySteps(known, step), bySteps(counts, step))),
      );
    }
  return most;
}

function endedIn(record: readonly Entry[]): Deletions {
  const steps = new Map<string, Map<unknown, number>>();
  for (const entry of record) {
    const { call, status, step, place } = entry;
    if (!call.verb.startsWith('delete') || status === null || status >= 300) continue;
    const ended = steps.get(place.call) ?? new Map<unknown, number>();
    const object = entry.deleted ?? entry;
    steps.set(place.call, ended.set(object, ended.get(object) ?? step));
  }
  return new Map([...steps].map(([call, ended]) => [call, countsByStep([...ended.values()])]));
}

const countsByStep = (steps: readonly number[]): readonly number[] =>
  Array.from({ length: Math.max(...steps) + 1 }, (_, step) => steps.filter((at) => at <= step).length);

/** The steps after the last count have nothing new. */
const bySteps = (counts: readonly number[], step: number): number => counts[Math.min(step, counts.length - 1)] ?? 0;

/** `usual`: those of undisturbed runs. What is made again has lost its data. */
export function furtherDeletions(record: readonly Entry[], usual: Deletions): Violation | null {
  const details = [...endedIn(record)].flatMap(([call, counts]) => {
    const known = usual.get(call) ?? [];
    const step = counts.findIndex((times, at) => times > bySteps(known, at));
    return step < 0
      ? []
      : [`"${call}" is done ${counts[step]} times by the end of step ${step}, and ${bySteps(known, step)} times undisturbed`];
  });
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
