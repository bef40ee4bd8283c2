import { type Condition, isTerminating, uidOf } from '../../api/meta/object.js';
import { timeOf, timeText } from '../../api/time.js';
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/types/core/v1.js';
import type { Behaviour } from './behaviour.js';

/**
 * Decides the next step of a pod's node: a state machine over the pod's status, so that a restarted program continues where the last one stopped.
 *
 *     Pending --> Running, not ready --> Running, ready --> Succeeded or Failed
 *                    (deleted)  \______________\______________> last phase --> removed
 *
 * Pure.
 */
export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly ms: number }
  /** Writes the status; `remove` says that the pod is deleted afterwards. */
  | { readonly do: 'report'; readonly status: object; readonly remove: boolean }
  | { readonly do: 'remove' };

export interface Place {
  readonly hostIP: string;
  readonly podIP: string;
}

type State =
  | { readonly running: { readonly startedAt: string } }
  | {
      readonly terminated: {
        readonly exitCode: number;
        readonly reason: string;
        readonly startedAt: string;
        readonly finishedAt: string;
        readonly containerID: string;
      };
    };

const stoppedExitCode = 143;

export function nextStep(pod: Pod, behaviour: Behaviour, place: Place, now: number): Step {
  const { phase = 'Pending' } = pod.status ?? {};
  const finished = phase === 'Succeeded' || phase === 'Failed';
  if (isTerminating(pod)) return finished || phase === 'Pending' ? { do: 'remove' } : stop(pod, behaviour, place, now);
  if (finished) return { do: 'nothing' };
  if (phase !== 'Running') return report(running(pod, place, now, { ready: behaviour.readyAfterMs === 0, restartCount: 0 }));
  return goOn(pod, behaviour, place, now);
}

function goOn(pod: Pod, { readyAfterMs, runMs, exitCode }: Behaviour, place: Place, now: number): Step {
  const started = startedAt(pod);
  const { activeDeadlineSeconds } = pod.spec ?? {};
  const deadline = activeDeadlineSeconds === undefined ? Infinity : timeOf(pod.status?.startTime) + activeDeadlineSeconds * 1_000;
  if (now >= deadline)
    return report({
      ...ended(pod, place, now, { exitCode: stoppedExitCode, phase: 'Failed' }),
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  const end = runMs === null ? Infinity : started + runMs;
  if (now >= end) return exit(pod, place, exitCode, now);
  const ready = conditionStatus(pod, 'Ready') === 'True';
  if (isUnseen(pod)) return report(changed(pod, place, ready, now));
  if (!ready && now >= started + readyAfterMs)
    return report(running(pod, place, now, { ready: true, restartCount: restarts(pod), since: timeText(started) }));
  const next = Math.min(end, deadline, ready ? Infinity : started + readyAfterMs);
  return next === Infinity ? { do: 'nothing' } : { do: 'wait', ms: next - now };
}

/** Returns whether the specification has changed since the last report: container resources were resized, or an ephemeral container was added. */
const isUnseen = ({ metadata, status }: Pod): boolean => (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);

/** Applies resized resources to containers, and restarts those that cannot be resized while they run. */
function changed(pod: Pod, place: Place, ready: boolean, now: number): PodStatus {
  const starts = (pod.spec?.containers ?? []).some((container) => startsAgain(container, statusOf(pod, container)));
  return starts
    ? running(pod, place, now, { ready, restartCount: restarts(pod) + 1 })
    : running(pod, place, now, { ready, restartCount: restarts(pod), since: timeText(startedAt(pod)) });
}

function startsAgain({ resources = {}, resizePolicy = [] }: Container, status: ContainerStatus | undefined): boolean {
  const before = status?.resources ?? {};
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      (['requests', 'limits'] as const).some((list) => resources[list]?.[resourceName] !== before[list]?.[resourceName]),
  );
}

function exit(pod: Pod, place: Place, exitCode: number, now: number): Step {
  const { restartPolicy = 'Always' } = pod.spec ?? {};
  if (restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0))
    return report(running(pod, place, now, { ready: true, restartCount: restarts(pod) + 1 }));
  return report(ended(pod, place, now, { exitCode }));
}

/** A stopped program ends in time, or is killed when its grace period is over. */
function stop(pod: Pod, { stopMs }: Behaviour, place: Place, now: number): Step {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const told = timeOf(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
  const end = told + Math.min(stopMs, deletionGracePeriodSeconds * 1_000);
  if (now < end) return { do: 'wait', ms: end - now };
  const exitCode = (pod.spec?.restartPolicy ?? 'Always') === 'Always' ? 0 : stoppedExitCode;
  return { do: 'report', status: ended(pod, place, now, { exitCode }), remove: true };
}

const report = (status: object): Step => ({ do: 'report', status, remove: false });
const startedAt = (pod: Pod): number =>
  timeOf(
    (pod.status?.containerStatuses?.[0]?.state as { readonly running?: { readonly startedAt?: string } } | undefined)?.running?.startedAt,
  );
const restarts = (pod: Pod): number => pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
const statusOf = (pod: Pod, { name }: Container): ContainerStatus | undefined =>
  pod.status?.containerStatuses?.find((status) => status.name === name);
const conditionStatus = (pod: Pod, type: string): string | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)?.status;

interface Run {
  readonly ready: boolean;
  readonly restartCount: number;
  /** Default: now. */
  readonly since?: string;
}

function running(pod: Pod, place: Place, now: number, { ready, restartCount, since = timeText(now) }: Run): PodStatus {
  const state: State = { running: { startedAt: since } };
  return {
    ...standing(pod, place, now),
    phase: 'Running',
    containerStatuses: (pod.spec?.containers ?? []).map((container) => containerStatus(pod, container, { ready, restartCount, state })),
    ...(pod.spec?.ephemeralContainers
      ? { ephemeralContainerStatuses: pod.spec.ephemeralContainers.map((container) => besideStatus(pod, container, now)) }
      : {}),
    conditions: conditions(pod, now, {
      PodReadyToStartContainers: ['True'],
      Initialized: ['True'],
      Ready: ready ? ['True'] : ['False', 'ContainersNotReady'],
      ContainersReady: ready ? ['True'] : ['False', 'ContainersNotReady'],
    }),
  };
}

interface End {
  readonly exitCode: number;
  readonly phase?: 'Succeeded' | 'Failed';
}

function ended(pod: Pod, place: Place, now: number, { exitCode, phase = exitCode === 0 ? 'Succeeded' : 'Failed' }: End): PodStatus {
  const reason = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const started = startedAt(pod);
  const times = { startedAt: timeText(Number.isNaN(started) ? now : started), finishedAt: timeText(now) };
  const stateOf = ({ name }: Container): State => ({
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', ...times, containerID: idOf(pod, name) },
  });
  return {
    ...standing(pod, place, now),
    phase,
    containerStatuses: (pod.spec?.containers ?? []).map((container) =>
      containerStatus(pod, container, { ready: false, restartCount: restarts(pod), state: stateOf(container) }),
    ),
    conditions: conditions(pod, now, {
      PodReadyToStartContainers: ['False'],
      Initialized: ['True', ...(phase === 'Succeeded' ? ['PodCompleted'] : [])],
      Ready: ['False', reason],
      ContainersReady: ['False', reason],
    }),
  };
}

function standing(pod: Pod, { hostIP, podIP }: Place, now: number): object {
  const ip = pod.spec?.hostNetwork ? hostIP : podIP;
  const { generation } = pod.metadata;
  return {
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: pod.status?.startTime ?? timeText(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(pod.spec?.initContainers
      ? { initContainerStatuses: pod.spec.initContainers.map((container) => initStatus(pod, container, now)) }
      : {}),
  };
}

const idOf = (pod: Pod, container: string): string => `fake://${uidOf(pod)}/${container}`;

function containerStatus(
  pod: Pod,
  { name, image = '', resources = {} }: Container,
  { ready, restartCount, state }: { readonly ready: boolean; readonly restartCount: number; readonly state: State },
): ContainerStatus {
  const about = { image, imageID: `fake://${image}`, containerID: idOf(pod, name), ready, started: 'running' in state };
  const allocated = resources.requests === undefined ? {} : { allocatedResources: resources.requests };
  const given = 'running' in state ? { resources: { ...resources }, ...allocated } : {};
  return { name, restartCount, state, ...about, ...given };
}

/** The status of an ephemeral container. It runs until the pod ends. */
function besideStatus(pod: Pod, container: Container, now: number): ContainerStatus {
  const before = pod.status?.ephemeralContainerStatuses?.find(({ name }) => name === container.name);
  const state: State = { running: { startedAt: before?.state?.running?.startedAt ?? timeText(now) } };
  return { ...containerStatus(pod, container, { ready: false, restartCount: 0, state }), started: false };
}

/** Sidecars go on; the other init containers are done. */
function initStatus(pod: Pod, container: Container, now: number): ContainerStatus {
  const startedAt = pod.status?.startTime ?? timeText(now);
  const beside = container.restartPolicy === 'Always';
  const state: State = beside
    ? { running: { startedAt } }
    : { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: startedAt, containerID: idOf(pod, container.name) } };
  return containerStatus(pod, container, { ready: true, restartCount: 0, state });
}

/** The time of a condition is when its status changed. `Ready` has no reason while it is true. */
function conditions(pod: Pod, now: number, wanted: Readonly<Record<string, readonly string[]>>): readonly Condition[] {
  return Object.entries(wanted).map(([type, [status = '', reason]]) => {
    const before = pod.status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? timeText(now)) : timeText(now);
    return {
      type,
      status,
      ...(reason ? { reason } : {}),
      lastTransitionTime,
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    };
  });
}
