import * as enums from '../../../../../api/data/enums.js';
import {
  dnsLabel,
  duplicate,
  each,
  fieldNotFound,
  forbiddenAs,
  inOrder,
  inRange,
  invalid,
  isSet,
  itemsOf,
  knowing,
  members,
  nonZero,
  ofEach,
  oneOf,
  optional,
  portName,
  portNumber,
  required,
  when,
  withFacts,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import { env, envFrom } from './environment.js';
import type { PodFacts } from './facts.js';
import { longRunning } from './handlers.js';
import { volumeDevices, volumeMounts } from './mounts.js';
import { containerResources, resizePolicy } from './resources.js';
import { restart, restartOfInit } from './restarts.js';
import { containerSecurity } from './security.js';

type Container = Writable<v1.Container>;
type PodSpec = Writable<v1.PodSpec>;

export const imageWithoutSpaces = (image: string | undefined, path: Path): FieldError[] =>
  isSet(image) && image.trim() !== image ? [invalid(path, image, 'must not have leading or trailing whitespace')] : [];
const images = each(members<v1.Container>({ image: imageWithoutSpaces }));
/** Existing templates with such images stay valid. */
export const imagesWithoutSpaces = members<v1.PodSpec>({ containers: images, initContainers: images });

const port = members<v1.ContainerPort>({
  containerPort: required(portNumber),
  hostPort: nonZero((value, path) => inRange(value, 1, 65535, path)),
  protocol: oneOf(...enums.Protocol),
});

function ports(list: Writable<v1.ContainerPort>[] | undefined, path: Path): Found {
  const names = new Set<string>();
  return ofEach(itemsOf(list), (entry, position) => {
    const [at, { name = '' }] = [path.index(position), entry];
    const ofName = name === '' ? [] : portName(name, at.child('name'));
    if (name !== '' && ofName.length === 0 && names.has(name)) ofName.push(duplicate(at.child('name'), name));
    names.add(name);
    return inOrder(ofName, port(entry, at, list));
  });
}

const common = members<v1.Container, PodFacts>({
  name: required(dnsLabel),
  image: required(),
  terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
  ports,
  env,
  envFrom,
  volumeMounts: knowing(volumeMounts),
  volumeDevices: knowing(volumeDevices),
  imagePullPolicy: oneOf(...enums.PullPolicy),
  resources: knowing(containerResources),
  resizePolicy: knowing(resizePolicy),
  securityContext: containerSecurity,
});

const repeatedIn = (names: ReadonlySet<string>, { name = '' }: Container, path: Path): FieldError[] =>
  names.has(name) ? [duplicate(path.child('name'), name)] : [];

export const containers = required(
  knowing((list: readonly Container[], path, facts: PodFacts): Found => {
    const names = new Set<string>();
    const [ofAny, ofLong] = [withFacts(common, facts), withFacts(longRunning, facts)];
    return inOrder(
      ofEach(list, (container, position) => {
        const at = path.index(position);
        const repeated = repeatedIn(names, container, at);
        names.add(container.name ?? '');
        return inOrder(ofAny(container, at), repeated, ofLong(container, at), restart(container, at, list));
      }),
      hostPortConflicts(list, path),
    );
  }),
);

const notInit = forbiddenAs('may not be set for init containers without restartPolicy=Always');
const shortLived = members<v1.Container>({ lifecycle: notInit, livenessProbe: notInit, readinessProbe: notInit, startupProbe: notInit });

/** An init container that always restarts is a sidecar, with the fields of long-running containers. */
export function initContainers(list: Container[] | undefined, path: Path, facts: PodFacts, spec: PodSpec): Found {
  if (itemsOf(list).length === 0) return [];
  const [ofAny, ofLong] = [withFacts(common, facts), withFacts(longRunning, facts)];
  const names = new Set(itemsOf(spec.containers).map(({ name = '' }) => name));
  return ofEach(itemsOf(list), (container, position) => {
    const at = path.index(position);
    const { name = '' } = container;
    const repeated = repeatedIn(names, container, at);
    if (name !== '') names.add(name);
    return inOrder(
      ofAny(container, at),
      restartOfInit(container, at),
      repeated,
      // Init containers run in sequence: each is checked alone.
      hostPortConflicts([container], path),
      container.restartPolicy === 'Always' ? ofLong(container, at) : shortLived(container, at, list),
    );
  });
}

const notSet = forbiddenAs('cannot be set for an Ephemeral Container');
const notWritten = nonZero(notSet);

/** Subpath mounts outlive the container, and their clean-up waits for the pod's end. */
const notEphemeral = members<v1.EphemeralContainer>({
  ports: notSet,
  resources: optional(when((resources: object) => Object.keys(resources).length > 0, notSet)),
  resizePolicy: notSet,
  restartPolicy: notSet,
  restartPolicyRules: notSet,
  livenessProbe: notSet,
  readinessProbe: notSet,
  startupProbe: notSet,
  lifecycle: notSet,
  volumeMounts: each(members<v1.VolumeMount>({ subPath: notWritten, subPathExpr: notWritten })),
});

export function ephemeralContainers(
  list: Writable<v1.EphemeralContainer>[] | undefined,
  path: Path,
  facts: PodFacts,
  spec: PodSpec,
): Found {
  if (itemsOf(list).length === 0) return [];
  const targets = new Set([...itemsOf(spec.containers), ...itemsOf(spec.initContainers)].map(({ name = '' }) => name));
  const ofAny = withFacts(common, facts);
  const names = new Set(targets);
  return ofEach(itemsOf(list), (container, position) => {
    const at = path.index(position);
    const { name = '', image, targetContainerName: target = '' } = container;
    const repeated = repeatedIn(names, container, at);
    names.add(name);
    return inOrder(
      ofAny(container, at),
      imageWithoutSpaces(image, at.child('image')),
      repeated,
      target !== '' && !targets.has(target) ? [fieldNotFound(at.child('targetContainerName'), target)] : [],
      notEphemeral(container, at, list),
    );
  });
}

/** A template may leave them open until a pod is created. */
const matchingPort = knowing(
  (hostPort: number | undefined, path, { ofTemplate }: PodFacts, { containerPort }: Writable<v1.ContainerPort>) =>
    (ofTemplate && (hostPort ?? 0) === 0) || (hostPort ?? 0) === (containerPort ?? 0)
      ? []
      : [invalid(path, hostPort ?? 0, 'must match `containerPort` when `hostNetwork` is true')],
);
const matchingPorts = members<v1.PodSpec, PodFacts>({
  containers: each(members<v1.Container, PodFacts>({ ports: each(members<v1.ContainerPort, PodFacts>({ hostPort: matchingPort })) })),
});
export const hostNetworkPorts = when(({ hostNetwork }: PodSpec) => hostNetwork === true, matchingPorts);

/** Two containers of one pod cannot use the same host port. */
function hostPortConflicts(list: readonly Container[], path: Path): Found {
  const taken = new Set<string>();
  return ofEach(list, ({ ports }, position) =>
    ofEach(itemsOf(ports), ({ hostPort = 0, protocol = '', hostIP = '' }, each) => {
      if (hostPort === 0) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const conflict = taken.has(key);
      taken.add(key);
      return conflict ? [duplicate(path.index(position).child('ports').index(each).child('hostPort'), key)] : [];
    }),
  );
}
