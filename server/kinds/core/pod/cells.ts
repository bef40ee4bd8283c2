import type * as v1 from '../../../../api/types/core/v1.js';
import { age, at, condition, isSet, itemsOf, none, type Cells, type Draft, type JsonObject, type Writable } from '../../language.js';

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

interface Initializing {
  readonly reason: string | null;
  /** The statuses up to the first container that is not done. */
  readonly seen: readonly Status[];
}

function initializing(pod: Pod): Initializing {
  const all = initStatuses(pod);
  const restartable = sidecars(pod);
  const position = all.findIndex(
    ({ name = '', started, state }) => state?.terminated?.exitCode !== 0 && !(restartable.has(name) && started === true),
  );
  const current = all[position];
  if (current === undefined) return { reason: null, seen: all };
  const seen = all.slice(0, position + 1);
  const { terminated, waiting } = current.state ?? {};
  if (isSet(terminated)) return { reason: `Init:${endReason(terminated)}`, seen };
  const reason = waiting?.reason ?? '';
  if (reason !== '' && reason !== 'PodInitializing') return { reason: `Init:${reason}`, seen };
  return { reason: `Init:${position}/${itemsOf(pod.spec?.initContainers).length}`, seen };
}

const isInitialized = (pod: Pod): boolean => condition(pod, 'Initialized')?.['status'] === 'True';

/** The statuses that count: until all initial containers are done, theirs alone (printPod in printers.go). */
function counted(pod: Pod): { readonly first: readonly Status[]; readonly main: readonly Status[] } {
  const { reason, seen } = initializing(pod);
  const restartable = sidecars(pod);
  return reason !== null && !isInitialized(pod)
    ? { first: seen, main: [] }
    : { first: seen.filter(({ name = '' }) => restartable.has(name)), main: statuses(pod) };
}

function ready(pod: Pod): string {
  const restartable = sidecars(pod);
  const { first, main } = counted(pod);
  const readySidecars = first.filter(
    ({ name = '', started, ready: isReady, state }) =>
      restartable.has(name) && started === true && isReady === true && state?.terminated?.exitCode !== 0,
  );
  return `${readySidecars.length + main.filter(isRunning).length}/${itemsOf(pod.spec?.containers).length + restartable.size}`;
}

const endTexts: Readonly<Record<string, string>> = { Succeeded: 'The pod has completed successfully.', Failed: 'The pod failed.' };
const ended: ReadonlySet<string> = new Set(Object.keys(endTexts));

/** The reason of the most important container, or the phase. */
function status(pod: Pod): string {
  const { phase = '', reason: own = '' } = pod.status ?? {};
  const { reason } = initializing(pod);
  const before = reason ?? (isGated(pod) ? gated : own || phase);
  const shown = reason !== null && !isInitialized(pod) ? before : mainReason(pod, before);
  if (pod.metadata.deletionTimestamp === undefined) return shown;
  if (own === 'NodeLost') return 'Unknown';
  return ended.has(phase) ? shown : 'Terminating';
}

const gated = 'SchedulingGated';
const isGated = ({ status: stated }: Pod): boolean =>
  itemsOf(stated?.conditions).some(({ type, reason }) => type === 'PodScheduled' && reason === gated);

const endReason = ({ reason, signal, exitCode }: End): string =>
  reason || ((signal ?? 0) === 0 ? `ExitCode:${exitCode ?? 0}` : `Signal:${signal}`);

/** Null for a container that neither waits nor has ended. */
const haltReason = ({ state }: Status): string | null =>
  state?.waiting?.reason || (isSet(state?.terminated) ? endReason(state.terminated) : null);
const isRunning = (each: Status): boolean => haltReason(each) === null && each.ready === true && isSet(each.state?.running);
const hasFailed = ({ state }: Status): boolean => (state?.waiting?.reason ?? '') === '' && (state?.terminated?.exitCode ?? 0) !== 0;

/** The first container that waits or has ended decides. */
function mainReason(pod: Pod, before: string): string {
  const all = statuses(pod);
  const reason = all.map(haltReason).find((each) => each !== null) ?? before;
  if (reason !== 'Completed') return reason;
  const running = all.some(isRunning);
  if (running && condition(pod, 'Ready')?.['status'] === 'True') return 'Running';
  const failed = all.find(hasFailed);
  return (failed === undefined ? null : haltReason(failed)) ?? (running ? 'NotReady' : reason);
}

export function podRowConditions({ status: stated }: Pod): JsonObject[] {
  const reason = stated?.phase ?? '';
  return ended.has(reason) ? [{ type: 'Completed', status: 'True', reason, message: endTexts[reason] ?? '' }] : [];
}

function restarts(pod: Pod, now: number): string {
  const { first, main } = counted(pod);
  const all = [...first, ...main];
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
