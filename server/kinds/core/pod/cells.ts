import type * as v1 from '../../../../api/types/core/v1.js';
import { isSet, itemsOf } from '../../../../api/json/members.js';
import type { Draft, Writable } from '../../kind.js';
import { age, at, condition, none, type Cells } from '../../cells.js';

type Pod = Draft<v1.Pod>;
type Status = Writable<v1.ContainerStatus>;
type End = Writable<v1.ContainerStateTerminated>;

const statuses = ({ status }: Pod): readonly Status[] => itemsOf(status?.containerStatuses);
const initStatuses = ({ status }: Pod): readonly Status[] => itemsOf(status?.initContainerStatuses);

/** Sidecars count like ordinary containers. */
const sidecars = ({ spec }: Pod): ReadonlySet<string> =>
  new Set(
    itemsOf(spec?.initContainers)
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name = '' }) => name),
  );

/** Statuses of containers that run as long as the pod. */
function lasting(pod: Pod, beside: ReadonlySet<string>): readonly Status[] {
  return [...statuses(pod), ...initStatuses(pod).filter(({ name = '' }) => beside.has(name))];
}

function ready(pod: Pod): string {
  const beside = sidecars(pod);
  const running = lasting(pod, beside).filter((each) => each.ready === true);
  return `${running.length}/${itemsOf(pod.spec?.containers).length + beside.size}`;
}

/** The reason of the most important container, or the phase. */
function status(pod: Pod): string {
  const initial = initializing(pod);
  const reason = initial ?? mainReason(pod);
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  return pod.status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
}

function initializing(pod: Pod): string | null {
  const all = initStatuses(pod);
  const beside = sidecars(pod);
  const position = all.findIndex(
    ({ name = '', started, state }) => state?.terminated?.exitCode !== 0 && !(beside.has(name) && started === true),
  );
  const current = all[position];
  if (current === undefined) return null;
  const { terminated, waiting } = current.state ?? {};
  if (isSet(terminated)) return `Init:${endReason(terminated)}`;
  const reason = waiting?.reason ?? '';
  if (reason !== '' && reason !== 'PodInitializing') return `Init:${reason}`;
  return `Init:${position}/${itemsOf(pod.spec?.initContainers).length}`;
}

const endReason = ({ reason, signal, exitCode }: End): string =>
  reason || ((signal ?? 0) === 0 ? `ExitCode:${exitCode ?? 0}` : `Signal:${signal}`);

function mainReason(pod: Pod): string {
  const all = statuses(pod);
  const first = all
    .map(({ state }) => state?.waiting?.reason || (isSet(state?.terminated) ? endReason(state.terminated) : null))
    .find((reason) => reason !== null);
  const running = all.some(({ ready, state }) => ready === true && isSet(state?.running));
  if (first === 'Completed' && running) return condition(pod, 'Ready')?.['status'] === 'True' ? 'Running' : 'NotReady';
  return first ?? (pod.status?.reason || (pod.status?.phase ?? ''));
}

function restarts(pod: Pod, now: number): string {
  const all = lasting(pod, sidecars(pod));
  const count = all.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  const last = all
    .map(({ lastState }) => lastState?.terminated?.finishedAt ?? '')
    .filter((time) => time !== '')
    .sort()
    .at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${age(last, now)} ago)`;
}

function readinessGates(pod: Pod): string {
  const gates = itemsOf(pod.spec?.readinessGates);
  const met = gates.filter(({ conditionType = '' }) => condition(pod, conditionType)?.['status'] === 'True');
  return gates.length === 0 ? none : `${met.length}/${gates.length}`;
}

export const podCells: Cells<Pod> = {
  Ready: ready,
  Status: status,
  Restarts: restarts,
  IP: (pod) => pod.status?.podIP || itemsOf(pod.status?.podIPs)[0]?.ip || none,
  Node: at('spec.nodeName'),
  'Nominated Node': at('status.nominatedNodeName'),
  'Readiness Gates': readinessGates,
};
