import { amountsOf, type Amounts } from '../amounts.js';
import type { KubeObject } from '../meta/object.js';
import { largerQuantity, roundedUpQuantity, wholeQuantity as whole, zeroQuantity, type Quantity } from '../quantity.js';
import type { PersistentVolumeClaim, Service } from '../types/core/v1.js';
import type { ResourceClaim } from '../types/resource/v1.js';
import { hugePages, isExtendedInQuota, podUsage } from './podUsage.js';

/** The types that a quota covers, and each object's usage. Pure. */

export const podResources: ReadonlySet<string> = new Set([
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
/** Types that were counted by plain name before the general form existed. */
export const countedByName: ReadonlySet<string> = new Set([
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'secrets',
  'services',
  'persistentvolumeclaims',
]);
const ofClass = /\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;
const ofDevices = /\.deviceclass\.resource\.k8s\.io\/devices$/;
const claimType = 'resourceclaims.resource.k8s.io';

/** Returns `deployments.apps`, for example; null for an uncounted resource. */
export function sourceOf(name: string): string | null {
  if (name.startsWith('count/')) return name.slice('count/'.length);
  if (countedByName.has(name)) return name;
  if (name === 'services.nodeports' || name === 'services.loadbalancers') return 'services';
  if (name === 'requests.storage' || ofClass.test(name)) return 'persistentvolumeclaims';
  if (ofDevices.test(name)) return claimType;
  return podResources.has(name) || name.startsWith(hugePages) || name.startsWith(`requests.${hugePages}`) || isExtendedInQuota(name)
    ? 'pods'
    : null;
}

/** Returns `count/deployments.apps`, and for some types also the plain name. */
const countNames = (source: string): string[] => [`count/${source}`, ...(countedByName.has(source) ? [source] : [])];

export const countedFor = (source: string, names: readonly string[]): string[] => names.filter((name) => sourceOf(name) === source);

/** Measured types need whole objects, not only their number. */
export const isMeasured = (source: string): boolean => Object.hasOwn(measures, source);

/** `now` is in milliseconds: pods that exceeded their grace period use nothing. */
export const usageOf = (source: string, object: KubeObject, now: number): Amounts =>
  new Map([...countNames(source).map((name) => [name, whole(1)] as const), ...(measures[source]?.(object, now) ?? [])]);

export type Entries = Iterable<readonly [string, Quantity]>;

/** The caller passes an object of the type that it names. */
type Measure = { measure(object: KubeObject, now: number): Entries }['measure'];
const measures: Readonly<Record<string, Measure>> = {
  pods: podUsage,
  services: serviceUsage,
  persistentvolumeclaims: volumeUsage,
  [claimType]: (object) => deviceUsage(object as ResourceClaim),
};

/** A load balancer that allocates no node ports counts only explicit ones. */
function serviceUsage({ spec }: Service): Entries {
  const ports = spec?.ports ?? [];
  const balanced = spec?.type === 'LoadBalancer';
  const opens = spec?.type === 'NodePort' || (balanced && spec.allocateLoadBalancerNodePorts !== false);
  const opened = opens ? ports.length : balanced ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length : 0;
  return [
    ['services.nodeports', whole(opened)],
    ['services.loadbalancers', whole(balanced ? 1 : 0)],
  ];
}

/** While a claim grows, the size being allocated counts. */
function volumeUsage({ metadata, spec, status }: PersistentVolumeClaim): Entries {
  const requested = amountsOf(spec?.resources?.requests).get('storage');
  const size =
    requested && roundedUpQuantity(largerQuantity(requested, amountsOf(status?.allocatedResources).get('storage') ?? zeroQuantity));
  const storageClass = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
  const classPrefix = `${storageClass}.storageclass.storage.k8s.io/`;
  return [
    ...(size ? [['requests.storage', size] as const] : []),
    ...(storageClass === ''
      ? []
      : [
          [`${classPrefix}persistentvolumeclaims`, whole(1)] as const,
          ...(size ? [[`${classPrefix}requests.storage`, size] as const] : []),
        ]),
  ];
}

/** A request for all devices counts as this many. */
const devicesMax = 32;

/** The largest alternative of each class counts, because any may be chosen. */
function deviceUsage({ spec }: ResourceClaim): Entries {
  const sums = new Map<string, number>();
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? []) {
    const largest = new Map<string, number>();
    for (const { deviceClassName = '', allocationMode, count = 1 } of exactly ? [exactly] : (firstAvailable ?? [])) {
      largest.set(deviceClassName, Math.max(largest.get(deviceClassName) ?? 0, allocationMode === 'All' ? devicesMax : count));
    }
    for (const [name, count] of largest) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return [...sums].map(([name, count]) => [`${name}.deviceclass.resource.k8s.io/devices`, whole(count)]);
}
