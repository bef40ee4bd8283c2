import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { isSet, itemsOf, textAt } from '../../../../../api/json/members.js';
import { printedSecurityContext } from '../printedContainers.js';
import {
  duplicate,
  forbidden,
  invalid,
  keepable,
  notSupported,
  required,
  tooLong,
  type FieldError,
  type Path,
} from '../../../../registry/validation/field.js';
import { whileOff, whileOn } from '../../../../registry/validation/gatedFindings.js';
import { between, dnsSubdomain, localPath, optionallyOneOf } from '../../../../registry/validation/values.js';

const idMax = 2_147_483_647;
/** User and group ids have 31 bits, as in the kernel. */
const id = (value: JsonValue | undefined, path: Path): FieldError[] =>
  value === undefined || value === null || (Number(value) >= 0 && Number(value) <= idMax) ? [] : [invalid(path, value, between(0, idMax))];

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const apparmorFileMax = 4095;

/** Only type Localhost names a file, below the profile directory. */
function validateSeccomp(context: JsonObject, contextPath: Path): FieldError[] {
  const profile = objectAt(context, 'seccompProfile');
  if (profile === null) return [];
  const path = contextPath.child('seccompProfile');
  const type = textAt(profile, 'type');
  const file = profile['localhostProfile'];
  const at = path.child('localhostProfile');
  const typed =
    type === ''
      ? [required(path.child('type'), 'type is required when seccompProfile is set')]
      : profileTypes.includes(type)
        ? []
        : [notSupported(path.child('type'), type, profileTypes)];
  if (type === 'Localhost') return isSet(file) ? localPath(String(file), at) : [required(at, 'must be set when seccomp type is Localhost')];
  return isSet(file)
    ? [...typed, invalid(at, { Type: type, LocalhostProfile: file }, 'can only be set when seccomp type is Localhost')]
    : typed;
}

/** Only type Localhost names a profile, which the node has loaded. */
function validateAppArmor(context: JsonObject, contextPath: Path): FieldError[] {
  const profile = objectAt(context, 'appArmorProfile');
  if (profile === null) return [];
  const path = contextPath.child('appArmorProfile');
  const type = textAt(profile, 'type');
  const file = profile['localhostProfile'];
  const at = path.child('localhostProfile');
  if (type === '') return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!profileTypes.includes(type)) return [notSupported(path.child('type'), type, profileTypes)];
  if (type !== 'Localhost') return isSet(file) ? [invalid(at, file, 'can only be set when AppArmor type is Localhost')] : [];
  const name = textAt(profile, 'localhostProfile');
  const padded = name.trim() === name ? [] : [invalid(at, name, 'must not be padded with whitespace')];
  return [
    ...(name === '' ? [required(at, 'must be set when AppArmor type is Localhost')] : padded),
    ...(Buffer.byteLength(name) > apparmorFileMax ? [tooLong(at, apparmorFileMax)] : []),
  ];
}

const sysctlPattern = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = new RegExp(`^${sysctlPattern}$`);
const shared = ['kernel.shm', 'kernel.msg', 'fs.mqueue.'];
const hostSysctls: readonly (readonly [isOfHost: (name: string) => boolean, flag: 'hostNetwork' | 'hostIPC'])[] = [
  [(name) => name.startsWith('net.'), 'hostNetwork'],
  [(name) => name === 'kernel.sem' || shared.some((prefix) => name.startsWith(prefix)), 'hostIPC'],
];

function validateSysctls(context: JsonObject, spec: JsonObject, path: Path): FieldError[] {
  const seen = new Set<string>();
  return objectsIn(context, 'sysctls').flatMap((sysctl, position) => {
    const at = path.child('sysctls').index(position).child('name');
    const name = textAt(sysctl, 'name');
    if (name === '') return [required(at, '')];
    const malformed = name.length > 253 || !sysctlName.test(name);
    const dotted = name.replaceAll('/', '.');
    const repeated = seen.has(name) ? [duplicate(at, name)] : [];
    seen.add(name);
    return [
      ...(malformed ? [invalid(at, name, `must have at most 253 characters and match regex ^${sysctlPattern}$`)] : repeated),
      ...keepable(
        'parameter of the host',
        hostSysctls
          .filter(([isOfHost, flag]) => isOfHost(dotted) && spec[flag] === true)
          .map(([, flag]) => invalid(at, name, `may not be specified when '${flag}' is true`)),
      ),
    ];
  });
}

const credentialSpecKibMax = 64;
const userMax = 104;
const domainMax = 256;
const netbiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*\.?$/;

function validateWindowsOptions(context: JsonObject, contextPath: Path): FieldError[] {
  const options = objectAt(context, 'windowsOptions');
  if (options === null) return [];
  const path = contextPath.child('windowsOptions');
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  const specPath = path.child('gmsaCredentialSpec');
  return [
    ...(isSet(name) ? dnsSubdomain(String(name), path.child('gmsaCredentialSpecName')) : []),
    ...(spec === '' ? [invalid(specPath, spec, 'gmsaCredentialSpec cannot be an empty string')] : []),
    ...(Buffer.byteLength(String(spec ?? '')) > credentialSpecKibMax * 1024
      ? [invalid(specPath, spec, `gmsaCredentialSpec size must be under ${credentialSpecKibMax} KiB`)]
      : []),
    ...(isSet(user) ? userProblems(String(user)).map((text) => invalid(path.child('runAsUserName'), user, `runAsUserName${text}`)) : []),
  ];
}

/** Checks `DOMAIN\user` or `user`; messages follow the member's name. */
function userProblems(text: string): string[] {
  const parts = text.split('\\');
  if (text === '') return [' cannot be an empty string'];
  if (/\p{Cc}/u.test(text)) return [' cannot contain control characters'];
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const [domain, user = ''] = parts.length === 2 ? parts : [undefined, parts[0]];
  return [
    ...(domain !== undefined && domain.length >= domainMax ? [`'s Domain length must be under ${domainMax} characters`] : []),
    ...(domain !== undefined && !netbiosName.test(domain) && !dnsName.test(domain)
      ? ["'s Domain doesn't match the NetBios nor the DNS format"]
      : []),
    ...(user === ''
      ? ["'s User cannot be empty"]
      : user.length > userMax
        ? [`'s User length must not be longer than ${userMax} characters`]
        : []),
    ...(user !== '' && /^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user) ? ['\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]'] : []),
  ];
}

export function validatePodSecurity(spec: JsonObject, specPath: Path): FieldError[] {
  const context = objectAt(spec, 'securityContext') ?? {};
  const path = specPath.child('securityContext');
  return [
    ...id(context['fsGroup'], path.child('fsGroup')),
    ...id(context['runAsUser'], path.child('runAsUser')),
    ...id(context['runAsGroup'], path.child('runAsGroup')),
    ...itemsOf(context['supplementalGroups']).flatMap((group, position) => id(group, path.child('supplementalGroups').index(position))),
    ...(spec['hostPID'] === true && spec['shareProcessNamespace'] === true
      ? [invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : []),
    ...validateSysctls(context, spec, path),
    ...optionallyOneOf(context['fsGroupChangePolicy'], ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy')),
    ...validateSeccomp(context, path),
    ...validateWindowsOptions(context, path),
    ...validateAppArmor(context, path),
    ...optionallyOneOf(context['supplementalGroupsPolicy'], ['Merge', 'Strict'], path.child('supplementalGroupsPolicy')),
    ...changePolicy(context['seLinuxChangePolicy'], path.child('seLinuxChangePolicy')),
  ];
}

/** Volumes may be mounted with the pod's label instead of relabelling each file. */
const changePolicy = (policy: JsonValue | undefined, path: Path): FieldError[] => [
  ...whileOff('SELinuxMount', optionallyOneOf(policy, ['Recursive'], path)),
  ...whileOn('SELinuxMount', optionallyOneOf(policy, ['MountOption', 'Recursive'], path)),
];

/** A pod with its own user namespace shares no host namespace, and has no raw devices. */
export function validateHostUsers(spec: JsonObject, path: Path): FieldError[] {
  if (spec['hostUsers'] !== false) return [];
  const refused = (at: Path): FieldError => forbidden(at, 'when `hostUsers` is false');
  const devices = containerLists.flatMap((list) =>
    objectsIn(spec, list).flatMap((container, position) =>
      itemsOf(container['volumeDevices']).length > 0 ? [refused(path.child(list).index(position).child('volumeDevices'))] : [],
    ),
  );
  return [
    ...(spec['hostNetwork'] === true ? whileOff('UserNamespacesHostNetworkSupport', [refused(path.child('hostNetwork'))]) : []),
    ...(spec['hostPID'] === true ? [refused(path.child('HostPID'))] : []),
    ...(spec['hostIPC'] === true ? [refused(path.child('HostIPC'))] : []),
    ...keepable('devices in a namespace of users', devices),
  ];
}

export function validateContainerSecurity(container: JsonObject, hostUsers: boolean, containerPath: Path): FieldError[] {
  const context = objectAt(container, 'securityContext');
  if (context === null) return [];
  const path = containerPath.child('securityContext');
  const refused = context['allowPrivilegeEscalation'] === false;
  const admins = itemsOf(objectAt(context, 'capabilities')?.['add']).filter((capability) => capability === 'CAP_SYS_ADMIN');
  const contradicts = (what: string): FieldError =>
    invalid(path, printedSecurityContext(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  return [
    ...id(context['runAsUser'], path.child('runAsUser')),
    ...id(context['runAsGroup'], path.child('runAsGroup')),
    ...optionallyOneOf(context['procMount'], ['Default', 'Unmasked'], path.child('procMount')),
    ...(context['procMount'] === 'Unmasked' && hostUsers
      ? [invalid(path.child('procMount'), 'Unmasked', '`hostUsers` must be false to use `Unmasked`')]
      : []),
    ...validateSeccomp(context, path),
    ...(refused && context['privileged'] === true ? [contradicts('`privileged` to true')] : []),
    ...(refused ? admins.map(() => contradicts('`capabilities.Add` CAP_SYS_ADMIN')) : []),
    ...validateWindowsOptions(context, path),
    ...validateAppArmor(context, path),
  ];
}

export function validateOs(spec: JsonObject, path: Path): FieldError[] {
  const os = objectAt(spec, 'os');
  if (os === null) return [];
  const name = textAt(os, 'name');
  if (name === '') return [required(path.child('os').child('name'), '')];
  if (name === 'windows') return windowsForbids(spec, path);
  return name === 'linux' ? linuxForbids(spec, path) : [notSupported(path.child('os'), name, ['linux', 'windows'])];
}

/** The reference has members of the specification in the security context. */
const notOnWindows: readonly (readonly [holder: 'spec' | 'security', member: string])[] = [
  ['security', 'appArmorProfile'],
  ['security', 'seLinuxOptions'],
  ['spec', 'hostUsers'],
  ['spec', 'hostPID'],
  ['spec', 'hostIPC'],
  ['security', 'seccompProfile'],
  ['security', 'fsGroup'],
  ['security', 'fsGroupChangePolicy'],
  ['security', 'sysctls'],
  ['spec', 'shareProcessNamespace'],
  ['security', 'runAsUser'],
  ['security', 'runAsGroup'],
  ['security', 'supplementalGroups'],
  ['security', 'supplementalGroupsPolicy'],
  ['security', 'seLinuxChangePolicy'],
];
const notInWindowsContainers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
/** A false flag counts as absent. */
const flags: ReadonlySet<string> = new Set(['hostPID', 'hostIPC']);

function windowsForbids(spec: JsonObject, path: Path): FieldError[] {
  const security = objectAt(spec, 'securityContext') ?? {};
  const isUsed = (holder: JsonObject, member: string): boolean =>
    flags.has(member) ? holder[member] === true : isSet(holder[member]) && !(member === 'sysctls' && itemsOf(holder[member]).length === 0);
  const refuse = (at: Path): FieldError => forbidden(at, 'cannot be set for a windows pod');
  return [
    ...notOnWindows
      .filter(([holder, member]) => isUsed(holder === 'spec' ? spec : security, member))
      .map(([holder, member]) => refuse(holder === 'spec' ? path.child(member) : path.child('securityContext', member))),
    ...containerLists.flatMap((list) =>
      objectsIn(spec, list).flatMap((container, position) => {
        const own = objectAt(container, 'securityContext') ?? {};
        return notInWindowsContainers
          .filter((member) => isSet(own[member]))
          .map((member) => refuse(path.child(list).index(position).child('securityContext', member)));
      }),
    ),
  ];
}

function linuxForbids(spec: JsonObject, path: Path): FieldError[] {
  const refuse = (holder: JsonObject, at: Path): FieldError[] =>
    isSet(objectAt(holder, 'securityContext')?.['windowsOptions'])
      ? [forbidden(at.child('securityContext').child('windowsOptions'), 'windows options cannot be set for a linux pod')]
      : [];
  return [
    ...refuse(spec, path),
    ...containerLists.flatMap((list) =>
      objectsIn(spec, list).flatMap((container, position) => refuse(container, path.child(list).index(position))),
    ),
  ];
}

/** Containers inherit from the pod. */
export function validateHostProcess(spec: JsonObject, path: Path): FieldError[] {
  const ofPod = hostProcessOf(spec);
  const containers = containerLists.flatMap((list) =>
    objectsIn(spec, list).map((container, position) => ({ own: hostProcessOf(container), at: path.child(list).index(position) })),
  );
  const count = containers.filter(({ own }) => own ?? ofPod ?? false).length;
  const contradictions = containers
    .filter(({ own }) => own !== null && ofPod !== null && own !== ofPod)
    .map(({ own, at }) =>
      invalid(
        at.child('securityContext', 'windowsOptions', 'hostProcess'),
        own,
        `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
      ),
    );
  if (count === 0) return contradictions;
  return [
    ...contradictions,
    ...(count === containers.length
      ? []
      : [invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers')]),
    ...(spec['hostNetwork'] === true
      ? []
      : [invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers')]),
  ];
}

function hostProcessOf(holder: JsonObject): boolean | null {
  const value = objectAt(objectAt(holder, 'securityContext') ?? {}, 'windowsOptions')?.['hostProcess'];
  return typeof value === 'boolean' ? value : null;
}
