import type * as v1 from '../../../../api/types/core/v1.js';
import type { EnabledFeatures } from '../../../../program/features/gates.js';
import {
  compareAmounts,
  forbidden,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  Path,
  sameValue,
  specOf,
  statusOf,
  type Draft,
  type FieldError,
  type Found,
  type Review,
  type SubresourceRules,
  type Writable,
} from '../../language.js';
import { annotationsOf, mirrorAnnotation } from './annotations.js';
import { countGeneration, keepAllOf } from './ephemeral.js';
import { qosClass } from '../../../../api/podQos.js';
import { specPath, validatePod } from './validation.js';

type Pod = Draft<v1.Pod>;
type Spec = Writable<v1.PodSpec>;
type Container = Writable<v1.Container>;
type Holder = Pick<Container, 'resources'>;
type Amounts = Readonly<Record<string, string | undefined>>;

const lists = ['containers', 'initContainers'] as const;
const resizable = ['cpu', 'memory'] as const;
const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
const amounts = ({ resources }: Holder, list: 'limits' | 'requests'): Amounts => resources?.[list] ?? {};

const hasOwnAmounts = (pod: Pod): boolean =>
  (['limits', 'requests'] as const).some((list) => Object.keys(amounts(specOf(pod), list)).length > 0);

function refusal(pod: Pod, old: Pod, enabled: EnabledFeatures): string | null {
  if (!enabled('InPlacePodLevelResourcesVerticalScaling') && [old, pod].some(hasOwnAmounts))
    return 'pods with pod-level resources cannot be resized';
  if (Object.hasOwn(annotationsOf(old), mirrorAnnotation)) return 'static pods cannot be resized';
  if (specOf(old).os?.name === 'windows') return 'windows pods cannot be resized';
  return null;
}

function validateResize(pod: Pod, old: Pod): FieldError[] {
  const [spec, before] = [specOf(pod), specOf(old)];
  const status = statusOf(old);
  const findings = [
    ...((status.qosClass || qosClass(old as v1.Pod)) === qosClass(pod as v1.Pod)
      ? []
      : [invalid(specPath, pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')]),
    ...(supportsResize(status) ? [] : [forbidden(specPath, 'Pod running on node without support for resize')]),
  ];
  const misplaced = validateOrder(spec, before);
  return [...findings, ...(misplaced.length > 0 ? misplaced : validateContainers(spec, before))];
}

function validateContainers(spec: Spec, before: Spec): FieldError[] {
  const sidecars = itemsOf(before.initContainers).flatMap((container, position) =>
    isSidecar(container) ? validateAmounts(at(spec, 'initContainers', position), container, pathOf('initContainers', position)) : [],
  );
  return [
    ...sidecars,
    ...validateAmounts(spec, before, specPath),
    ...itemsOf(before.containers).flatMap((container, position) =>
      validateAmounts(at(spec, 'containers', position), container, pathOf('containers', position)),
    ),
    ...validateOtherResources(spec, before),
  ];
}

/** A node with support reports the resources of running containers. */
function supportsResize({ containerStatuses }: Writable<v1.PodStatus>): boolean {
  const running = itemsOf(containerStatuses).find(({ state }) => isSet(state?.running));
  return running === undefined || isSet(running.resources);
}

const at = (spec: Spec, list: (typeof lists)[number], position: number): Container => itemsOf(spec[list])[position] ?? {};
const pathOf = (list: string, position: number): Path => specPath.child(list).index(position);

function validateAmounts(holder: Holder, before: Holder, holderPath: Path): FieldError[] {
  const path = holderPath.child('resources');
  const removed = (which: 'limits' | 'requests'): boolean =>
    Object.keys(amounts(before, which)).some((name) => !Object.hasOwn(amounts(holder, which), name));
  return [
    ...(removed('requests') ? [forbidden(path.child('requests'), 'resource requests cannot be removed')] : []),
    ...(removed('limits') ? [forbidden(path.child('limits'), 'resource limits cannot be removed')] : []),
  ];
}

/** Devices and the like cannot change while a container runs. */
function validateOtherResources(spec: Spec, before: Spec): FieldError[] {
  if (changesOtherAmounts(spec, before)) return [forbidden(specPath, 'only cpu and memory resources are mutable')];
  return lists.flatMap((list) =>
    itemsOf(spec[list]).flatMap((container, position) => {
      const old = itemsOf(before[list])[position] ?? {};
      if (list === 'initContainers' && !isSidecar(container))
        return sameValue(container, old) ? [] : [forbidden(specPath, 'resources for non-sidecar init containers are immutable')];
      if (!changesOthers(container, old)) return [];
      return [
        forbidden(
          specPath,
          list === 'containers'
            ? 'only cpu and memory resources are mutable'
            : 'only cpu and memory resources for sidecar containers are mutable',
        ),
      ];
    }),
  );
}

const changesOthers = (container: Container, old: Container): boolean =>
  !sameValue(itemsOf(container.resizePolicy), itemsOf(old.resizePolicy)) ||
  !sameValue(itemsOf(container.resources?.claims), itemsOf(old.resources?.claims)) ||
  changesOtherAmounts(container, old);

const changesOtherAmounts = (holder: Holder, old: Holder): boolean =>
  (['limits', 'requests'] as const).some((which) => {
    const [now, before] = [amounts(holder, which), amounts(old, which)];
    const names = new Set([...Object.keys(now), ...Object.keys(before)]);
    return [...names].some((name) => !resizable.some((resizable) => resizable === name) && compareAmounts(now[name], before[name]) !== 0);
  });

function validateOrder(spec: Spec, before: Spec): FieldError[] {
  return lists.flatMap((list) => {
    const [sent, old] = [itemsOf(spec[list]), itemsOf(before[list])];
    if (sent.length !== old.length) return [forbidden(specPath.child(list), `${list} may not be added or removed on resize`)];
    return old.flatMap((container, position) =>
      (sent[position]?.name ?? '') === (container.name ?? '')
        ? []
        : [forbidden(pathOf(list, position).child('name'), `${list} may not be renamed or reordered on resize`)],
    );
  });
}

/** Other containers stay as they were sent, to be refused. */
function takeResources(pod: Pod, old: Pod): void {
  const [sent, before] = [specOf(pod), specOf(old)];
  if (lists.every((list) => itemsOf(sent[list]).length === itemsOf(before[list]).length)) {
    keepAllOf(pod, old);
    const spec = specOf(pod);
    if (sent.resources === undefined) delete spec.resources;
    else spec.resources = sent.resources;
    for (const list of lists) if (!takeFrom(itemsOf(sent[list]), itemsOf(spec[list]))) spec[list] = sent[list] ?? [];
  }
  countGeneration(pod, old);
}

/** False where containers have other names or places. */
function takeFrom(sent: readonly Container[], containers: readonly Container[]): boolean {
  if (!containers.every((container, position) => (sent[position]?.name ?? '') === (container.name ?? ''))) return false;
  for (const [position, container] of containers.entries()) {
    const { resources = {}, resizePolicy } = sent[position] ?? {};
    container.resources = resources;
    if (resizePolicy === undefined) delete container.resizePolicy;
    else container.resizePolicy = resizePolicy;
  }
  return true;
}

export const resize: SubresourceRules<Pod> = {
  prepare: takeResources,
  review: [reviewResize],
};

function reviewResize(pod: Pod, old: Pod, { metadata, context: { enabled } }: Review): Found {
  const why = refusal(pod, old, enabled);
  if (why !== null) return [forbidden(Path.root, why)];
  return inOrder(metadata.update(), metadata.object(), validatePod(pod), validateResize(pod, old));
}
