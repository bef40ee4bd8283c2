import {
  flags,
  listOf,
  maps,
  numbers,
  optionals,
  optionalStructure,
  printedStructure,
  structureOf,
  texts,
  type JsonObject,
  type StructureForm,
} from '../../language.js';
import { fieldReference, resourceReference } from './printedVolumes.js';

/** The reference's internal structures of containers, in declaration order. */

export const resources: StructureForm = [...maps('limits', 'requests'), ...listOf('claims', texts('name', 'request'))];

const port: StructureForm = [...texts('name'), ...numbers('hostPort', 'containerPort'), ...texts('protocol', 'hostIP')];
const key: StructureForm = [...texts('name', 'key'), ...optionals('optional')];
const env: StructureForm = [
  ...texts('name', 'value'),
  ...optionalStructure('valueFrom', [
    ...optionalStructure('fieldRef', fieldReference),
    ...optionalStructure('resourceFieldRef', resourceReference),
    ...optionalStructure('configMapKeyRef', key),
    ...optionalStructure('secretKeyRef', key),
    ...optionalStructure('fileKeyRef', [...texts('volumeName', 'path', 'key'), ...optionals('optional')]),
  ]),
];
const named: StructureForm = [...texts('name'), ...optionals('optional')];
const envFrom: StructureForm = [...texts('prefix'), ...optionalStructure('configMapRef', named), ...optionalStructure('secretRef', named)];
const mount: StructureForm = [
  ...texts('name'),
  ...flags('readOnly'),
  ...optionals('recursiveReadOnly'),
  ...texts('mountPath', 'subPath'),
  ...optionals('mountPropagation'),
  ...texts('subPathExpr'),
];

/** Common members of both security contexts. */
export const seLinux = optionalStructure('seLinuxOptions=SELinuxOptions', texts('user', 'role', 'type', 'level'));
export const windows = optionalStructure(
  'windowsOptions',
  optionals('gmsaCredentialSpecName=GMSACredentialSpecName', 'gmsaCredentialSpec=GMSACredentialSpec', 'runAsUserName', 'hostProcess'),
);
const profile: StructureForm = [...texts('type'), ...optionals('localhostProfile')];
export const profiles: StructureForm = [...optionalStructure('seccompProfile', profile), ...optionalStructure('appArmorProfile', profile)];

const security: StructureForm = [
  ...optionalStructure('capabilities', optionals('add', 'drop')),
  ...optionals('privileged'),
  ...seLinux,
  ...windows,
  ...optionals('runAsUser', 'runAsGroup', 'runAsNonRoot', 'readOnlyRootFilesystem', 'allowPrivilegeEscalation', 'procMount'),
  ...profiles,
];

export const printedSecurityContext = (context: JsonObject): JsonObject => printedStructure(context, security);

const handlers: StructureForm = [
  ...optionalStructure('exec', optionals('command')),
  ...optionalStructure('httpGet=HTTPGet', [
    ...texts('path'),
    ...numbers('port'),
    ...texts('host', 'scheme'),
    ...listOf('httpHeaders=HTTPHeaders', texts('name', 'value')),
  ]),
  ...optionalStructure('tcpSocket=TCPSocket', [...numbers('port'), ...texts('host')]),
];
const probe: StructureForm = [
  ...handlers,
  ...optionalStructure('grpc=GRPC', [...numbers('port'), ...optionals('service')]),
  ...numbers('initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
  ...optionals('terminationGracePeriodSeconds'),
];
const lifecycleHandler: StructureForm = [...handlers, ...optionalStructure('sleep', numbers('seconds'))];

export const container: StructureForm = [
  ...texts('name', 'image'),
  ...optionals('command', 'args'),
  ...texts('workingDir'),
  ...listOf('ports', port),
  ...listOf('envFrom', envFrom),
  ...listOf('env', env),
  ...structureOf('resources', resources),
  ...listOf('resizePolicy', texts('resourceName', 'restartPolicy')),
  ...optionals('restartPolicy'),
  ...listOf('restartPolicyRules', [...texts('action'), ...optionalStructure('exitCodes', [...texts('operator'), ...optionals('values')])]),
  ...listOf('volumeMounts', mount),
  ...listOf('volumeDevices', texts('name', 'devicePath')),
  ...optionalStructure('livenessProbe', probe),
  ...optionalStructure('readinessProbe', probe),
  ...optionalStructure('startupProbe', probe),
  ...optionalStructure('lifecycle', [
    ...optionalStructure('postStart', lifecycleHandler),
    ...optionalStructure('preStop', lifecycleHandler),
    ...optionals('stopSignal'),
  ]),
  ...texts('terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy'),
  ...optionalStructure('securityContext', security),
  ...flags('stdin', 'stdinOnce', 'tty=TTY'),
];
export const ephemeral: StructureForm = [...container, ...texts('targetContainerName')];
