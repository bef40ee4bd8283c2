import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../api/json/members.js';
import {
  duplicate,
  fieldNotFound,
  forbidden,
  invalid,
  type Path,
  required,
  type FieldError,
} from '../../../../registry/validation/field.js';
import { whileOff } from '../../../../registry/validation/gatedFindings.js';
import { subdomainName } from '../../../../registry/validation/names.js';
import { configMapKeyProblems, dnsLabel, portNameProblems, portNumber, inRange } from '../../../../registry/validation/values.js';
import { validateLifecycle, validateProbes, enumerated } from './handlers.js';
import { validateVolumeDevices, validateVolumeMounts, type Volumes } from './mounts.js';
import { fieldReference, resourceReference } from './references.js';
import { validateContainerResources, validateResizePolicy } from './resources.js';
import { validateRestart } from './restarts.js';
import { ownFile } from './sources/files.js';
import { validateContainerSecurity } from './security.js';
import { inOrder, ofEach, type Found } from '../../../../registry/validation/ofEach.js';

/** The facts of the pod that rules of containers need. */
export interface PodFacts {
  readonly volumes: Volumes;
  /** Includes invalid volumes. */
  readonly volumeNames: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly graceSeconds: number;
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
}

const environmentFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const environmentResources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const environmentText = "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** Existing templates with such images stay valid. */
export const validateImageSpaces = (spec: JsonObject, path: Path): Found =>
  ofEach(['containers', 'initContainers'], (list) =>
    ofEach(objectsIn(spec, list), (container, position) =>
      spacesAround(textAt(container, 'image'), path.child(list).index(position).child('image')),
    ),
  );

export const spacesAround = (image: string, path: Path): FieldError[] =>
  image.trim() === image ? [] : [invalid(path, image, 'must not have leading or trailing whitespace')];

export function validateContainers(spec: JsonObject, path: Path, facts: PodFacts): Found {
  const at = path.child('containers');
  const containers = objectsIn(spec, 'containers');
  if (containers.length === 0) return [required(at, '')];
  const names = new Set<string>();
  return inOrder(
    ofEach(containers, (container, position) => {
      const here = at.index(position);
      const name = textAt(container, 'name');
      const repeated = names.has(name) ? [duplicate(here.child('name'), name)] : [];
      names.add(name);
      return inOrder(
        validateCommon(container, here, facts),
        repeated,
        validateLong(container, here, facts),
        validateRestart(container, here),
      );
    }),
    hostPortConflicts(containers, at),
  );
}

/** An init container that always restarts is a sidecar, with the fields of long-running containers. */
export function validateInitContainers(spec: JsonObject, path: Path, facts: PodFacts): Found {
  const names = new Set(objectsIn(spec, 'containers').map((container) => textAt(container, 'name')));
  return ofEach(objectsIn(spec, 'initContainers'), (container, position) => {
    const at = path.child('initContainers').index(position);
    const name = textAt(container, 'name');
    const sidecar = container['restartPolicy'] === 'Always';
    const repeated = names.has(name) ? [duplicate(at.child('name'), name)] : [];
    if (name !== '') names.add(name);
    return inOrder(
      validateCommon(container, at, facts),
      validateRestart(container, at, true),
      repeated,
      // Init containers run in sequence: each is checked alone.
      hostPortConflicts([container], path.child('initContainers')),
      sidecar ? validateLong(container, at, facts) : validateShortLived(container, at),
    );
  });
}

const validateShortLived = (container: JsonObject, path: Path): FieldError[] =>
  ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((member) => objectAt(container, member) !== null)
    .map((member) => forbidden(path.child(member), 'may not be set for init containers without restartPolicy=Always'));

const notEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

const notEphemeralText = 'cannot be set for an Ephemeral Container';

export function validateEphemeralContainers(spec: JsonObject, path: Path, facts: PodFacts): Found {
  const targets = new Set(
    [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')].map((container) => textAt(container, 'name')),
  );
  const names = new Set(targets);
  return ofEach(objectsIn(spec, 'ephemeralContainers'), (container, position) => {
    const at = path.child('ephemeralContainers').index(position);
    const name = textAt(container, 'name');
    const target = textAt(container, 'targetContainerName');
    const repeated = names.has(name) ? [duplicate(at.child('name'), name)] : [];
    names.add(name);
    return inOrder(
      validateCommon(container, at, facts),
      spacesAround(textAt(container, 'image'), at.child('image')),
      repeated,
      target !== '' && !targets.has(target) ? [fieldNotFound(at.child('targetContainerName'), target)] : [],
      notEphemeral.filter((member) => isUsed(container, member)).map((member) => forbidden(at.child(member), notEphemeralText)),
      // Subpath mounts outlive the container, and their clean-up waits for the pod's end.
      ofEach(objectsIn(container, 'volumeMounts'), (mount, each) =>
        ['subPath', 'subPathExpr']
          .filter((member) => textAt(mount, member) !== '')
          .map((member) => forbidden(at.child('volumeMounts').index(each).child(member), notEphemeralText)),
      ),
    );
  });
}

function isUsed(container: JsonObject, member: string): boolean {
  const value = container[member];
  if (value === undefined || value === null) return false;
  // Only `resources` always exists.
  return member !== 'resources' || Object.keys(value).length > 0;
}

/** Rules of every container, in the reference's order. */
function validateCommon(container: JsonObject, path: Path, facts: PodFacts): Found {
  const name = textAt(container, 'name');
  const image = textAt(container, 'image');
  return inOrder(
    name === '' ? [required(path.child('name'), '')] : dnsLabel(name, path.child('name')),
    image === '' ? [required(path.child('image'), '')] : [],
    enumerated(container['terminationMessagePolicy'], ['File', 'FallbackToLogsOnError'], path.child('terminationMessagePolicy')),
    validatePorts(container, path),
    validateEnvironment(container, facts, path),
    validateEnvironmentSources(container, path),
    validateVolumeMounts(container, facts.volumes, path),
    validateVolumeDevices(container, facts.volumes, path),
    enumerated(container['imagePullPolicy'], ['Always', 'IfNotPresent', 'Never'], path.child('imagePullPolicy')),
    validateContainerResources(objectAt(container, 'resources') ?? {}, facts.claims, path.child('resources')),
    validateResizePolicy(container, facts.restartPolicy, path.child('resizePolicy')),
    validateContainerSecurity(container, facts.hostUsers, path),
  );
}

function validateLong(container: JsonObject, path: Path, facts: PodFacts): FieldError[] {
  const lifecycle = objectAt(container, 'lifecycle');
  return [
    ...(lifecycle === null ? [] : validateLifecycle(lifecycle, path.child('lifecycle'), facts.graceSeconds)),
    ...validateProbes(container, path, facts.graceSeconds),
  ];
}

/** A template may leave them open until a pod is created. */
export function validateHostNetworkPorts(spec: JsonObject, path: Path, ofTemplate: boolean): Found {
  if (spec['hostNetwork'] !== true) return [];
  return ofEach(objectsIn(spec, 'containers'), (container, position) =>
    ofEach(objectsIn(container, 'ports'), (port, each) => {
      const hostPort = port['hostPort'] ?? 0;
      const open = ofTemplate && hostPort === 0;
      return open || hostPort === (port['containerPort'] ?? 0)
        ? []
        : [
            invalid(
              path.child('containers').index(position).child('ports').index(each).child('hostPort'),
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ];
    }),
  );
}

function validatePorts(container: JsonObject, containerPath: Path): Found {
  const names = new Set<string>();
  return ofEach(objectsIn(container, 'ports'), (port, position) => {
    const at = containerPath.child('ports').index(position);
    const name = textAt(port, 'name');
    const problems = name === '' ? [] : portNameProblems(name);
    const findings = problems.map((text) => invalid(at.child('name'), name, text));
    if (name !== '' && problems.length === 0 && names.has(name)) findings.push(duplicate(at.child('name'), name));
    names.add(name);
    const number = port['containerPort'];
    if ((number ?? 0) === 0) findings.push(required(at.child('containerPort'), ''));
    else findings.push(...portNumber(number, at.child('containerPort')));
    const hostPort = port['hostPort'] ?? 0;
    if (hostPort !== 0) findings.push(...inRange(hostPort, 1, 65535, at.child('hostPort')));
    return [...findings, ...enumerated(port['protocol'], ['SCTP', 'TCP', 'UDP'], at.child('protocol'))];
  });
}

/** Two containers of one pod cannot use the same host port. */
function hostPortConflicts(containers: readonly JsonObject[], path: Path): Found {
  const taken = new Set<string>();
  return ofEach(containers, (container, position) =>
    ofEach(objectsIn(container, 'ports'), (port, each) => {
      const hostPort = Number(port['hostPort'] ?? 0);
      if (hostPort === 0) return [];
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${hostPort}`;
      const conflict = taken.has(key);
      taken.add(key);
      return conflict ? [duplicate(path.index(position).child('ports').index(each).child('hostPort'), key)] : [];
    }),
  );
}

const environmentName = /^[ -<>-~]+$/;

/** The earlier rule: names of shell variables, and more. */
const strictEnvironmentName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const strictEnvironmentText =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
const strictNameFindings = (name: string, path: Path): FieldError[] =>
  strictEnvironmentName.test(name) ? [] : [invalid(path, name, strictEnvironmentText)];

function validateEnvironment(container: JsonObject, facts: PodFacts, containerPath: Path): Found {
  return ofEach(objectsIn(container, 'env'), (variable, position) => {
    const at = containerPath.child('env').index(position);
    const name = textAt(variable, 'name');
    const source = objectAt(variable, 'valueFrom');
    return [
      ...(name === ''
        ? [required(at.child('name'), '')]
        : environmentName.test(name)
          ? whileOff('RelaxedEnvironmentVariableValidation', strictNameFindings(name, at.child('name')))
          : [invalid(at.child('name'), name, environmentText)]),
      ...(source === null ? [] : validateValueFrom(source, textAt(variable, 'value'), facts, at.child('valueFrom'))),
    ];
  });
}

const valueSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

function validateValueFrom(source: JsonObject, value: string, facts: PodFacts, path: Path): FieldError[] {
  const present = valueSources.filter((name) => objectAt(source, name) !== null);
  const findings = present.flatMap((name) => {
    const reference = objectAt(source, name) as JsonObject;
    const at = path.child(name);
    if (name === 'fieldRef') return fieldReference(reference, environmentFields, at);
    if (name === 'fileKeyRef') return fileReference(reference, facts, at);
    return name === 'resourceFieldRef' ? resourceReference(reference, environmentResources, false, at) : keyReference(reference, at);
  });
  if (present.length === 0)
    findings.push(
      invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'),
    );
  else if (value !== '') findings.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (present.length > 1) findings.push(invalid(path, '', 'may not have more than one field specified at a time'));
  return findings;
}

/** The volume needs the pod's own lifetime: other files may not exist before the container starts. */
function fileReference(reference: JsonObject, { volumeNames, volumes }: PodFacts, path: Path): FieldError[] {
  const [volume, file, key] = [textAt(reference, 'volumeName'), textAt(reference, 'path'), textAt(reference, 'key')];
  const at = path.child('volumeName');
  const held = volumes.get(volume);
  return [
    ...(key === ''
      ? [required(path.child('key'), '')]
      : environmentName.test(key)
        ? []
        : [invalid(path.child('key'), key, environmentText)]),
    ...(volume === '' ? [required(at, '')] : dnsLabel(volume, at)),
    ...(file === '' ? [required(path.child('path'), '')] : ownFile(file, path.child('path'))),
    ...(volumeNames.has(volume) ? [] : [fieldNotFound(at, volume)]),
    ...(held !== undefined && objectAt(held, 'emptyDir') === null
      ? [invalid(at, volume, 'referenced volume must be of type emptyDir')]
      : []),
  ];
}

function keyReference(reference: JsonObject, path: Path): FieldError[] {
  const [name, key] = [textAt(reference, 'name'), textAt(reference, 'key')];
  return [
    ...subdomainName(name, false).map((text) => invalid(path.child('name'), name, text)),
    ...(key === '' ? [required(path.child('key'), '')] : configMapKeyProblems(key).map((text) => invalid(path.child('key'), key, text))),
  ];
}

function validateEnvironmentSources(container: JsonObject, containerPath: Path): Found {
  return ofEach(objectsIn(container, 'envFrom'), (source, position) => {
    const at = containerPath.child('envFrom').index(position);
    const prefix = textAt(source, 'prefix');
    const present = ['configMapRef', 'secretRef'].filter((name) => objectAt(source, name) !== null);
    const findings = prefix === '' || environmentName.test(prefix) ? [] : [invalid(at.child('prefix'), prefix, environmentText)];
    for (const name of present) {
      const target = textAt(objectAt(source, name) ?? {}, 'name');
      findings.push(
        ...(target === ''
          ? [required(at.child(name).child('name'), '')]
          : subdomainName(target, true).map((text) => invalid(at.child(name).child('name'), target, text))),
      );
    }
    // The reference names the list here.
    if (present.length === 0)
      findings.push(invalid(containerPath.child('envFrom'), '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (present.length > 1)
      findings.push(invalid(containerPath.child('envFrom'), '', 'may not have more than one field specified at a time'));
    return findings;
  });
}
