import * as enums from '../../../../../api/data/enums.js';
import {
  all,
  andThen,
  between,
  dnsSubdomain,
  duplicate,
  each,
  forbidden,
  forbiddenAs,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  keepable,
  knowing,
  localPath,
  maxBytes,
  members,
  missing,
  notSupported,
  off,
  on,
  oneOf,
  optional,
  printedAs,
  requiredAs,
  when,
  whileOff,
  type FieldError,
  type Found,
  type Path,
  type Rule,
  type Writable,
} from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import type { PodFacts } from './facts.js';

type PodSpec = Writable<v1.PodSpec>;
type Container = Writable<v1.Container>;
type Context = Writable<v1.SecurityContext>;
type PodContext = Writable<v1.PodSecurityContext>;

const idMax = 2_147_483_647;
/** User and group ids have 31 bits, as in the kernel. */
const id = optional((value: number, path: Path): FieldError[] =>
  value >= 0 && value <= idMax ? [] : [invalid(path, value, between(0, idMax))],
);

/** Only type Localhost names a file, below the profile directory. */
const seccompProfile = members<v1.SeccompProfile>({
  type: requiredAs('type is required when seccompProfile is set', oneOf(...enums.SeccompProfileType)),
  localhostProfile(file, path, { type = '' }) {
    if (type === 'Localhost') return isSet(file) ? localPath(file, path) : [missing(path, 'must be set when seccomp type is Localhost')];
    const quoted = { Type: type, LocalhostProfile: file };
    return isSet(file) ? [invalid(path, quoted, 'can only be set when seccomp type is Localhost')] : [];
  },
});

const apparmorFileBytes = maxBytes(4095);
/** Only type Localhost names a profile, which the node has loaded. */
function apparmorFile(file: string | undefined, path: Path): FieldError[] {
  if ((file ?? '') === '') return [missing(path, 'must be set when AppArmor type is Localhost')];
  return file?.trim() === file ? [] : [invalid(path, file, 'must not be padded with whitespace')];
}
const localhostProfile = members<v1.AppArmorProfile>({ localhostProfile: all(apparmorFile, optional(apparmorFileBytes)) });
const otherProfile = members<v1.AppArmorProfile>({
  localhostProfile: optional((file: string, path: Path) => [invalid(path, file, 'can only be set when AppArmor type is Localhost')]),
});
const appArmorProfile = andThen(
  members<v1.AppArmorProfile>({ type: requiredAs('type is required when appArmorProfile is set', oneOf(...enums.AppArmorProfileType)) }),
  (profile, path) => (profile?.type === 'Localhost' ? localhostProfile : otherProfile)(profile, path, null),
);

const sysctlPattern = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlName = new RegExp(`^${sysctlPattern}$`);
const shared = ['kernel.shm', 'kernel.msg', 'fs.mqueue.'];
const hostSysctls: readonly (readonly [isOfHost: (name: string) => boolean, flag: 'hostNetwork' | 'hostIPC'])[] = [
  [(name) => name.startsWith('net.'), 'hostNetwork'],
  [(name) => name === 'kernel.sem' || shared.some((prefix) => name.startsWith(prefix)), 'hostIPC'],
];

function sysctls(list: Writable<v1.Sysctl>[] | undefined, path: Path, spec: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return itemsOf(list).flatMap(({ name = '' }, position) => {
    const at = path.index(position).child('name');
    if (name === '') return [missing(at, '')];
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

function credentialSpec(spec: string, path: Path): FieldError[] {
  if (spec === '') return [invalid(path, spec, 'gmsaCredentialSpec cannot be an empty string')];
  return Buffer.byteLength(spec) > credentialSpecKibMax * 1024
    ? [invalid(path, spec, `gmsaCredentialSpec size must be under ${credentialSpecKibMax} KiB`)]
    : [];
}

const windowsOptions = optional(
  members<v1.WindowsSecurityContextOptions>({
    gmsaCredentialSpecName: optional(dnsSubdomain),
    gmsaCredentialSpec: optional(credentialSpec),
    runAsUserName: optional((user: string, path: Path) => userProblems(user).map((text) => invalid(path, user, `runAsUserName${text}`))),
  }),
);

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

const ids = members<v1.PodSecurityContext>({ fsGroup: id, runAsUser: id, runAsGroup: id, supplementalGroups: each(id) });
const ofPod = members<v1.PodSecurityContext>({
  fsGroupChangePolicy: optional(oneOf(...enums.PodFSGroupChangePolicy)),
  seccompProfile: optional(seccompProfile),
  windowsOptions,
  appArmorProfile: optional(appArmorProfile),
  supplementalGroupsPolicy: optional(oneOf(...enums.SupplementalGroupsPolicy)),
  // Volumes may be mounted with the pod's label instead of relabelling each file.
  seLinuxChangePolicy: optional(off('SELinuxMount', oneOf('Recursive')), on('SELinuxMount', oneOf('MountOption', 'Recursive'))),
});

export function podSecurity(context: PodContext | undefined, path: Path, spec: PodSpec): Found {
  return inOrder(
    ids(context, path, spec),
    spec.hostPID === true && spec.shareProcessNamespace === true
      ? [invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled')]
      : [],
    sysctls(context?.sysctls, path.child('sysctls'), spec),
    ofPod(context, path, spec),
  );
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const placed = (spec: PodSpec, path: Path): { readonly container: Container; readonly at: Path }[] =>
  lists.flatMap((list) =>
    itemsOf<Container[] | null | undefined>(spec[list]).map((container, position) => ({ container, at: path.child(list).index(position) })),
  );

/** A pod with its own user namespace shares no host namespace, and has no raw devices. */
export function hostUsers(spec: PodSpec, path: Path): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const refused = (at: Path): FieldError => forbidden(at, 'when `hostUsers` is false');
  const devices = placed(spec, path).flatMap(({ container: { volumeDevices }, at }) =>
    itemsOf(volumeDevices).length > 0 ? [refused(at.child('volumeDevices'))] : [],
  );
  return [
    ...(spec.hostNetwork === true ? whileOff('UserNamespacesHostNetworkSupport', [refused(path.child('hostNetwork'))]) : []),
    ...(spec.hostPID === true ? [refused(path.child('HostPID'))] : []),
    ...(spec.hostIPC === true ? [refused(path.child('HostIPC'))] : []),
    ...keepable('devices in a namespace of users', devices),
  ];
}

const unmasked = knowing((mount: string, path, { hostUsers }: PodFacts) =>
  mount === 'Unmasked' && hostUsers ? [invalid(path, mount, '`hostUsers` must be false to use `Unmasked`')] : [],
);

function escalation(context: Context, path: Path): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const contradicts = (what: string): FieldError =>
    invalid(path, printedAs('core.v1.SecurityContext', context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  return [
    ...(context.privileged === true ? [contradicts('`privileged` to true')] : []),
    ...itemsOf(context.capabilities?.add).flatMap((capability) =>
      capability === 'CAP_SYS_ADMIN' ? [contradicts('`capabilities.Add` CAP_SYS_ADMIN')] : [],
    ),
  ];
}

export const containerSecurity = optional(
  all<Context, unknown, PodFacts>(
    members<v1.SecurityContext, PodFacts>({
      runAsUser: id,
      runAsGroup: id,
      procMount: optional(oneOf(...enums.ProcMountType), unmasked),
      seccompProfile: optional(seccompProfile),
    }),
    escalation,
    members<v1.SecurityContext>({ windowsOptions, appArmorProfile: optional(appArmorProfile) }),
  ),
);

const notOnWindows = forbiddenAs('cannot be set for a windows pod');
/** A false flag counts as absent. */
const flagNotOnWindows = when((value: boolean | undefined) => value === true, notOnWindows);

const containerOfWindows = members<v1.Container>({
  securityContext: members<v1.SecurityContext>({
    appArmorProfile: notOnWindows,
    seLinuxOptions: notOnWindows,
    seccompProfile: notOnWindows,
    capabilities: notOnWindows,
    readOnlyRootFilesystem: notOnWindows,
    privileged: notOnWindows,
    allowPrivilegeEscalation: notOnWindows,
    procMount: notOnWindows,
    runAsUser: notOnWindows,
    runAsGroup: notOnWindows,
  }),
});

const security = (table: Parameters<typeof members<v1.PodSecurityContext>>[0]): Rule<PodSpec | null | undefined> =>
  members<v1.PodSpec>({ securityContext: members<v1.PodSecurityContext>(table) });

/** The reference has members of the specification in the security context. */
const windows = all<PodSpec>(
  security({ appArmorProfile: notOnWindows, seLinuxOptions: notOnWindows }),
  members<v1.PodSpec>({ hostUsers: notOnWindows, hostPID: flagNotOnWindows, hostIPC: flagNotOnWindows }),
  security({
    seccompProfile: notOnWindows,
    fsGroup: notOnWindows,
    fsGroupChangePolicy: notOnWindows,
    sysctls: when((list) => itemsOf(list).length > 0, notOnWindows),
  }),
  members<v1.PodSpec>({ shareProcessNamespace: notOnWindows }),
  security({
    runAsUser: notOnWindows,
    runAsGroup: notOnWindows,
    supplementalGroups: notOnWindows,
    supplementalGroupsPolicy: notOnWindows,
    seLinuxChangePolicy: notOnWindows,
  }),
  members<v1.PodSpec>({
    initContainers: each(containerOfWindows),
    containers: each(containerOfWindows),
    ephemeralContainers: each(containerOfWindows),
  }),
);

const notOnLinux = forbiddenAs('windows options cannot be set for a linux pod');
const containerOfLinux = members<v1.Container>({ securityContext: members<v1.SecurityContext>({ windowsOptions: notOnLinux }) });
const linux = members<v1.PodSpec>({
  securityContext: members<v1.PodSecurityContext>({ windowsOptions: notOnLinux }),
  initContainers: each(containerOfLinux),
  containers: each(containerOfLinux),
  ephemeralContainers: each(containerOfLinux),
});

export function operatingSystem(spec: PodSpec, path: Path): Found {
  const name = spec.os?.name;
  if (!isSet(spec.os)) return [];
  if ((name ?? '') === '') return [missing(path.child('os', 'name'), '')];
  if (name === 'windows') return windows(spec, path, null);
  return name === 'linux' ? linux(spec, path, null) : [notSupported(path.child('os'), name, ['linux', 'windows'])];
}

/** Containers inherit from the pod. */
export function hostProcess(spec: PodSpec, path: Path): FieldError[] {
  const ofPod = hostProcessOf(spec);
  if (ofPod === null && !lists.some((list) => spec[list]?.some((container) => hostProcessOf(container) !== null))) return [];
  const containers = placed(spec, path).map(({ container, at }) => ({ own: hostProcessOf(container), at }));
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
    ...(spec.hostNetwork === true
      ? []
      : [invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers')]),
  ];
}

const hostProcessOf = ({ securityContext }: Container | PodSpec): boolean | null => securityContext?.windowsOptions?.hostProcess ?? null;
