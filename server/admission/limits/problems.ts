import type { JsonObject } from '../../../api/object.js';
import { compareQuantities, type Quantity } from '../../../api/quantity.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { amountsOf, podTotals, textOf, type Amounts } from '../../kinds/core/pod/totals.js';

interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}
type Bound = (resource: string, type: string, enforced: Quantity, asked: Asked) => string | null;

const less = (a: Quantity, b: Quantity): boolean => compareQuantities(a, b) < 0;

const minimum: Bound = (resource, type, enforced, { requests, limits }) => {
  const head = `minimum ${resource} usage per ${type} is ${textOf(enforced)}`;
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  if (request === undefined) return `${head}.  No request is specified`;
  if (less(request, enforced)) return `${head}, but request is ${textOf(request)}`;
  return limit !== undefined && less(limit, enforced) ? `${head}, but limit is ${textOf(limit)}` : null;
};

const maximum: Bound = (resource, type, enforced, { requests, limits }) => {
  const head = `maximum ${resource} usage per ${type} is ${textOf(enforced)}`;
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  if (limit === undefined) return `${head}.  No limit is specified`;
  if (less(enforced, limit)) return `${head}, but limit is ${textOf(limit)}`;
  return request !== undefined && less(enforced, request) ? `${head}, but request is ${textOf(request)}` : null;
};

const maximumRequest: Bound = (resource, type, enforced, { requests }) => {
  const head = `maximum ${resource} usage per ${type} is ${textOf(enforced)}`;
  const request = requests.get(resource);
  if (request === undefined) return `${head}.  No request is specified`;
  return less(enforced, request) ? `${head}, but request is ${textOf(request)}` : null;
};

const ratio: Bound = (resource, type, enforced, { requests, limits }) => {
  const head = `${resource} max limit to request ratio per ${type} is ${textOf(enforced)}`;
  const [request, limit] = [requests.get(resource), limits.get(resource)];
  if (request === undefined || request.digits === 0n) return `${head}, but no request is specified or request is 0`;
  if (limit === undefined || limit.digits === 0n) return `${head}, but no limit is specified or limit is 0`;
  if (!less(product(enforced, request), limit)) return null;
  const observed = (Number(limit.digits) / Number(request.digits)) * 10 ** (limit.exponent - request.exponent);
  return `${head}, but provided ratio is ${observed.toFixed(6)}`;
};

const product = (a: Quantity, b: Quantity): Quantity => ({ ...a, digits: a.digits * b.digits, exponent: a.exponent + b.exponent });

const podBounds = [
  ['min', minimum],
  ['max', maximum],
  ['maxLimitRequestRatio', ratio],
] as const;
const claimBounds = [
  ['min', minimum],
  ['max', maximumRequest],
] as const;

function broken(limit: JsonObject, bounds: readonly (readonly [member: string, bound: Bound])[], asked: Asked): string[] {
  return bounds.flatMap(([member, bound]) =>
    [...amountsOf(objectAt(limit, member))]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, enforced]) => bound(resource, textAt(limit, 'type'), enforced, asked))
      .filter((problem) => problem !== null),
  );
}

const askedBy = (holder: JsonObject): Asked => {
  const resources = objectAt(holder, 'resources') ?? {};
  return { requests: amountsOf(objectAt(resources, 'requests')), limits: amountsOf(objectAt(resources, 'limits')) };
};

export function podProblems(spec: JsonObject, limits: readonly JsonObject[]): string[] {
  const containers = [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')].map(askedBy);
  let together: Asked | null = null;
  return limits.flatMap((limit) => {
    if (limit['type'] === 'Container') return containers.flatMap((asked) => broken(limit, podBounds, asked));
    if (limit['type'] !== 'Pod') return [];
    together ??= { requests: podTotals(spec, 'requests'), limits: podTotals(spec, 'limits') };
    return broken(limit, podBounds, together);
  });
}

/** Limits of claims count for nothing. */
export function claimProblems(spec: JsonObject, limits: readonly JsonObject[]): string[] {
  const asked = { ...askedBy(spec), limits: new Map() };
  return limits.filter((limit) => limit['type'] === 'PersistentVolumeClaim').flatMap((limit) => broken(limit, claimBounds, asked));
}
