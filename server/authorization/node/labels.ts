/** Cluster labels that kubelets have always set. */
const ownLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  'node.kubernetes.io/windows-build',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const ownDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
/** They include `node-restriction.kubernetes.io`, whose labels isolate workloads. */
const clusterDomains = ['kubernetes.io', 'k8s.io'];

const domainOf = (label: string): string => (label.includes('/') ? label.slice(0, label.indexOf('/')) : '');
const within = (domain: string, parents: readonly string[]): boolean =>
  parents.some((parent) => domain === parent || domain.endsWith(`.${parent}`));

function isForbidden(label: string): boolean {
  const domain = domainOf(label);
  return within(domain, clusterDomains) && !ownLabels.has(label) && !within(domain, ownDomains);
}

/** Returns the changed labels that the node itself may not change, sorted. */
export function forbiddenLabels(now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...names].filter((name) => now[name] !== before[name] && isForbidden(name)).sort();
}
