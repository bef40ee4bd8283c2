import type * as v1 from '../../../../../api/types/core/v1.js';
import { compareQuantities, formatQuantity } from '../../../../../api/quantity.js';
import {
  compareAmounts,
  dnsLabel,
  duplicate,
  entryOf,
  fieldNotFound,
  forbidden,
  inOrder,
  invalid,
  isSet,
  isWhole,
  isWholeResource,
  itemsOf,
  keepable,
  missing,
  nonNegativeQuantity,
  notSupported,
  ofEach,
  sortNames,
  validateContainerResourceName,
  validateResourceName,
  wholeValue,
  type FieldError,
  type Found,
  type Known,
  type Path,
  type Writable,
} from '../../../language.js';
import { causesMax } from '../../../../../api/status.js';
import { quantityOf } from '../../../../../api/resourceLists.js';
import { hugePageSize, isHugePages, isOvercommitAllowed } from '../../../../../api/resourceNames.js';
import { aggregateAmounts, isPodResource } from '../../../../../api/pods/podResources.js';
import type { PodFacts } from './facts.js';

type Requirements = Writable<v1.ResourceRequirements>;
type PodSpec = Writable<v1.PodSpec>;
type NameRule = (name: string, path: Path) => FieldError[];

export function containerResources(resources: Requirements | undefined, path: Path, { claims }: PodFacts): Found {
  if (!isSet(resources)) return [];
  return inOrder(validateRequirements(resources, validateContainerResourceName, path), validateClaims(resources, claims, path));
}

function validateRequirements(resources: Requirements, nameRule: NameRule, path: Path): FieldError[] {
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  const [ofLimits, ofRequests] = [path.child('limits'), path.child('requests')];
  const findings: FieldError[] = [];
  let [hugePages, others] = [false, false];
  const seen = (name: string): void => {
    hugePages ||= isHugePages(name);
    others ||= name === 'cpu' || name === 'memory';
  };
  for (const name of Object.keys(limits)) {
    seen(name);
    validateAmount(name, limits[name], { nameRule, path: ofLimits.key(name), findings });
  }
  for (const name of Object.keys(requests)) {
    seen(name);
    validateAmount(name, requests[name], { nameRule, path: ofRequests.key(name), findings });
    const limit = withinLimit(name, requests[name], entryOf(limits, name), path);
    if (limit !== null) findings.push(limit);
  }
  if (hugePages && !others) findings.push(forbidden(path, 'HugePages require cpu or memory'));
  return findings;
}

interface AmountReview {
  readonly nameRule: NameRule;
  readonly path: Path;
  readonly findings: FieldError[];
}

function validateAmount(name: string, amount: string | undefined, { nameRule, path, findings }: AmountReview): void {
  findings.push(...nameRule(name, path), ...nonNegativeQuantity(amount, path));
  if (isWholeResource(name) && !isWhole(amount)) findings.push(invalid(path, amount, 'must be an integer'));
  if (isHugePages(name) && !isMultiple(amount, hugePageSize(name)))
    findings.push(...keepable('part of a huge page', [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)]));
}

function isMultiple(amount: string | undefined, size: string): boolean {
  const page = wholeValue(size);
  return page > 0n && quantityOf(amount).digits > 0n && wholeValue(amount) % page === 0n;
}

function withinLimit(name: string, amount: string | undefined, limit: string | undefined, path: Path): FieldError | null {
  if (limit === undefined)
    return isOvercommitAllowed(name) ? null : missing(path.child('limits'), 'Limit must be set for non overcommitable resources');
  const order = compareAmounts(amount, limit);
  if (order !== 0 && !isOvercommitAllowed(name))
    return invalid(path.child('requests'), amount, `must be equal to ${name} limit of ${limit}`);
  return order > 0 ? invalid(path.child('requests'), amount, `must be less than or equal to ${name} limit of ${limit}`) : null;
}

interface SeenClaims {
  readonly keys: Set<string>;
  readonly requests: Map<string, number>;
}

function validateClaims(resources: Requirements, claims: ReadonlySet<string>, path: Path): Found {
  const seen: SeenClaims = { keys: new Set(), requests: new Map() };
  return ofEach(itemsOf(resources.claims), ({ name = '', request = '' }, position) => {
    const at = path.child('claims').index(position);
    if (name === '') return [missing(at, '')];
    return [...repeatedClaim({ name, request }, seen, at), ...(claims.has(name) ? [] : [unknownClaim(name, claims, at)])];
  });
}

function repeatedClaim(
  { name, request }: Writable<v1.ResourceClaim> & { name: string; request: string },
  seen: SeenClaims,
  at: Path,
): FieldError[] {
  if (seen.keys.has(name)) return [duplicate(at, name)];
  const key = request === '' ? name : `${name}/${request}`;
  const ofRequest = request === '' ? [] : dnsLabel(request, at.child('request'));
  const overlapping = request === '' ? (seen.requests.get(name) ?? 0) : 0;
  if (seen.keys.has(key)) return [...ofRequest, duplicate(at, key)];
  seen.keys.add(key);
  if (request !== '') seen.requests.set(name, (seen.requests.get(name) ?? 0) + 1);
  return [...ofRequest, ...Array.from({ length: Math.min(overlapping, causesMax) }, () => duplicate(at, name))];
}

function unknownClaim(name: string, claims: ReadonlySet<string>, at: Path): FieldError {
  const finding = fieldNotFound(at, name);
  return { ...finding, message: `${finding.message}: must be one of the names in pod.spec.resourceClaims${listed(claims)}` };
}

/** Bounds refusals. */
const listedCharactersMax = 8_192;
const lists = new WeakMap<ReadonlySet<string>, string>();

function listed(claims: ReadonlySet<string>): string {
  let text = lists.get(claims);
  if (text === undefined) {
    text =
      claims.size === 0
        ? ' which is empty'
        : `: ${sortNames([...claims])
            .join(', ')
            .slice(0, listedCharactersMax)}`;
    lists.set(claims, text);
  }
  return text;
}

const resizable = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

export function resizePolicy(list: Writable<v1.ContainerResizePolicy>[] | undefined, path: Path, { restartPolicy }: PodFacts): Found {
  const seen = new Set<string>();
  return ofEach(itemsOf(list), ({ resourceName: resource = '', restartPolicy: restart = '' }, position) => {
    const findings: FieldError[] = [];
    if (seen.has(resource)) findings.push(duplicate(path.index(position), resource));
    seen.add(resource);
    if (resource === '') findings.push(missing(path, ''));
    else if (!resizable.includes(resource)) findings.push(notSupported(path, resource, resizable));
    if (restart === '') findings.push(missing(path, ''));
    else if (!resizePolicies.includes(restart)) findings.push(notSupported(path, restart, resizePolicies));
    if (restartPolicy === 'Never' && restart !== 'NotRequired' && restart !== '')
      findings.push(invalid(path, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    return findings;
  });
}

const podResourceNames = ['cpu', 'hugepages-', 'memory'];

function validatePodResourceName(name: string, path: Path): FieldError[] {
  const findings = validateResourceName(name, path);
  return findings.length > 0 || isPodResource(name) ? findings : [notSupported(path, name, podResourceNames)];
}

export function podResources(resources: Requirements | undefined, path: Path, spec: PodSpec, known?: Known<PodFacts>): Found {
  if (!isSet(resources)) return [];
  if (spec.os?.name === 'windows') return [forbidden(path, 'may not be set for a windows pod')];
  return inOrder(
    resources.claims !== undefined ? [forbidden(path.child('claims'), 'claims may not be set for Resources at pod-level')] : [],
    validateRequirements(resources, validatePodResourceName, path),
    validateClaims(resources, known?.facts?.claims ?? new Set(), path),
    validateConsistency(spec, resources, path),
  );
}

function validateConsistency(spec: PodSpec, resources: Requirements, path: Path): FieldError[] {
  const limits = resources.limits ?? {};
  return [
    ...validateTotals(spec, resources, 'requests', path),
    ...validateTotals(spec, resources, 'limits', path),
    ...itemsOf(spec.containers).flatMap((container, position) =>
      Object.entries(container.resources?.limits ?? {})
        .filter(([name, limit]) => limits[name] !== undefined && compareAmounts(limit, limits[name]) > 0)
        .map(([name, limit]) =>
          invalid(
            path.child('containers').index(position).key(name).child('limits'),
            limit,
            `must be less than or equal to pod limits of ${limits[name]}`,
          ),
        ),
    ),
  ];
}

/** Resources that add up over containers. */
const addedUp = { requests: () => true, limits: isHugePages } as const;

function validateTotals(spec: PodSpec, resources: Requirements, of: keyof typeof addedUp, path: Path): FieldError[] {
  const amounts = resources[of] ?? {};
  return [...aggregateAmounts(spec, of)]
    .filter(([name, total]) => addedUp[of](name) && amounts[name] !== undefined && compareQuantities(total, quantityOf(amounts[name])) > 0)
    .map(([name, total]) =>
      invalid(
        path.child(of).key(name),
        amounts[name],
        `must be greater than or equal to aggregate container ${of} of ${formatQuantity(total)}`,
      ),
    );
}

/** The additional cost of running a pod. */
export const overheadOf = (overhead: Writable<v1.PodSpec>['overhead'], path: Path): FieldError[] =>
  isSet(overhead) ? validateRequirements({ limits: overhead }, validateContainerResourceName, path) : [];
