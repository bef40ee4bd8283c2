import type { KubeObject } from '../../../api/meta/object.js';
import { differenceText, type Difference } from './state.js';

export interface Violation {
  readonly judgement: 'finalState' | 'quiet' | 'starts' | 'leftovers' | 'generation' | 'panic' | 'expected';
  readonly details: readonly string[];
}

const detailsMax = 20;

export const differs = (step: string, differences: readonly Difference[]): Violation => ({
  judgement: 'finalState',
  details: [`after "${step}":`, ...differences.slice(0, detailsMax).map(differenceText)],
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

/** Go, Node, Python, Rust and Java when nobody has caught an error. */
const panics =
  /^panic: .*|^goroutine \d+ \[running\]|UnhandledPromiseRejection|Uncaught \w*(Error|Exception)|^Traceback \(most recent call last\)|^thread '.*' panicked at|^Exception in thread .*|triggerUncaughtException|^Node\.js v\d+/m;

export function panicIn(output: string): Violation | null {
  const found = panics.exec(output);
  if (!found) return null;
  return { judgement: 'panic', details: output.slice(found.index).split('\n').slice(0, detailsMax) };
}
