import type { ApiObject, JsonValue } from '../../api/object.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import { memberAt, textAt } from '../../registry/members.js';
import { podTotals, type Amounts } from '../../kinds/core/pod/totals.js';
import { quantityOf, wholeValue } from '../../registry/validation/quantities.js';
import { isExtendedResource, isHugePages } from '../../registry/validation/resourcenames.js';
import { parseQuantity, type Quantity } from '../../../api/quantity.js';

/** What an object uses of the resources that quotas count. Pure; the controller that recounts quotas works to the same rules. */

const amount = (value: number): Quantity => {
  const parsed = parseQuantity(String(value));
  if (!parsed.ok) throw new Error(`broken invariant: ${value} is a quantity`);
  return parsed.quantity;
};
const ONE = amount(1);

/** Kinds that were counted under their plain name before there was a general form. */
const NAMED: ReadonlySet<string> = new Set([
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'secrets',
  'services',
  'persistentvolumeclaims',
]);

/** How the number of objects of a type is called in quotas: `count/deployments.apps`, and for some also by name alone. */
export const countNames = (resource: GroupResource): string[] => {
  const name = qualifiedName(resource);
  return [`count/${name}`, ...(NAMED.has(name) ? [name] : [])];
};

const counted = (resource: GroupResource): [string, Quantity][] => countNames(resource).map((name) => [name, ONE]);

export function usageOf(object: ApiObject, resource: GroupResource): Amounts {
  return new Map([...counted(resource), ...(BY_RESOURCE[qualifiedName(resource)]?.(object) ?? [])]);
}

const BY_RESOURCE: Readonly<Record<string, (object: ApiObject) => Iterable<[string, Quantity]>>> = {
  pods: podUsage,
  services: serviceUsage,
  persistentvolumeclaims: claimUsage,
};

/** A pod that has ended, or that outlived its grace period, uses nothing any more but its place in storage. */
function podUsage(pod: ApiObject): Iterable<[string, Quantity]> {
  if (['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'))) return [];
  const spec = objectAt(pod, 'spec') ?? {};
  return [['pods', ONE], ...computeUsage(podTotals(spec, 'requests'), podTotals(spec, 'limits'))];
}

const MEASURED = ['cpu', 'memory', 'ephemeral-storage'];

/** Requests count under their own name and under `requests.`; limits under `limits.`. */
export function computeUsage(requests: Amounts, limits: Amounts): [string, Quantity][] {
  return [
    ...[...requests].flatMap(([name, value]): [string, Quantity][] => {
      if (MEASURED.includes(name) || isHugePages(name))
        return [
          [name, value],
          [`requests.${name}`, value],
        ];
      return isExtendedResource(name) ? [[`requests.${name}`, value]] : [];
    }),
    ...[...limits].filter(([name]) => MEASURED.includes(name)).map(([name, value]): [string, Quantity] => [`limits.${name}`, value]),
  ];
}

function serviceUsage(service: ApiObject): Iterable<[string, Quantity]> {
  const spec = objectAt(service, 'spec') ?? {};
  const ports = objectsIn(spec, 'ports');
  const balanced = spec['type'] === 'LoadBalancer';
  const allocated = spec['type'] === 'NodePort' || (balanced && spec['allocateLoadBalancerNodePorts'] !== false);
  const opened = allocated ? ports.length : balanced ? ports.filter((port) => Number(port['nodePort'] ?? 0) !== 0).length : 0;
  return [
    ['services.nodeports', amount(opened)],
    ['services.loadbalancers', amount(balanced ? 1 : 0)],
  ];
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** While a claim grows, what is being allocated counts. */
function claimUsage(claim: ApiObject): Iterable<[string, Quantity]> {
  const requested = memberAt(claim, 'spec', 'resources', 'requests', 'storage');
  const growing = memberAt(claim, 'status', 'allocatedResources', 'storage');
  const larger = growing !== undefined && wholeValue(growing) > wholeValue(requested) ? growing : requested;
  const size = larger === undefined || larger === null ? null : roundedUp(larger);
  const storageClass = claim.metadata.annotations?.[CLASS_ANNOTATION] ?? textAt(claim, 'spec', 'storageClassName');
  const ofClass = `${storageClass}.storageclass.storage.k8s.io/`;
  return [
    ...(size === null ? [] : [['requests.storage', size] as [string, Quantity]]),
    ...(storageClass === ''
      ? []
      : [
          [`${ofClass}persistentvolumeclaims`, ONE] as [string, Quantity],
          ...(size === null ? [] : [[`${ofClass}requests.storage`, size] as [string, Quantity]]),
        ]),
  ];
}

const roundedUp = (value: JsonValue): Quantity => {
  const quantity = quantityOf(value);
  return quantity.exponent >= 0 ? quantity : { ...quantity, digits: wholeValue(value), exponent: 0 };
};

/** What is used more than before; what became less is not given back here, the controller recounts it. */
export function growth(now: Amounts, before: Amounts | null, subtract: (a: Quantity, b: Quantity) => Quantity): Amounts {
  const grown = [...now].map(
    ([name, value]) => [name, before?.has(name) === true ? subtract(value, before.get(name) ?? value) : value] as const,
  );
  return new Map(grown.filter(([, value]) => value.digits > 0n));
}
