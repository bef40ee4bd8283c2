import type { JsonObject } from '../object.js';
import { ensureObject, objectAt, objectsIn, setDefault, setTextDefault } from '../json/defaulting.js';
import { textAt } from '../json/members.js';
import { roundAmounts, roundResources } from '../resourceLists.js';
import { pullPolicyOf } from './images.js';
import { setPodResourceDefaults } from './podResources.js';
import { setVolumeDefaults } from './volumeDefaults.js';
import { inOneGo, type Steps } from '../steps.js';

/** Sets defaults in pods and in templates of workloads (v1 `PodSpec`). */
export const setPodSpecDefaults = (spec: JsonObject): void => {
  inOneGo(podSpecDefaults(spec));
};

/** Like `setPodSpecDefaults`, in steps. */
function* podSpecDefaults(spec: JsonObject): Steps<void> {
  setTextDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setTextDefault(spec, 'restartPolicy', 'Always');
  setTextDefault(spec, 'schedulerName', 'default-scheduler');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  ensureObject(spec, 'securityContext');
  roundAmounts(objectAt(spec, 'overhead'));
  roundResources(objectAt(spec, 'resources'));
  mirrorServiceAccount(spec);
  const [containers, volumes] = [allContainers(spec), objectsIn(spec, 'volumes')];
  if (containers.length <= stepItems) containers.forEach(setContainerDefaults);
  else yield* forEach(containers, setContainerDefaults);
  if (volumes.length <= stepItems) volumes.forEach(setVolumeDefaults);
  else yield* forEach(volumes, setVolumeDefaults);
}

const stepItems = 100;

function* forEach(items: readonly JsonObject[], complete: (item: JsonObject) => void): Steps<void> {
  for (const [position, item] of items.entries()) {
    complete(item);
    if (position % stepItems === stepItems - 1) yield;
  }
}

/** Replaces a negative grace period. */
const shortestGraceSeconds = 1;

/** Also sets the defaults of the specification. Templates keep a negative grace period; a pod never shows one. */
export function* podDefaults(pod: JsonObject): Steps<void> {
  const spec = ensureObject(pod, 'spec');
  yield* podSpecDefaults(spec);
  if (Number(spec['terminationGracePeriodSeconds']) < 0) spec['terminationGracePeriodSeconds'] = shortestGraceSeconds;
  setDefault(spec, 'enableServiceLinks', true);
  if (spec['hostNetwork'] === true) useContainerPortsOnHost(spec);
  const running = [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')];
  if (running.length <= stepItems) running.forEach(requestWhatIsLimited);
  else yield* forEach(running, requestWhatIsLimited);
  setPodResourceDefaults(spec);
  const status = objectAt(pod, 'status');
  if (status !== null) roundStatus(status);
}

function roundStatus(status: JsonObject): void {
  roundReported(status);
  for (const list of statusLists) if (status[list] !== undefined) objectsIn(status, list).forEach(roundReported);
}

function roundReported(part: JsonObject): void {
  if (part['allocatedResources'] !== undefined) roundAmounts(objectAt(part, 'allocatedResources'));
  if (part['resources'] !== undefined) roundResources(objectAt(part, 'resources'));
}

const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const allContainers = (spec: JsonObject): JsonObject[] => containerLists.flatMap((list) => objectsIn(spec, list));

/** The old name `serviceAccount` is kept equal to `serviceAccountName`, which has priority. */
function mirrorServiceAccount(spec: JsonObject): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (name === '') return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

function setContainerDefaults(container: JsonObject): void {
  setTextDefault(container, 'imagePullPolicy', pullPolicyOf(textAt(container, 'image')));
  setTextDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setTextDefault(container, 'terminationMessagePolicy', 'File');
  roundResources(ensureObject(container, 'resources'));
  for (const port of objectsIn(container, 'ports')) setTextDefault(port, 'protocol', 'TCP');
  for (const variable of objectsIn(container, 'env')) {
    const source = objectAt(variable, 'valueFrom');
    if (source === null) continue;
    const [field, file] = [objectAt(source, 'fieldRef'), objectAt(source, 'fileKeyRef')];
    if (field !== null) setTextDefault(field, 'apiVersion', 'v1');
    if (file !== null) setDefault(file, 'optional', false);
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) setProbeDefaults(objectAt(container, name));
  const lifecycle = objectAt(container, 'lifecycle') ?? {};
  for (const name of ['postStart', 'preStop']) setHandlerDefaults(objectAt(lifecycle, name));
}

function setProbeDefaults(probe: JsonObject | null): void {
  if (probe === null) return;
  for (const [member, value] of [
    ['timeoutSeconds', 1],
    ['periodSeconds', 10],
    ['successThreshold', 1],
    ['failureThreshold', 3],
  ] as const) {
    if (probe[member] === 0) delete probe[member];
    setDefault(probe, member, value);
  }
  const grpc = objectAt(probe, 'grpc');
  if (grpc !== null) setDefault(grpc, 'service', '');
  setHandlerDefaults(probe);
}

function setHandlerDefaults(handler: JsonObject | null): void {
  const get = objectAt(handler ?? {}, 'httpGet');
  if (get === null) return;
  setTextDefault(get, 'path', '/');
  setTextDefault(get, 'scheme', 'HTTP');
}

/** A container port on the host's network is a host port. */
function useContainerPortsOnHost(spec: JsonObject): void {
  for (const container of [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')]) {
    for (const port of objectsIn(container, 'ports')) {
      if ((port['hostPort'] ?? 0) === 0 && port['containerPort'] !== undefined) port['hostPort'] = port['containerPort'];
    }
  }
}

/** An absent request defaults to the limit. */
function requestWhatIsLimited(container: JsonObject): void {
  const resources = objectAt(container, 'resources') ?? {};
  const limits = objectAt(resources, 'limits');
  if (limits === null || Object.keys(limits).length === 0) return;
  const requests = ensureObject(resources, 'requests');
  for (const [resource, quantity] of Object.entries(limits)) if (!Object.hasOwn(requests, resource)) requests[resource] = quantity;
}
