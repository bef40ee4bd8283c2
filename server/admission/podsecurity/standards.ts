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

/** Since which minor version what is checked. The newest one that is not newer than the standard counts. */
interface Rule {
  readonly name: string;
  readonly level: 'baseline' | 'restricted';
  readonly versions: readonly {
    readonly since: number;
    readonly check: Check;
    /** A baseline rule that this one makes unnecessary. */ readonly replaces?: string;
  }[];
}

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

/** In the order in which they are reported: those of the baseline by name, then the others. */
const rules: readonly Rule[] = [
  { name: 'appArmorProfile', level: 'baseline', versions: [{ since: 0, check: appArmorProfile }] },
  { name: 'capabilities_baseline', level: 'baseline', versions: [{ since: 0, check: baselineCapabilities }] },
  { name: 'hostNamespaces', level: 'baseline', versions: [{ since: 0, check: hostNamespaces }] },
  { name: 'hostPathVolumes', level: 'baseline', versions: [{ since: 0, check: hostPathVolumes }] },
  { name: 'hostPorts', level: 'baseline', versions: [{ since: 0, check: hostPorts }] },
  { name: 'hostProbesAndHostLifecycle', level: 'baseline', versions: [{ since: 34, check: probeHosts }] },
  { name: 'privileged', level: 'baseline', versions: [{ since: 0, check: privileged }] },
  {
    name: 'procMount',
    level: 'baseline',
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: withNodeUsers(procMount) },
    ],
  },
  {
    name: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      { since: 0, check: seLinuxOptions(selinuxTypes) },
      { since: 31, check: seLinuxOptions([...selinuxTypes, 'container_engine_t']) },
    ],
  },
  {
    name: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      { since: 0, check: annotatedSeccomp },
      { since: 19, check: baselineSeccomp },
    ],
  },
  {
    name: 'sysctls',
    level: 'baseline',
    versions: [
      { since: 0, check: sysctls(safeSysctls) },
      { since: 27, check: sysctls(sysctls27) },
      { since: 29, check: sysctls(sysctls29) },
      { since: 32, check: sysctls(sysctls32) },
    ],
  },
  { name: 'windowsHostProcess', level: 'baseline', versions: [{ since: 0, check: windowsHostProcess }] },

  {
    name: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: onLinux(allowPrivilegeEscalation) },
    ],
  },
  {
    name: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      { since: 22, check: restrictedCapabilities, replaces: 'capabilities_baseline' },
      { since: 25, check: onLinux(restrictedCapabilities), replaces: 'capabilities_baseline' },
    ],
  },
  { name: 'procMount_restricted', level: 'restricted', versions: [{ since: 35, check: procMount, replaces: 'procMount' }] },
  { name: 'restrictedVolumes', level: 'restricted', versions: [{ since: 0, check: restrictedVolumes, replaces: 'hostPathVolumes' }] },
  {
    name: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: withNodeUsers(runAsNonRoot) },
    ],
  },
  {
    name: 'runAsUser',
    level: 'restricted',
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: withNodeUsers(runAsUser) },
    ],
  },
  {
    name: 'seccompProfile_restricted',
    level: 'restricted',
    versions: [
      { since: 19, check: restrictedSeccomp, replaces: 'seccompProfile_baseline' },
      { since: 25, check: onLinux(restrictedSeccomp), replaces: 'seccompProfile_baseline' },
    ],
  },
];

/** What a pod does that its standard does not allow. */
export function violations(subject: Subject, { level, minor }: Standard): Violation[] {
  if (level === 'privileged') return [];
  const chosen = rules
    .filter((rule) => rule.level === 'baseline' || level === 'restricted')
    .map((rule) => ({
      name: rule.name,
      version: rule.versions.findLast(({ since }) => since <= minor),
    }));
  const replaced = new Set(chosen.map(({ version }) => version?.replaces));
  return chosen
    .filter(({ name }) => !replaced.has(name))
    .map(({ version }) => version?.check(subject) ?? null)
    .filter((violation) => violation !== null);
}

export const reasonsText = (found: readonly Violation[]): string => found.map(({ reason }) => reason).join(', ');
export const detailsText = (found: readonly Violation[]): string => found.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
