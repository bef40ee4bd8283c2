import {
  annotatedSeccomp,
  appArmorProfile,
  baselineCapabilities,
  baselineSeccomp,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  probeHosts,
  procMount,
  seLinuxOptions,
  sysctls,
  windowsHostProcess,
} from './baseline.js';
import type { Standard } from './policy.js';
import {
  allowPrivilegeEscalation,
  restrictedCapabilities,
  restrictedSeccomp,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
} from './restricted.js';
import type { Check, Subject, Violation } from './subject.js';

interface Version {
  readonly since: number;
  readonly check: Check;
}

/** A check's versions: the newest up to the standard's applies. */
interface Rule {
  readonly name: string;
  readonly versions: readonly Version[];
  /** A baseline rule that this one supersedes. */
  readonly replaces?: string;
}

const always = (check: Check): readonly Version[] => [{ since: 0, check }];
/** Exempts pods for Windows from version 25 on. */
const linuxAlone = (since: number, check: Check): readonly Version[] => [
  { since, check },
  { since: 25, check: onLinux(check) },
];
/** Exempts pods with user namespaces from version 35 on. */
const nodeUsersAlone = (since: number, check: Check): readonly Version[] => [
  { since, check },
  { since: 35, check: withNodeUsers(check) },
];

const onLinux =
  (check: Check): Check =>
  (subject) =>
    subject.onWindows ? null : check(subject);
const withNodeUsers =
  (check: Check): Check =>
  (subject) =>
    subject.ownUsers ? null : check(subject);

const selinuxTypes = ['container_t', 'container_init_t', 'container_kvm_t'];
const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const sysctls27 = [...safeSysctls, 'net.ipv4.ip_local_reserved_ports'];
const sysctls29 = [
  ...sysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const sysctls32 = [...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** Reported in this order, which is that of their names. */
const baseline: readonly Rule[] = [
  { name: 'appArmorProfile', versions: always(appArmorProfile) },
  { name: 'capabilities_baseline', versions: always(baselineCapabilities) },
  { name: 'hostNamespaces', versions: always(hostNamespaces) },
  { name: 'hostPathVolumes', versions: always(hostPathVolumes) },
  { name: 'hostPorts', versions: always(hostPorts) },
  { name: 'hostProbesAndHostLifecycle', versions: [{ since: 34, check: probeHosts }] },
  { name: 'privileged', versions: always(privileged) },
  { name: 'procMount', versions: nodeUsersAlone(0, procMount) },
  {
    name: 'seLinuxOptions',
    versions: [
      { since: 0, check: seLinuxOptions(selinuxTypes) },
      { since: 31, check: seLinuxOptions([...selinuxTypes, 'container_engine_t']) },
    ],
  },
  {
    name: 'seccompProfile_baseline',
    versions: [
      { since: 0, check: annotatedSeccomp },
      { since: 19, check: baselineSeccomp },
    ],
  },
  {
    name: 'sysctls',
    versions: [
      { since: 0, check: sysctls(safeSysctls) },
      { since: 27, check: sysctls(sysctls27) },
      { since: 29, check: sysctls(sysctls29) },
      { since: 32, check: sysctls(sysctls32) },
    ],
  },
  { name: 'windowsHostProcess', versions: always(windowsHostProcess) },
];
/** Added to the baseline, and reported after it. */
const restricted: readonly Rule[] = [
  { name: 'allowPrivilegeEscalation', versions: linuxAlone(8, allowPrivilegeEscalation) },
  { name: 'capabilities_restricted', versions: linuxAlone(22, restrictedCapabilities), replaces: 'capabilities_baseline' },
  { name: 'procMount_restricted', versions: [{ since: 35, check: procMount }], replaces: 'procMount' },
  { name: 'restrictedVolumes', versions: always(restrictedVolumes), replaces: 'hostPathVolumes' },
  { name: 'runAsNonRoot', versions: nodeUsersAlone(0, runAsNonRoot) },
  { name: 'runAsUser', versions: nodeUsersAlone(23, runAsUser) },
  { name: 'seccompProfile_restricted', versions: linuxAlone(19, restrictedSeccomp), replaces: 'seccompProfile_baseline' },
];

export function violations(subject: Subject, { level, minor }: Standard): Violation[] {
  if (level === 'privileged') return [];
  const checks = (level === 'restricted' ? [...baseline, ...restricted] : baseline).flatMap(({ name, versions, replaces }) => {
    const version = versions.findLast(({ since }) => since <= minor);
    return version === undefined ? [] : [{ name, replaces, check: version.check }];
  });
  const replaced = new Set(checks.map(({ replaces }) => replaces));
  return checks
    .filter(({ name }) => !replaced.has(name))
    .map(({ check }) => check(subject))
    .filter((violation) => violation !== null);
}

export const reasonsText = (found: readonly Violation[]): string => found.map(({ reason }) => reason).join(', ');
export const detailsText = (found: readonly Violation[]): string => found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
