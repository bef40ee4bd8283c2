import type { JsonObject } from '../../../api/object.js';
import {
  flags,
  listOf,
  maps,
  numbers,
  optionals,
  optionalStructure,
  printedStructure,
  structure,
  texts,
  type StructureForm,
} from '../../../registry/validation/internalform.js';
import { FIELD_REFERENCE, RESOURCE_REFERENCE } from './printedVolumes.js';

/** Containers as the reference prints them: its own structures, in the order of their declaration. */

export const RESOURCES: StructureForm = [...maps('limits', 'requests'), ...listOf('claims', texts('name', 'request'))];

const PORT: StructureForm = [...texts('name'), ...numbers('hostPort', 'containerPort'), ...texts('protocol', 'hostIP')];
const KEY: StructureForm = [...texts('name', 'key'), ...optionals('optional')];
const ENV: StructureForm = [
  ...texts('name', 'value'),
  ...optionalStructure('valueFrom', [
    ...optionalStructure('fieldRef', FIELD_REFERENCE),
    ...optionalStructure('resourceFieldRef', RESOURCE_REFERENCE),
    ...optionalStructure('configMapKeyRef', KEY),
    ...optionalStructure('secretKeyRef', KEY),
    ...optionalStructure('fileKeyRef', [...texts('volumeName', 'path', 'key'), ...optionals('optional')]),
  ]),
];
const NAMED: StructureForm = [...texts('name'), ...optionals('optional')];
const ENV_FROM: StructureForm = [...texts('prefix'), ...optionalStructure('configMapRef', NAMED), ...optionalStructure('secretRef', NAMED)];
const MOUNT: StructureForm = [
  ...texts('name'),
  ...flags('readOnly'),
  ...optionals('recursiveReadOnly'),
  ...texts('mountPath', 'subPath'),
  ...optionals('mountPropagation'),
  ...texts('subPathExpr'),
];

/** Members that the security contexts of pods and containers have alike. */
export const SE_LINUX = optionalStructure('seLinuxOptions=SELinuxOptions', texts('user', 'role', 'type', 'level'));
export const WINDOWS = optionalStructure(
  'windowsOptions',
  optionals('gmsaCredentialSpecName=GMSACredentialSpecName', 'gmsaCredentialSpec=GMSACredentialSpec', 'runAsUserName', 'hostProcess'),
);
const PROFILE: StructureForm = [...texts('type'), ...optionals('localhostProfile')];
export const PROFILES: StructureForm = [...optionalStructure('seccompProfile', PROFILE), ...optionalStructure('appArmorProfile', PROFILE)];

const SECURITY: StructureForm = [
  ...optionalStructure('capabilities', optionals('add', 'drop')),
  ...optionals('privileged'),
  ...SE_LINUX,
  ...WINDOWS,
  ...optionals('runAsUser', 'runAsGroup', 'runAsNonRoot', 'readOnlyRootFilesystem', 'allowPrivilegeEscalation', 'procMount'),
  ...PROFILES,
];

/** Also how a container's security context is quoted. */
export const printedSecurityContext = (context: JsonObject): JsonObject => printedStructure(context, SECURITY);

const HANDLERS: StructureForm = [
  ...optionalStructure('exec', optionals('command')),
  ...optionalStructure('httpGet=HTTPGet', [
    ...texts('path'),
    ...numbers('port'),
    ...texts('host', 'scheme'),
    ...listOf('httpHeaders=HTTPHeaders', texts('name', 'value')),
  ]),
  ...optionalStructure('tcpSocket=TCPSocket', [...numbers('port'), ...texts('host')]),
];
const PROBE: StructureForm = [
  ...HANDLERS,
  ...optionalStructure('grpc=GRPC', [...numbers('port'), ...optionals('service')]),
  ...numbers('initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
  ...optionals('terminationGracePeriodSeconds'),
];
const LIFECYCLE_HANDLER: StructureForm = [...HANDLERS, ...optionalStructure('sleep', numbers('seconds'))];

export const CONTAINER: StructureForm = [
  ...texts('name', 'image'),
  ...optionals('command', 'args'),
  ...texts('workingDir'),
  ...listOf('ports', PORT),
  ...listOf('envFrom', ENV_FROM),
  ...listOf('env', ENV),
  ...structure('resources', RESOURCES),
  ...listOf('resizePolicy', texts('resourceName', 'restartPolicy')),
  ...optionals('restartPolicy'),
  ...listOf('restartPolicyRules', [...texts('action'), ...optionalStructure('exitCodes', [...texts('operator'), ...optionals('values')])]),
  ...listOf('volumeMounts', MOUNT),
  ...listOf('volumeDevices', texts('name', 'devicePath')),
  ...optionalStructure('livenessProbe', PROBE),
  ...optionalStructure('readinessProbe', PROBE),
  ...optionalStructure('startupProbe', PROBE),
  ...optionalStructure('lifecycle', [
    ...optionalStructure('postStart', LIFECYCLE_HANDLER),
    ...optionalStructure('preStop', LIFECYCLE_HANDLER),
    ...optionals('stopSignal'),
  ]),
  ...texts('terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy'),
  ...optionalStructure('securityContext', SECURITY),
  ...flags('stdin', 'stdinOnce', 'tty=TTY'),
];
export const EPHEMERAL: StructureForm = [...CONTAINER, ...texts('targetContainerName')];
