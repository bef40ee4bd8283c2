import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../defaulting.js';
import { itemsOf, textAt } from '../../../members.js';
import { printedSecurityContext } from '../printed.js';
import { forbidden, invalid, notSupported, type Path, required, type FieldError } from '../../../validation/field.js';
import { between, dnsSubdomain, optionallyOneOf } from '../../../validation/values.js';

const idMax = 2_147_483_647;
/** User and group ids: 31 bits, as the kernel's. */
const id = (value: JsonValue | undefined, path: Path): FieldError[] =>
  (value === undefined || value === null || (Number(value) >= 0 && Number(value) <= idMax) ? [] : [invalid(path, value, between(0, idMax))]);

/** A profile (seccomp, AppArmor) is of a type, and only type Localhost names a file. */
function validateProfile(profile: JsonObject, path: Path, what: { readonly name: string; readonly kind: string; readonly types: readonly string[] }): FieldError[] {
  const type = textAt(profile, 'type');
  const file = profile['localhostProfile'];
  const unset = file === undefined || file === null;
  if (type === 'Localhost') {
    if (unset || file === '') return [required(path.child('localhostProfile'), `must be set when ${what.name} type is Localhost`)];
    return String(file).startsWith('/') ? [invalid(path.child('localhostProfile'), file, 'must be a relative path')] : [];
  }
  const typed = type === '' ? [required(path.child('type'), `type is required when ${what.kind} is set`)] : what.types.includes(type) ? [] : [notSupported(path.child('type'), type, what.types)];
  return [...typed, ...(unset ? [] : [invalid(path.child('localhostProfile'), { Type: type, LocalhostProfile: file }, `can only be set when ${what.name} type is Localhost`)])];
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const seccomp = { name: 'seccomp', kind: 'seccompProfile', types: profileTypes };
const appArmor = { name: 'AppArmor', kind: 'appArmorProfile', types: profileTypes };

function validateProfiles(context: JsonObject, path: Path): FieldError[] {
  return ([['seccompProfile', seccomp], ['appArmorProfile', appArmor]] as const).flatMap(([member, what]) => {
    const profile = objectAt(context, member);
    return profile === null ? [] : validateProfile(profile, path.child(member), what);
  });
}

const sysctlPattern = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = new RegExp(`^${sysctlPattern}$`);
const hostSysctls: readonly [prefix: string, flag: 'hostNetwork' | 'hostIPC'][] = [
  ['net.', 'hostNetwork'], ['kernel.shm', 'hostIPC'], ['kernel.msg', 'hostIPC'], ['kernel.sem', 'hostIPC'], ['fs.mqueue.', 'hostIPC'],
];

function validateSysctls(context: JsonObject, spec: JsonObject, path: Path): FieldError[] {
  const seen = new Set<string>();
  return objectsIn(context, 'sysctls').flatMap((sysctl, position) => {
    const at = path.child('sysctls').index(position).child('name');
    const name = textAt(sysctl, 'name');
    if (name === '') return [required(at, '')];
    if (name.length > 253 || !sysctlName.test(name)) return [invalid(at, name, `must have at most 253 characters and match regex ^${sysctlPattern}$`)];
    const dotted = name.replaceAll('/', '.');
    const findings = hostSysctls.filter(([prefix, flag]) => dotted.startsWith(prefix) && spec[flag] === true)
      .map(([, flag]) => invalid(at, name, `may not be specified when '${flag}' is true`));
    if (seen.has(name)) findings.push({ type: 'FieldValueDuplicate', path: at.toString(), message: `Duplicate value: ${JSON.stringify(name)}` });
    seen.add(name);
    return findings;
  });
}

const userNameText = 'runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]';

function validateWindowsOptions(context: JsonObject, path: Path): FieldError[] {
  const options = objectAt(context, 'windowsOptions');
  if (options === null) return [];
  const at = path.child('windowsOptions');
  const specName = options['gmsaCredentialSpecName'];
  const user = options['runAsUserName'];
  const account = typeof user === 'string' ? user.slice(user.indexOf('\\') + 1) : '';
  return [
    ...(specName === undefined || specName === null ? [] : dnsSubdomain(String(specName), at.child('gmsaCredentialSpecName'))),
    ...(user === '' ? [required(at.child('runAsUserName'), 'runAsUserName cannot be an empty string')] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(account) ? [invalid(at.child('runAsUserName'), user, userNameText)] : []),
  ];
}

/** Rules of a pod's own security context, and of what it says of the host's namespaces. */
export function validatePodSecurity(spec: JsonObject, specPath: Path): FieldError[] {
  const context = objectAt(spec, 'securityContext') ?? {};
  const path = specPath.child('securityContext');
  return [
    ...id(context['fsGroup'], path.child('fsGroup')),
    ...id(context['runAsUser'], path.child('runAsUser')),
    ...id(context['runAsGroup'], path.child('runAsGroup')),
    ...itemsOf(context['supplementalGroups']).flatMap((group, position) => id(group, path.child('supplementalGroups').index(position))),
    ...(spec['hostPID'] === true && spec['shareProcessNamespace'] === true
      ? [invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled')] : []),
    ...validateSysctls(context, spec, path),
    ...optionallyOneOf(context['fsGroupChangePolicy'], ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy')),
    ...validateProfiles(context, path),
    ...validateWindowsOptions(context, path),
    ...optionallyOneOf(context['supplementalGroupsPolicy'], ['Merge', 'Strict'], path.child('supplementalGroupsPolicy')),
  ];
}

/** A pod with a user namespace of its own shares none of the host's other namespaces. */
export function validateHostUsers(spec: JsonObject, path: Path): FieldError[] {
  if (spec['hostUsers'] !== false) return [];
  return ([['hostNetwork', 'hostNetwork'], ['hostPID', 'HostPID'], ['hostIPC', 'HostIPC']] as const)
    .filter(([flag]) => spec[flag] === true).map(([, spelled]) => forbidden(path.child(spelled), 'when `hostUsers` is false'));
}

/** Rules of a container's security context. */
export function validateContainerSecurity(container: JsonObject, hostUsers: boolean, containerPath: Path): FieldError[] {
  const context = objectAt(container, 'securityContext');
  if (context === null) return [];
  const path = containerPath.child('securityContext');
  const escalates = context['privileged'] === true || itemsOf(objectAt(context, 'capabilities')?.['add']).includes('CAP_SYS_ADMIN');
  return [
    ...id(context['runAsUser'], path.child('runAsUser')),
    ...id(context['runAsGroup'], path.child('runAsGroup')),
    ...optionallyOneOf(context['procMount'], ['Default', 'Unmasked'], path.child('procMount')),
    ...(context['procMount'] === 'Unmasked' && hostUsers ? [invalid(path.child('procMount'), 'Unmasked', '`hostUsers` must be false to use `Unmasked`')] : []),
    ...validateProfiles(context, path),
    ...(escalates && context['allowPrivilegeEscalation'] === false
      ? [invalid(path, printedSecurityContext(context), `cannot set \`allowPrivilegeEscalation\` to false and ${context['privileged'] === true ? '`privileged` to true' : '`capabilities.Add` CAP_SYS_ADMIN'}`)] : []),
    ...validateWindowsOptions(context, path),
  ];
}

/** Members that make no sense on the pod's operating system. */
export function validateOs(spec: JsonObject, path: Path): FieldError[] {
  const os = objectAt(spec, 'os');
  if (os === null) return [];
  const name = textAt(os, 'name');
  if (name === '') return [required(path.child('os').child('name'), '')];
  if (name === 'windows') return windowsForbids(spec, path);
  return name === 'linux' ? linuxForbids(spec, path) : [notSupported(path.child('os'), name, ['linux', 'windows'])];
}

const notOnWindows = {
  spec: ['hostPID', 'hostIPC', 'hostUsers'],
  pod: ['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls', 'runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'shareProcessNamespace'],
  container: ['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged', 'allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'],
};
const isSet = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

function windowsForbids(spec: JsonObject, path: Path): FieldError[] {
  const refuse = (holder: JsonObject, members: readonly string[], at: Path): FieldError[] =>
    members.filter(member => isSet(holder[member])).map(member => forbidden(at.child(member), 'cannot be set for a windows pod'));
  return [
    ...refuse(objectAt(spec, 'securityContext') ?? {}, notOnWindows.pod, path.child('securityContext')),
    ...refuse(spec, notOnWindows.spec.filter(member => spec[member] === true || member === 'hostUsers'), path),
    ...(['initContainers', 'containers'] as const).flatMap(list => objectsIn(spec, list).flatMap((container, position) =>
      refuse(objectAt(container, 'securityContext') ?? {}, notOnWindows.container, path.child(list).index(position).child('securityContext')))),
  ];
}

function linuxForbids(spec: JsonObject, path: Path): FieldError[] {
  const refuse = (holder: JsonObject, at: Path): FieldError[] =>
    (isSet(objectAt(holder, 'securityContext')?.['windowsOptions']) ? [forbidden(at.child('securityContext').child('windowsOptions'), 'windows options cannot be set for a linux pod')] : []);
  return [
    ...refuse(spec, path),
    ...(['initContainers', 'containers'] as const).flatMap(list => objectsIn(spec, list).flatMap((container, position) => refuse(container, path.child(list).index(position)))),
  ];
}

/** A pod with host process containers is one through and through, and on the host's network. */
export function validateHostProcess(spec: JsonObject, path: Path): FieldError[] {
  const uses = [spec, ...objectsIn(spec, 'initContainers'), ...objectsIn(spec, 'containers')]
    .some(holder => objectAt(objectAt(holder, 'securityContext') ?? {}, 'windowsOptions')?.['hostProcess'] === true);
  return uses && spec['hostNetwork'] !== true ? [invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers')] : [];
}
