import { type Condition, isTerminating, uidOf } from '../../api/meta/object.js';
import { timeOf, timeText } from '../../api/time.js';
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/types/core/v1.js';
import type { Behaviour } from './behaviour.js';

/**
 * Decides the next step of a pod's node: a state machine over the pod's status, so that a restarted program continues where the last one stopped.
 *
 *     Pending, images pulled --> Running, not ready <--> Running, ready --> Succeeded or Failed
 *                                        ^                  |
 *                                        '--- back-off <----'
 *     (deleted) any of these --> last phase --> removed
 *
 * Pure.
 */
export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly ms: number }
  /** Writes the status; `remove` deletes the pod afterwards. */
  | { readonly do: 'report'; readonly status: object; readonly remove: boolean }
  | { readonly do: 'remove' };

export interface Place {
  readonly hostIP: string;
  readonly podIP: string;
}

type State =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
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
const killedExitCode = 137;
/** The longest pause between restarts, as a multiple of the first one. */
const backOffRatioMax = 30;

export function nextStep(pod: Pod, behaviour: Behaviour, place: Place, now: number): Step {
  const { phase = 'Pending' } = pod.status ?? {};
  const finished = phase === 'Succeeded' || phase === 'Failed';
  if (isTerminating(pod)) return finished || phase === 'Pending' ? { do: 'remove' } : stop(pod, behaviour, place, now);
  if (finished) return { do: 'nothing' };
  const final = finalOf(pod, behaviour);
  if (now >= final.at)
    return report({ ...ended(pod, place, now, { exitCode: stoppedExitCode, phase: 'Failed', ...final.end }), ...final.status });
  return within(final.at - now, phase === 'Running' ? goOn(pod, behaviour, place, now) : start(pod, behaviour, place, now));
}

/** Returns a step no later than the final end; none without a start. */
function within(ms: number, step: Step): Step {
  if (!Number.isFinite(ms) || step.do === 'report' || step.do === 'remove') return step;
  return { do: 'wait', ms: step.do === 'wait' ? Math.min(step.ms, ms) : ms };
}

function start(pod: Pod, behaviour: Behaviour, place: Place, now: number): Step {
  const missing = (pod.spec?.containers ?? []).filter(({ image = '' }) => behaviour.missingImages.some((pattern) => fits(image, pattern)));
  if (behaviour.startMs > 0 || missing.length > 0) {
    const begun = timeOf(pod.status?.startTime);
    if (Number.isNaN(begun)) return report(pending(pod, place, now, {}));
    const pulled = begun + behaviour.startMs;
    if (now < pulled) return { do: 'wait', ms: pulled - now };
    if (missing.length > 0) return pull(pod, missing, place, { now, pulled });
  }
  return report(running(pod, place, now, { ready: behaviour.readyAfterMs === 0, restartCount: 0 }));
}

function pull(
  pod: Pod,
  missing: readonly Container[],
  place: Place,
  { now, pulled }: { readonly now: number; readonly pulled: number },
): Step {
  const { reason, untilMs } = pullAt(now - pulled);
  const seen = pod.status?.containerStatuses?.find(({ name }) => name === missing[0]?.name)?.state?.waiting?.reason;
  if (seen === reason) return { do: 'wait', ms: pulled + untilMs - now };
  return report(pending(pod, place, now, Object.fromEntries(missing.map(({ name, image = '' }) => [name, notPulled(reason, image)]))));
}

/** `*` stands for anything. */
const fits = (image: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  ).test(image);

const pullSeenMs = 1_000;
const pullBackOffMs = 10_000;
const pullBackOffMaxMs = 300_000;

/** Images are pulled at 0, 10, 30, 70 s and so on, with pauses of 5 minutes at most. The error shows for a second, then the back-off. */
function pullAt(sinceMs: number): { readonly reason: 'ErrImagePull' | 'ImagePullBackOff'; readonly untilMs: number } {
  let [at, pause] = [0, pullBackOffMs];
  while (at + pause <= sinceMs) {
    at += pause;
    pause = Math.min(2 * pause, pullBackOffMaxMs);
  }
  return sinceMs < at + pullSeenMs
    ? { reason: 'ErrImagePull', untilMs: at + pullSeenMs }
    : { reason: 'ImagePullBackOff', untilMs: at + pause };
}

function notPulled(reason: 'ErrImagePull' | 'ImagePullBackOff', image: string): { readonly reason: string; readonly message: string } {
  const error = `failed to pull image ${JSON.stringify(image)}: not found`;
  return { reason, message: reason === 'ErrImagePull' ? error : `Back-off pulling image ${JSON.stringify(image)}: ErrImagePull: ${error}` };
}

/** Returns the end of the last run of a pod in back-off; null for any other pod. */
const heldBack = (pod: Pod): NonNullable<NonNullable<ContainerStatus['lastState']>['terminated']> | null => {
  const [status] = pod.status?.containerStatuses ?? [];
  return status?.state?.waiting === undefined ? null : (status.lastState?.terminated ?? null);
};

function startAgain(
  pod: Pod,
  behaviour: Behaviour,
  place: Place,
  { now, finishedAt }: { readonly now: number; readonly finishedAt: number },
): Step {
  const due = finishedAt + pauseBefore(restarts(pod), behaviour);
  if (now < due) return { do: 'wait', ms: due - now };
  return report(running(pod, place, now, { ready: behaviour.readyAfterMs === 0, restartCount: restarts(pod) + 1 }));
}

/** The first restart is immediate, as in the kubelet. */
const pauseBefore = (restartCount: number, { backOffMs }: Behaviour): number =>
  backOffMs === null || restartCount === 0 ? 0 : backOffMs * Math.min(2 ** (restartCount - 1), backOffRatioMax);

function goOn(pod: Pod, behaviour: Behaviour, place: Place, now: number): Step {
  const held = heldBack(pod);
  if (held !== null) return startAgain(pod, behaviour, place, { now, finishedAt: timeOf(held.finishedAt) });
  const started = startedAt(pod);
  const end = nextEnd(started, behaviour);
  if (now >= end.at) return exit(pod, behaviour, place, { ...end, now });
  const ready = conditionStatus(pod, 'Ready') === 'True';
  if (isUnseen(pod)) return report(changed(pod, place, ready, now));
  const readyFrom = started + behaviour.readyAfterMs;
  const readyUntil = behaviour.readinessFailsAfterMs === null ? Infinity : started + behaviour.readinessFailsAfterMs;
  const wanted = now >= readyFrom && now < readyUntil;
  if (ready !== wanted) return report(running(pod, place, now, { ready: wanted, restartCount: restarts(pod), since: timeText(started) }));
  const next = Math.min(end.at, ...[readyFrom, readyUntil].filter((at) => at > now));
  return next === Infinity ? { do: 'nothing' } : { do: 'wait', ms: next - now };
}

interface Final {
  readonly at: number;
  readonly status: { readonly reason?: string; readonly message?: string };
  readonly end?: Partial<End>;
}

/** The first event that ends a pod for good, whatever its restart policy. */
function finalOf(pod: Pod, { evictAfterMs }: Behaviour): Final {
  const begun = timeOf(pod.status?.startTime);
  const { activeDeadlineSeconds } = pod.spec ?? {};
  const deadline = activeDeadlineSeconds === undefined ? Infinity : begun + activeDeadlineSeconds * 1_000;
  const evicted = evictAfterMs === null ? Infinity : begun + evictAfterMs;
  if (evicted < deadline) {
    const message = 'The node was low on resource: memory.';
    return { at: evicted, status: { reason: 'Evicted', message }, end: { exitCode: killedExitCode, disrupted: message } };
  }
  return { at: deadline, status: { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' } };
}

interface RunEnd {
  readonly at: number;
  readonly exitCode: number;
  readonly reason?: string;
}

/** The first event that ends the containers: a normal end, a kill for memory, or a failed liveness probe. */
function nextEnd(started: number, { runMs, exitCode, oomAfterMs, livenessFailsAfterMs }: Behaviour): RunEnd {
  const after = (ms: number | null): number => (ms === null ? Infinity : started + ms);
  const ends: readonly RunEnd[] = [
    { at: after(runMs), exitCode },
    { at: after(oomAfterMs), exitCode: killedExitCode, reason: 'OOMKilled' },
    { at: after(livenessFailsAfterMs), exitCode: killedExitCode },
  ];
  return ends.reduce((first, other) => (other.at < first.at ? other : first));
}

/** Returns whether the specification has changed since the last report: a resize, or an added ephemeral container. */
const isUnseen = ({ metadata, status }: Pod): boolean => (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);

/** Applies resized resources, and restarts containers that cannot be resized in place. */
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

function exit(pod: Pod, behaviour: Behaviour, place: Place, { now, exitCode, reason }: RunEnd & { readonly now: number }): Step {
  const { restartPolicy = 'Always' } = pod.spec ?? {};
  if (restartPolicy === 'Never' || (restartPolicy === 'OnFailure' && exitCode === 0))
    return report(ended(pod, place, now, { exitCode, ...(reason === undefined ? {} : { reason }) }));
  const last = endOf(pod, now, { exitCode, reason });
  const pause = pauseBefore(restarts(pod), behaviour);
  if (pause === 0) return report(running(pod, place, now, { ready: behaviour.readyAfterMs === 0, restartCount: restarts(pod) + 1, last }));
  const message = `back-off ${pause / 1_000}s restarting failed container`;
  return report(
    running(pod, place, now, { ready: false, restartCount: restarts(pod), last, waiting: { reason: 'CrashLoopBackOff', message } }),
  );
}

/** A stopped program ends in time, or is killed after its grace period. */
function stop(pod: Pod, { stopMs }: Behaviour, place: Place, now: number): Step {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const deletedAt = timeOf(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
  const end = deletedAt + Math.min(stopMs, deletionGracePeriodSeconds * 1_000);
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
  /** Returns the end of each container's previous run; default: as reported before. */
  readonly last?: (container: Container) => State;
  readonly waiting?: { readonly reason: string; readonly message: string };
}

/** The containers wait for the given reason, or for their creation. */
function pending(
  pod: Pod,
  place: Place,
  now: number,
  waiting: Readonly<Record<string, { readonly reason: string; readonly message?: string }>>,
): PodStatus {
  return {
    ...standing(pod, place, now),
    phase: 'Pending',
    containerStatuses: (pod.spec?.containers ?? []).map((container) =>
      containerStatus(pod, container, {
        ready: false,
        restartCount: 0,
        state: { waiting: waiting[container.name] ?? { reason: 'ContainerCreating' } },
      }),
    ),
    conditions: conditions(pod, now, {
      PodReadyToStartContainers: ['True'],
      Initialized: ['True'],
      Ready: ['False', 'ContainersNotReady'],
      ContainersReady: ['False', 'ContainersNotReady'],
    }),
  };
}

function running(pod: Pod, place: Place, now: number, { ready, restartCount, since = timeText(now), last, waiting }: Run): PodStatus {
  const state: State = waiting === undefined ? { running: { startedAt: since } } : { waiting };
  return {
    ...standing(pod, place, now),
    phase: 'Running',
    containerStatuses: (pod.spec?.containers ?? []).map((container) =>
      containerStatus(pod, container, { ready, restartCount, state, last: last?.(container) }),
    ),
    ...(pod.spec?.ephemeralContainers
      ? { ephemeralContainerStatuses: pod.spec.ephemeralContainers.map((container) => ephemeralStatus(pod, container, now)) }
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
  /** The reason of its containers; default: by exit code. */
  readonly reason?: string | undefined;
  readonly disrupted?: string;
}

function ended(pod: Pod, place: Place, now: number, end: End): PodStatus {
  const { exitCode, phase = exitCode === 0 ? 'Succeeded' : 'Failed', disrupted } = end;
  const reason = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const stateOf = endOf(pod, now, end);
  return {
    ...standing(pod, place, now),
    phase,
    containerStatuses: (pod.spec?.containers ?? []).map((container) =>
      containerStatus(pod, container, { ready: false, restartCount: restarts(pod), state: stateOf(container) }),
    ),
    conditions: [
      ...conditions(pod, now, {
        PodReadyToStartContainers: ['False'],
        Initialized: ['True', ...(phase === 'Succeeded' ? ['PodCompleted'] : [])],
        Ready: ['False', reason],
        ContainersReady: ['False', reason],
      }),
      ...(disrupted === undefined
        ? []
        : conditions(pod, now, { DisruptionTarget: ['True', 'TerminationByKubelet'] }).map((each) => ({ ...each, message: disrupted }))),
    ],
  };
}

function endOf(pod: Pod, now: number, { exitCode, reason = exitCode === 0 ? 'Completed' : 'Error' }: End): (container: Container) => State {
  const started = startedAt(pod);
  const times = { startedAt: timeText(Number.isNaN(started) ? now : started), finishedAt: timeText(now) };
  return ({ name }) => ({ terminated: { exitCode, reason, ...times, containerID: idOf(pod, name) } });
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
  container: Container,
  {
    ready,
    restartCount,
    state,
    last,
  }: { readonly ready: boolean; readonly restartCount: number; readonly state: State; readonly last?: State | undefined },
): ContainerStatus {
  const { name, image = '', resources = {} } = container;
  const lastState = last ?? statusOf(pod, container)?.lastState;
  const about = {
    image,
    ready,
    started: 'running' in state,
    ...('waiting' in state && last === undefined ? notMade : madeOf(pod, container)),
  };
  const allocated = resources.requests === undefined ? {} : { allocatedResources: resources.requests };
  const given = 'running' in state ? { resources: { ...resources }, ...allocated } : {};
  return { name, restartCount, state, ...(lastState === undefined ? {} : { lastState }), ...about, ...given };
}

type Made = Pick<ContainerStatus, 'imageID' | 'containerID'>;

/** A container that was never made has neither. */
const notMade: Made = { imageID: '' };
const madeOf = (pod: Pod, { name, image = '' }: Container): Made => ({ imageID: `fake://${image}`, containerID: idOf(pod, name) });

/** An ephemeral container runs until the pod ends. */
function ephemeralStatus(pod: Pod, container: Container, now: number): ContainerStatus {
  const before = pod.status?.ephemeralContainerStatuses?.find(({ name }) => name === container.name);
  const state: State = { running: { startedAt: before?.state?.running?.startedAt ?? timeText(now) } };
  return { ...containerStatus(pod, container, { ready: false, restartCount: 0, state }), started: false };
}

/** Sidecars go on; the other init containers are done. */
function initStatus(pod: Pod, container: Container, now: number): ContainerStatus {
  const startedAt = pod.status?.startTime ?? timeText(now);
  const isSidecar = container.restartPolicy === 'Always';
  const state: State = isSidecar
    ? { running: { startedAt } }
    : { terminated: { exitCode: 0, reason: 'Completed', startedAt, finishedAt: startedAt, containerID: idOf(pod, container.name) } };
  return containerStatus(pod, container, { ready: true, restartCount: 0, state });
}

/** A condition's time is the last change of its status. `Ready` has no reason while it is true. */
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
