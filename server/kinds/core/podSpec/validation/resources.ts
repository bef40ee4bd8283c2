import { compareQuantities, formatQuantity } from '../../../../../api/quantity.js';
import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../api/json/members.js';
import {
  duplicate,
  fieldNotFound,
  forbidden,
  invalid,
  keepable,
  notSupported,
  required,
  type FieldError,
  type Path,
} from '../../../../registry/validation/field.js';
import { compareAmounts, isWhole, nonNegativeQuantity, wholeValue } from '../../../../registry/validation/quantities.js';
import { quantityOf } from '../../../../../api/resourceLists.js';
import { isWholeResource, validateContainerResourceName, validateResourceName } from '../../../../registry/validation/resourcenames.js';
import { hugePageSize, isHugePages, isOvercommitAllowed } from '../../../../../api/resourceNames.js';
import { dnsLabel } from '../../../../registry/validation/values.js';
import { aggregateAmounts, isPodResource } from '../../../../../api/pods/podResources.js';

export function validateContainerResources(resources: JsonObject, claims: ReadonlySet<string>, path: Path): FieldError[] {
  return [...validateRequirements(resources, validateContainerResourceName, path), ...validateClaims(resources, claims, path)];
}

type NameRule = (name: string, path: Path) => FieldError[];

function validateRequirements(resources: JsonObject, nameRule: NameRule, path: Path): FieldError[] {
  const limits = Object.entries(objectAt(resources, 'limits') ?? {});
  const requests = Object.entries(objectAt(resources, 'requests') ?? {});
  const limitOf = new Map(limits);
  const findings = limits.flatMap(([name, amount]) => validateAmount(name, amount as string, nameRule, path.child('limits').key(name)));
  for (const [name, amount] of requests) {
    findings.push(...validateAmount(name, amount as string, nameRule, path.child('requests').key(name)));
    findings.push(...withinLimit(name, { amount: amount as string, limit: limitOf.get(name) as string | undefined }, path));
  }
  const names = new Set([...limits, ...requests].map(([name]) => name));
  const huge = [...names].some(isHugePages);
  if (huge && !names.has('cpu') && !names.has('memory')) findings.push(forbidden(path, 'HugePages require cpu or memory'));
  return findings;
}

function validateAmount(name: string, amount: string, nameRule: NameRule, path: Path): FieldError[] {
  return [
    ...nameRule(name, path),
    ...nonNegativeQuantity(amount, path),
    ...(isWholeResource(name) && !isWhole(amount) ? [invalid(path, amount, 'must be an integer')] : []),
    ...(isHugePages(name) && !isMultiple(amount, hugePageSize(name))
      ? keepable('part of a huge page', [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)])
      : []),
  ];
}

function isMultiple(amount: string, size: string): boolean {
  const page = wholeValue(size);
  return page > 0n && quantityOf(amount).digits > 0n && wholeValue(amount) % page === 0n;
}

function withinLimit(
  name: string,
  { amount, limit }: { readonly amount: string; readonly limit: string | undefined },
  path: Path,
): FieldError[] {
  if (limit === undefined)
    return isOvercommitAllowed(name) ? [] : [required(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  const order = compareAmounts(amount, limit);
  if (order !== 0 && !isOvercommitAllowed(name))
    return [invalid(path.child('requests'), amount, `must be equal to ${name} limit of ${limit}`)];
  return order > 0 ? [invalid(path.child('requests'), amount, `must be less than or equal to ${name} limit of ${limit}`)] : [];
}

function validateClaims(resources: JsonObject, claims: ReadonlySet<string>, path: Path): FieldError[] {
  const seen = new Set<string>();
  return objectsIn(resources, 'claims').flatMap((claim, position) => {
    const at = path.child('claims').index(position);
    const [name, request] = [textAt(claim, 'name'), textAt(claim, 'request')];
    const key = request === '' ? name : `${name}/${request}`;
    const repeated = seen.has(key);
    seen.add(key);
    if (name === '') return [required(at, '')];
    const ofRequest = request === '' ? [] : dnsLabel(request, at.child('request'));
    if (repeated) return [...ofRequest, duplicate(at, key)];
    if (claims.has(name)) return ofRequest;
    const finding = fieldNotFound(at, name);
    return [
      ...ofRequest,
      claims.size === 0
        ? { ...finding, message: `${finding.message}: must be one of the names in pod.spec.resourceClaims which is empty` }
        : finding,
    ];
  });
}

const resizable = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

export function validateResizePolicy(container: JsonObject, restartPolicy: string, path: Path): FieldError[] {
  const seen = new Set<string>();
  return objectsIn(container, 'resizePolicy').flatMap((policy, position) => {
    const resource = textAt(policy, 'resourceName');
    const restart = textAt(policy, 'restartPolicy');
    const findings: FieldError[] = [];
    if (seen.has(resource)) findings.push(duplicate(path.index(position), resource));
    seen.add(resource);
    if (resource === '') findings.push(required(path, ''));
    else if (!resizable.includes(resource)) findings.push(notSupported(path, resource, resizable));
    if (restart === '') findings.push(required(path, ''));
    else if (!resizePolicies.includes(restart)) findings.push(notSupported(path, restart, resizePolicies));
    if (restartPolicy === 'Never' && restart !== 'NotRequired' && restart !== '')
      findings.push(invalid(path, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    return findings;
  });
}

const podResources = ['cpu', 'hugepages-', 'memory'];

function validatePodResourceName(name: string, path: Path): FieldError[] {
  const findings = validateResourceName(name, path);
  return findings.length > 0 || isPodResource(name) ? findings : [notSupported(path, name, podResources)];
}

export function validatePodResources(spec: JsonObject, specPath: Path): FieldError[] {
  const resources = objectAt(spec, 'resources');
  if (resources === null) return [];
  const path = specPath.child('resources');
  if (textAt(spec, 'os', 'name') === 'windows') return [forbidden(path, 'may not be set for a windows pod')];
  return [
    ...(objectsIn(resources, 'claims').length > 0
      ? [forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level')]
      : []),
    ...validateRequirements(resources, validatePodResourceName, path),
    ...validateConsistency(spec, resources, path),
  ];
}

function validateConsistency(spec: JsonObject, resources: JsonObject, path: Path): FieldError[] {
  const limits = objectAt(resources, 'limits') ?? {};
  return [
    ...validateTotals(spec, resources, 'requests', path),
    ...validateTotals(spec, resources, 'limits', path),
    ...objectsIn(spec, 'containers').flatMap((container, position) =>
      Object.entries(objectAt(objectAt(container, 'resources') ?? {}, 'limits') ?? {})
        .filter(([name, limit]) => limits[name] !== undefined && compareAmounts(limit, limits[name]) > 0)
        .map(([name, limit]) =>
          invalid(
            path.child('containers').index(position).key(name).child('limits'),
            limit,
            `must be less than or equal to pod limits of ${String(limits[name])}`,
          ),
        ),
    ),
  ];
}

/** Resources that add up over containers. */
const addedUp = { requests: () => true, limits: isHugePages } as const;

function validateTotals(spec: JsonObject, resources: JsonObject, of: keyof typeof addedUp, path: Path): FieldError[] {
  const amounts = objectAt(resources, of) ?? {};
  return [...aggregateAmounts(spec, of)]
    .filter(([name, total]) => addedUp[of](name) && amounts[name] !== undefined && compareQuantities(total, quantityOf(amounts[name])) > 0)
    .map(([name, total]) =>
      invalid(
        path.child(of).key(name),
        amounts[name] as JsonValue,
        `must be greater than or equal to aggregate container ${of} of ${formatQuantity(total)}`,
      ),
    );
}

/** The additional cost of running a pod. */
export function validateOverhead(spec: JsonObject, path: Path): FieldError[] {
  const overhead = objectAt(spec, 'overhead');
  return overhead === null ? [] : validateRequirements({ limits: overhead }, validateContainerResourceName, path.child('overhead'));
}
