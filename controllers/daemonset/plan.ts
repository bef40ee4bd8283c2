import { createdAt, isTerminating, nameOf } from '../../api/meta/object.js';
import type { DaemonSet } from '../../api/types/apps/v1.js';
import type { Node, Pod } from '../../api/types/core/v1.js';
import { scaled } from '../../api/intOrPercent.js';
import { hasFailed, hasSucceeded, isAvailable, isFinished, isReady } from '../workloads/podState.js';
import { describe, hashLabel, nodeOf } from './daemonPod.js';
import { waitMs, type Attempt } from './failedPods.js';
import { fitOf, type Fit } from './nodeFit.js';
import type { NextSync } from '../workloads/nextSync.js';

export interface Observed {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Its own. */
  readonly pods: readonly Pod[];
  readonly hash: string;
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** The wall clock, as the times in objects. */
  readonly now: number;
  /** The clock of durations, as the times of attempts. */
  readonly elapsed: number;
}

export interface PlannedEvent {
  readonly type: 'normal' | 'warning';
  readonly reason: string;
  readonly message: string;
}

export interface Plan extends NextSync {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  readonly events: readonly PlannedEvent[];
  readonly tried: readonly string[];
}

export interface Place {
  readonly node: string;
  readonly fit: Fit;
  readonly pods: readonly Pod[];
}

export function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = isFinished(pod) && isTerminating(pod) ? null : nodeOf(pod);
    if (node === null) continue;
    const there = found.get(node);
    if (there) there.push(pod);
    else found.set(node, [pod]);
  }
  return found;
}

export function placesOf({ set, nodes, pods }: Pick<Observed, 'set' | 'nodes' | 'pods'>): readonly Place[] {
  const found = podsByNode(pods);
  return nodes.map((node) => ({ node: nameOf(node), fit: fitOf(set, node), pods: found.get(nameOf(node)) ?? [] }));
}

export const inOrder = (pods: readonly Pod[]): readonly Pod[] =>
  [...pods].sort(
    (a, b) => Number(!a.spec?.nodeName) - Number(!b.spec?.nodeName) || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );

export const maxSurgeOf = ({ spec }: DaemonSet, wanted: number): number =>
  spec?.updateStrategy?.type === 'OnDelete' ? 0 : scaled(spec?.updateStrategy?.rollingUpdate?.maxSurge, wanted, 'up');
const allowsSurge = (set: DaemonSet): boolean => maxSurgeOf(set, 100) > 0;

/** Gives each selected node one pod, and other nodes none. Pure. */
export function plan(observed: Observed): Plan {
  const places = placesOf(observed);
  const each = places.map((place) => planNode(observed, place));
  const waits = each.flatMap(({ againAfterMs }) => againAfterMs ?? []);
  return {
    create: each.flatMap(({ create }) => create),
    remove: [...each.flatMap(({ remove }) => remove), ...stranded(observed)],
    events: each.flatMap(({ events }) => events),
    tried: each.flatMap(({ tried }) => tried),
    againAfterMs: waits.length > 0 ? Math.min(...waits) : null,
  };
}

const nothing: Plan = { create: [], remove: [], events: [], tried: [], againAfterMs: null };

function planNode(observed: Observed, { node, fit, pods }: Place): Plan {
  if (fit.runs && pods.length === 0) return { ...nothing, create: [node] };
  if (!fit.stays) return { ...nothing, remove: pods.filter((pod) => !isTerminating(pod)) };
  const cleared = clear(observed, node, pods);
  const running = inOrder(pods.filter((pod) => !isTerminating(pod) && !isFinished(pod)));
  // A terminating pod still counts, except where a surge would have added another pod anyway.
  if (allowsSurge(observed.set) && running.length === 0 && fit.runs) return { ...cleared, create: [node] };
  const excess = allowsSurge(observed.set) ? beyondSurge(observed, running) : running.slice(1);
  return { ...cleared, remove: [...cleared.remove, ...excess] };
}

/** Removes finished pods; failed ones with ever longer waits. */
function clear({ attempts, elapsed }: Observed, node: string, pods: readonly Pod[]): Plan {
  const ended = pods.filter((pod) => !isTerminating(pod));
  const failed = ended.filter(hasFailed);
  const succeeded = ended.filter(hasSucceeded);
  const wait = failed.length > 0 ? waitMs(attempts.get(node), elapsed) : 0;
  const removable = wait > 0 ? [] : failed;
  return {
    ...nothing,
    remove: [...removable, ...succeeded],
    tried: removable.length > 0 ? [node] : [],
    againAfterMs: wait > 0 ? wait : null,
    events: [
      ...removable.map(
        (pod) =>
          ({
            type: 'warning',
            reason: 'FailedDaemonPod',
            message: `Found failed daemon pod ${describe(pod)} on node ${node}, will try to kill it`,
          }) as const,
      ),
      ...succeeded.map(
        (pod) =>
          ({
            type: 'normal',
            reason: 'SucceededDaemonPod',
            message: `Found succeeded daemon pod ${describe(pod)} on node ${node}, will try to delete it`,
          }) as const,
      ),
    ],
  };
}

/** A node may have two pods only while the old one is ready and the new one not available. */
function beyondSurge({ set, hash, now }: Observed, running: readonly Pod[]): readonly Pod[] {
  if (running.length <= 1) return [];
  const isNew = (pod: Pod): boolean => pod.metadata.labels?.[hashLabel] === hash;
  const newest = running.find(isNew);
  const oldest = running.find((pod) => !isNew(pod));
  const others = running.filter((pod) => pod !== newest && pod !== oldest);
  const isDone = newest && oldest && (!isReady(oldest) || isAvailable(newest, set.spec?.minReadySeconds ?? 0, now));
  return isDone ? [...others, oldest] : others;
}

/** Returns unbound pods for a deleted node, which no other controller removes. */
function stranded({ nodes, pods }: Observed): readonly Pod[] {
  const known = new Set(nodes.map(nameOf));
  return pods.filter((pod) => {
    const node = nodeOf(pod);
    return !pod.spec?.nodeName && node !== null && !known.has(node) && !isTerminating(pod);
  });
}
