import type { Pod } from '../../../../api/types/core/v1.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../../api/json/members.js';
import type { Draft } from '../../kind.js';
import { age, at, condition, none, type Cells } from '../../cells.js';

const statuses = (pod: ApiObject, member: string): JsonObject[] => itemsOf(memberAt(pod, 'status', member)).map(membersOf);
const containers = (pod: ApiObject, member: string): JsonObject[] => itemsOf(memberAt(pod, 'spec', member)).map(membersOf);

/** Sidecars count like ordinary containers. */
const sidecars = (pod: ApiObject): ReadonlySet<string> =>
  new Set(
    containers(pod, 'initContainers')
      .filter((each) => each['restartPolicy'] === 'Always')
      .map((each) => textAt(each, 'name')),
  );

function ready(pod: ApiObject): string {
  const beside = sidecars(pod);
  const total = containers(pod, 'containers').length + beside.size;
  const running = [
    ...statuses(pod, 'containerStatuses'),
    ...statuses(pod, 'initContainerStatuses').filter((each) => beside.has(textAt(each, 'name'))),
  ];
  return `${running.filter((each) => each['ready'] === true).length}/${total}`;
}

/** The reason of the most important container, or the phase. */
function status(pod: ApiObject): string {
  const initial = initializing(pod);
  const reason = initial ?? mainReason(pod);
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  return textAt(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
}

function initializing(pod: ApiObject): string | null {
  const all = statuses(pod, 'initContainerStatuses');
  const beside = sidecars(pod);
  const position = all.findIndex(
    (each) => textAt(each, 'state', 'terminated', 'exitCode') !== '0' && !(beside.has(textAt(each, 'name')) && each['started'] === true),
  );
  const current = all[position];
  if (current === undefined) return null;
  const terminated = memberAt(current, 'state', 'terminated');
  if (terminated !== undefined) return `Init:${endReason(terminated)}`;
  const waiting = textAt(current, 'state', 'waiting', 'reason');
  if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${position}/${containers(pod, 'initContainers').length}`;
}

const endReason = (terminated: unknown): string => {
  const state = membersOf(terminated as JsonObject);
  if (textAt(state, 'reason') !== '') return textAt(state, 'reason');
  return Number(textAt(state, 'signal') || 0) === 0 ? `ExitCode:${textAt(state, 'exitCode') || '0'}` : `Signal:${textAt(state, 'signal')}`;
};

function mainReason(pod: ApiObject): string {
  const phase = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  const all = statuses(pod, 'containerStatuses');
  const first = all
    .map((each) => {
      const waiting = textAt(each, 'state', 'waiting', 'reason');
      const terminated = memberAt(each, 'state', 'terminated');
      return waiting !== '' ? waiting : terminated === undefined ? null : endReason(terminated);
    })
    .find((reason) => reason !== null);
  const running = all.some((each) => each['ready'] === true && memberAt(each, 'state', 'running') !== undefined);
  if (first === 'Completed' && running) return condition(pod, 'Ready')?.['status'] === 'True' ? 'Running' : 'NotReady';
  return first ?? phase;
}

function restarts(pod: ApiObject, now: number): string {
  const all = [
    ...statuses(pod, 'containerStatuses'),
    ...statuses(pod, 'initContainerStatuses').filter((each) => sidecars(pod).has(textAt(each, 'name'))),
  ];
  const count = all.reduce((sum, each) => sum + Number(textAt(each, 'restartCount') || 0), 0);
  const last = all
    .map((each) => textAt(each, 'lastState', 'terminated', 'finishedAt'))
    .filter((time) => time !== '')
    .sort()
    .at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${age(last, now)} ago)`;
}

function readinessGates(pod: ApiObject): string {
  const gates = containers(pod, 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  return gates.length === 0 ? none : `${gates.filter((type) => condition(pod, type)?.['status'] === 'True').length}/${gates.length}`;
}

export const podCells: Cells<Draft<Pod>> = {
  Ready: ready,
  Status: status,
  Restarts: restarts,
  IP: (pod) => textAt(pod, 'status', 'podIP') || textAt(itemsOf(memberAt(pod, 'status', 'podIPs'))[0], 'ip') || none,
  Node: at('spec.nodeName'),
  'Nominated Node': at('status.nominatedNodeName'),
  'Readiness Gates': readinessGates,
};
