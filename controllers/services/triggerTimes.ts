import { createdAt, keyTextOf, nameOf } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import type { Pod, Service } from '../../api/types/core/v1.js';
import { readySince } from '../workloads/podState.js';

/** Records the time of the causing change in endpoints, to measure the delay until they are programmed. */
export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Known times, in milliseconds. */
export interface SeenTimes {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/** Returns the earliest new time: a pod's change of readiness, or the creation of a Service that is seen first. Pure. */
export function nextTrigger(
  seen: SeenTimes | undefined,
  service: Service,
  pods: readonly Pod[],
): { readonly at: number | null; readonly seen: SeenTimes } {
  const created = createdAt(service);
  const times = new Map(pods.map((pod) => [nameOf(pod), readySince(pod)] as const).filter(([, time]) => !Number.isNaN(time)));
  const next = { service: created, pods: times };
  if (!seen) return { at: Number.isNaN(created) ? null : created, seen: next };
  const fresh = [...times].filter(([name, time]) => time > (seen.pods.get(name) ?? -Infinity)).map(([, time]) => time);
  if (created > seen.service) fresh.push(created);
  return { at: fresh.length > 0 ? Math.min(...fresh) : null, seen: next };
}

/** Remembers the times of every existing Service. */
export class TriggerTimes {
  readonly #seen = new Map<string, SeenTimes>();

  /** Returns the time to write, if there is one. */
  next(service: Service, pods: readonly Pod[]): string | null {
    const key = keyTextOf(service);
    const { at, seen } = nextTrigger(this.#seen.get(key), service, pods);
    this.#seen.set(key, seen);
    return at === null ? null : timeText(at);
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** Returns annotations with a change's time, or without a former one. Pure. */
export function withTrigger(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | null,
): Readonly<Record<string, string>> {
  const { [triggerAnnotation]: _, ...others } = annotations ?? {};
  return time === null ? others : { ...others, [triggerAnnotation]: time };
}
