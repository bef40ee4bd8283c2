import { isTerminating } from '../../api/meta/object.js';
import type { DaemonSet } from '../../api/types/apps/v1.js';
import type { Pod } from '../../api/types/core/v1.js';
import { scaled } from '../../api/intOrPercent.js';
import { isAvailable } from '../workloads/podState.js';
import { isUpdated } from './daemonPod.js';
import { fitOf } from './nodeFit.js';
import { maxSurgeOf, placesOf, podsByNode, type Observed } from './plan.js';

export interface Step {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

interface Pair {
  readonly node: string;
  readonly current: Pod | null;
  readonly old: Pod | null;
  readonly isCrowded: boolean;
}

export const isRolling = ({ spec }: DaemonSet): boolean => spec?.updateStrategy?.type !== 'OnDelete';

/** Pure. */
export function rollout(observed: Observed): Step {
  const { set, nodes } = observed;
  const wanted = nodes.filter((node) => fitOf(set, node).runs).length;
  const surge = maxSurgeOf(set, wanted);
  const unavailable = scaled(set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable, wanted, 'up');
  const pairs = pairsOf(observed);
  // Both 0 would mean that nothing may ever move.
  return surge > 0
    ? surging(observed, pairs, surge, wanted)
    : replacing(observed, pairs, wanted > 0 && unavailable === 0 ? 1 : unavailable);
}

function pairsOf(observed: Observed): readonly Pair[] {
  const empty = placesOf(observed)
    .filter(({ fit, pods }) => fit.runs && pods.length === 0)
    .map(({ node }) => [node, []] as const);
  return [...podsByNode(observed.pods), ...empty].map(([node, pods]) => {
    const staying = pods.filter((pod) => !isTerminating(pod));
    const current = staying.filter((pod) => isUpdated(observed.set, pod, observed.hash));
    const old = staying.filter((pod) => !current.includes(pod));
    return { node, current: current[0] ?? null, old: old[0] ?? null, isCrowded: current.length > 1 || old.length > 1 };
  });
}

const availability =
  ({ set, now }: Observed) =>
  (pod: Pod): boolean =>
    isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);

/** Deletes unavailable old pods at once, and others up to the permitted number of unavailable pods. */
function replacing(observed: Observed, pairs: readonly Pair[], maxUnavailable: number): Step {
  const available = availability(observed);
  const lone = pairs.filter(({ isCrowded, current, old }) => !isCrowded && !current && old).flatMap(({ old }) => old ?? []);
  const broken = lone.filter((pod) => !available(pod));
  const missing = pairs.filter(
    ({ isCrowded, current, old }) => isCrowded || (current && !old ? !available(current) : Boolean(current) === Boolean(old)),
  ).length;
  const room = Math.max(0, maxUnavailable - missing - broken.length);
  return { create: [], remove: [...broken, ...lone.filter(available).slice(0, room)] };
}

/** Creates new pods next to old ones up to the permitted surge, and deletes an old pod once the new is available. */
function surging(observed: Observed, pairs: readonly Pair[], maxSurge: number, wanted: number): Step {
  const available = availability(observed);
  const tidy = pairs.filter(({ isCrowded }) => !isCrowded);
  const done = tidy.filter(({ current, old }) => current && old && available(current));
  const waiting = tidy.filter(({ current, old }) => current && old && !available(current));
  const lone = tidy.filter(({ current, old }) => !current && old);
  const broken = lone.filter(({ old }) => old && !available(old));
  const sound = lone.filter(({ old }) => old && available(old));
  const runs = new Set(
    placesOf(observed)
      .filter(({ fit }) => fit.runs)
      .map(({ node }) => node),
  );
  const availableCount = tidy.filter(({ current, old }) => {
    const shown = old ?? current;
    return shown && available(shown);
  }).length;
  // An old pod on a node that should run none stays until enough others are available.
  const spare = sound.filter(({ node }) => !runs.has(node)).slice(0, Math.max(0, availableCount - wanted));
  const room = Math.max(0, maxSurge - waiting.length - (pairs.length - tidy.length));
  const create = [...broken, ...sound.filter(({ node }) => runs.has(node)).slice(0, room)].map(({ node }) => node);
  return { create, remove: [...done, ...spare].flatMap(({ old }) => old ?? []) };
}
