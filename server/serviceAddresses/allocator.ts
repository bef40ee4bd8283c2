import type * as v1 from '../../api/types/core/v1.js';
import { internalError, invalidObject, plainError, type StatusError } from '../../api/status.js';
import type { SideWrite, Storage } from '../storage/contract.js';
import type { AllocationContext, Allocator } from '../registry/allocation.js';
import { itemsOf } from '../../api/json/members.js';
import { readFailure } from '../registry/failures.js';
import { formatAddress, parseOldAddress, type Family, type Range } from '../registry/validation/addresses.js';
import { invalid, Path, toCause, type FieldError } from '../registry/validation/field.js';
import { addressClaim, addresses, claimKey, claimsBeyond, claimsOf, giveBack, nodePorts, portClaim, take, type Claim } from './claims.js';
import { alignAddresses, keepsFamilies, settleFamilies } from '../kinds/core/service/families.js';
import { carryAllocated } from '../kinds/core/service/carry.js';
import { portClaims, type PortRecord } from './portRecord.js';
import { noAllocationCounts, type AllocationCounts, type AllocationScope } from './allocationCounts.js';
import { addressRanges, usable, type PortRange } from './ranges.js';
import type { Draft, Writable } from '../kinds/kind.js';
import {
  allocatesNodePorts,
  clusterIPsOf,
  familiesOf,
  isExternalName,
  isHeadless,
  needsHealthCheckPort,
  opensNodePorts,
  type Spec,
} from '../kinds/core/service/kinds.js';
import { specOf } from '../kinds/parts.js';

export interface ServiceAllocatorOptions {
  readonly storage: Storage;
  /** Ranges of `--service-cluster-ip-range`; the first family is primary. */
  readonly ranges: readonly Range[];
  readonly ports: PortRange;
  /** The record of taken ports. Default: one object each (`portClaims`). */
  readonly portRecord?: PortRecord;
  readonly counts?: AllocationCounts;
}

type Options = ServiceAllocatorOptions & { readonly portRecord: PortRecord; readonly counts: AllocationCounts };

type Service = Draft<v1.Service>;
type Ports = readonly Writable<v1.ServicePort>[];

/** The values that one search tries in a full range. */
const probesMax = 65_536;
const portsPath = Path.of('spec', 'ports');

export const createServiceAllocator = (options: ServiceAllocatorOptions): Allocator =>
  new ServiceAllocator({
    ...options,
    portRecord: options.portRecord ?? portClaims(options.storage),
    counts: options.counts ?? noAllocationCounts,
  });

class ServiceAllocator implements Allocator {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async allocate(service: Service, old: Service | null, context: AllocationContext): Promise<readonly SideWrite[]> {
    const [spec, before] = [specOf(service), old === null ? null : specOf(old)];
    if (before !== null) carryAllocated(spec, before);
    alignAddresses(spec, before);
    const refused = settleFamilies(spec, before, this.#families, context.enabled);
    if (refused.length > 0) throw refuse(service, refused);
    const held = old === null ? [] : claimsOf(old);
    const round = new Round(this.#options, service, held, context);
    if (needsAddresses(spec, before)) await round.chooseAddresses(before === null ? [] : heldAddresses(before));
    await round.choosePorts(before);
    const wanted = claimsOf(service);
    return this.#change(claimsBeyond(wanted, held), claimsBeyond(held, wanted), (claims) => take(claims, service, context));
  }

  release(service: Service): readonly SideWrite[] {
    return this.#change([], claimsOf(service), () => []);
  }

  #change(taken: readonly Claim[], given: readonly Claim[], taking: (claims: readonly Claim[]) => readonly SideWrite[]): SideWrite[] {
    return [
      ...taking(taken.filter((claim) => !isPort(claim))),
      ...giveBack(given.filter((claim) => !isPort(claim))),
      ...this.#options.portRecord.change({ taken: taken.filter(isPort), given: given.filter(isPort), taking }),
    ];
  }

  get #families(): Family[] {
    return [...new Set(this.#options.ranges.map(({ family }) => family))];
  }
}

/** One allocation. Values that it has chosen are not free. */
class Round {
  readonly #options: Options;
  readonly #service: Service;
  readonly #spec: Spec;
  readonly #context: AllocationContext;
  readonly #chosen = new Set<string>();
  readonly #held: ReadonlySet<string>;
  readonly #counts: AllocationCounts;

  constructor(options: Options, service: Service, held: readonly Claim[], context: AllocationContext) {
    this.#options = options;
    this.#service = service;
    this.#spec = specOf(service);
    this.#context = context;
    this.#held = new Set(held.map(idOf));
    this.#counts = context.dryRun ? noAllocationCounts : options.counts;
  }

  /** Chooses one address per family; checks requested ones, keeps existing ones. */
  async chooseAddresses(held: readonly string[]): Promise<void> {
    const spec = this.#spec;
    const addresses = clusterIPsOf(spec).filter((address) => address !== '');
    const families = familiesOf(spec);
    for (const address of addresses.slice(held.length, families.length)) await this.#checkAddress(address, addresses);
    for (const family of families.slice(addresses.length)) addresses.push(await this.#nextAddress(family as Family));
    spec.clusterIPs = addresses;
    if (addresses[0] !== undefined) spec.clusterIP = addresses[0];
  }

  async #checkAddress(address: string, addresses: readonly string[]): Promise<void> {
    const parsed = parseOldAddress(address);
    const begun = performance.now();
    const ranges = parsed === null ? [] : await addressRanges(this.#options, parsed.family);
    const within = ranges.find((range) => parsed !== null && isUsable(range, parsed.value));
    const problem = await this.#addressProblem(parsed === null ? address : formatAddress(parsed), ranges, within);
    if (problem === null) return void this.#counts.address(within?.text ?? '', 'static', (performance.now() - begun) / 1000);
    if (within !== undefined) this.#counts.addressFailed(within.text, 'static');
    throw refuse(this.#service, [invalid(Path.of('spec', 'clusterIPs'), addresses, `failed to allocate IP ${address}: ${problem}`)]);
  }

  /** A dry run asks one range, not whether the address is taken. */
  async #addressProblem(address: string, ranges: readonly Range[], within: Range | undefined): Promise<string | null> {
    const [first] = ranges;
    if (this.#context.dryRun && first !== undefined)
      return within === first ? null : `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${first.text}`;
    if (within === undefined) return 'the provided network does not match the current range';
    return (await this.#isTaken(addressClaim(address), 'mostRecent')) ? 'provided IP is already allocated' : null;
  }

  async #nextAddress(family: Family): Promise<string> {
    for (const range of await addressRanges(this.#options, family)) {
      const begun = performance.now();
      const found = await this.#search(usable(range), (value) => addressClaim(formatAddress({ family, value })));
      if (found !== null) {
        this.#counts.address(range.text, 'dynamic', (performance.now() - begun) / 1000);
        return found.name;
      }
      this.#counts.addressFailed(range.text, 'dynamic');
    }
    throw internalError(
      new Error(`failed to allocate a serviceIP for Service ${JSON.stringify(this.#service.metadata.name ?? '')}: range is full`),
    );
  }

  /** Entries for one port and different protocols share a node port only on create. An existing health check port stays. */
  async choosePorts(old: Spec | null): Promise<void> {
    if (opensNodePorts(this.#spec)) await (old === null ? this.#chooseNewNodePorts() : this.#chooseNodePorts());
    if (needsHealthCheckPort(this.#spec) && (old === null || !needsHealthCheckPort(old))) await this.#chooseHealthCheckPort();
  }

  async #chooseNewNodePorts(): Promise<void> {
    const ports = itemsOf(this.#spec.ports);
    this.#refuseTooManyPorts(ports);
    const given = nodePortsByPort(ports);
    const shared = new Map<number, number>();
    for (const [position, entry] of ports.entries()) {
      const port = entry.port ?? 0;
      let wanted = entry.nodePort ?? 0;
      if (wanted === 0 && !allocatesNodePorts(this.#spec)) continue;
      if (wanted === 0) wanted = shared.get(port) ?? given.get(entry.port) ?? 0;
      if (wanted === 0) entry.nodePort = await this.#nextPort('failed to allocate a nodePort');
      else {
        if (shared.get(port) !== wanted) await this.#checkNodePort(wanted, portsPath.index(position).child('nodePort'));
        entry.nodePort = wanted;
      }
      if (!shared.has(port)) shared.set(port, entry.nodePort);
    }
  }

  /** A search beyond the size of the range is pointless. */
  #refuseTooManyPorts(ports: Ports): void {
    const { first, last } = this.#options.ports;
    if (ports.length <= last - first + 1 || !allocatesNodePorts(this.#spec)) return;
    if (new Set(ports.map(({ port }) => port)).size <= last - first + 1) return;
    this.#countPort(false, 'dynamic');
    throw internalError(new Error('failed to allocate a nodePort: range is full'));
  }

  /** An update may request one node port for entries of different protocols only. */
  async #chooseNodePorts(): Promise<void> {
    const checked = new Set<number>();
    const taken = new Set<string>();
    for (const [position, entry] of itemsOf(this.#spec.ports).entries()) {
      const wanted = entry.nodePort ?? 0;
      if (wanted === 0 && !allocatesNodePorts(this.#spec)) continue;
      if (wanted === 0) entry.nodePort = await this.#nextPort('failed to allocate a nodePort');
      else if (!checked.has(wanted)) await this.#checkNodePort(wanted, portsPath.index(position).child('nodePort'));
      if (wanted !== 0) checked.add(wanted);
      const key = `{${entry.protocol ?? ''} ${entry.nodePort}}`;
      // The reference reports only a failure here.
      if (taken.has(key)) throw plainError(500, `duplicate nodePort: ${key}`);
      taken.add(key);
    }
  }

  async #checkNodePort(port: number, path: Path): Promise<void> {
    const problem = await this.#portProblem(port);
    if (problem !== null) throw refuse(this.#service, [invalid(path, port, problem)]);
  }

  async #chooseHealthCheckPort(): Promise<void> {
    const wanted = this.#spec.healthCheckNodePort ?? 0;
    if (wanted === 0) {
      this.#spec.healthCheckNodePort = await this.#nextPort('failed to allocate a HealthCheck NodePort 0');
      return;
    }
    const problem = await this.#portProblem(wanted);
    if (problem !== null) throw internalError(new Error(`failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`));
  }

  async #portProblem(port: number): Promise<string | null> {
    const { first, last } = this.#options.ports;
    const claim = portClaim(port);
    if (this.#held.has(idOf(claim)) && !this.#chosen.has(idOf(claim))) return null;
    const problem =
      !this.#context.dryRun && (port < first || port > last)
        ? `provided port is not in the valid range. The range of valid ports is ${first}-${last}`
        : this.#chosen.has(idOf(claim)) || (await this.#isTaken(claim, 'mostRecent'))
          ? 'provided port is already allocated'
          : null;
    this.#countPort(problem === null, 'static');
    if (problem === null) this.#chosen.add(idOf(claim));
    return problem;
  }

  async #nextPort(failure: string): Promise<number> {
    const { first, last, reserved } = this.#options.ports;
    const found = await this.#search({ first: BigInt(first), last: BigInt(last), reserved: BigInt(reserved) }, (value) =>
      portClaim(Number(value)),
    );
    this.#countPort(found !== null, 'dynamic');
    if (found === null) throw internalError(new Error(`${failure}: range is full`));
    return Number(found.name);
  }

  #countPort(good: boolean, scope: AllocationScope): void {
    if (good) this.#counts.port(scope);
    else this.#counts.portFailed(scope);
  }

  /**
   * Returns the first free value after a random one. The low end of a range is reserved for named values while others are free. The claiming transaction
   * detects stale local state.
   */
  async #search(
    { first, last, reserved }: { readonly first: bigint; readonly last: bigint; readonly reserved: bigint },
    claimOf: (value: bigint) => Claim,
  ): Promise<Claim | null> {
    for (const [low, high] of [
      [first + reserved, last],
      [first, first + reserved - 1n],
    ] as const) {
      const size = high - low + 1n;
      if (size <= 0n) continue;
      const start = BigInt(Math.floor(this.#context.random() * Math.min(Number(size), Number.MAX_SAFE_INTEGER)));
      for (let probe = 0n; probe < size && probe < BigInt(probesMax); probe++) {
        const claim = claimOf(low + ((start + probe) % size));
        if (this.#chosen.has(idOf(claim)) || (await this.#isTaken(claim, 'any'))) continue;
        this.#chosen.add(idOf(claim));
        return claim;
      }
    }
    return null;
  }

  async #isTaken(claim: Claim, at: 'any' | 'mostRecent'): Promise<boolean> {
    if (isPort(claim)) return this.#options.portRecord.isTaken(claim, at);
    const result = await this.#options.storage.get(claimKey(claim), { at });
    if (result.outcome === 'found') return true;
    if (result.outcome === 'absent') return false;
    throw readFailure(result);
  }
}

/** A new type or second family may need addresses; otherwise a service keeps its own or none (`updateClusterIPs` in core/service/storage/alloc.go). */
function needsAddresses(spec: Spec, old: Spec | null): boolean {
  if (isExternalName(spec) || isHeadless(spec) || keepsFamilies(spec, old)) return false;
  return old === null || isExternalName(old) || (!isHeadless(old) && familiesOf(old).length === 1 && familiesOf(spec).length === 2);
}

const heldAddresses = (old: Spec): string[] => (isExternalName(old) ? [] : clusterIPsOf(old));

const isPort = ({ resource }: Claim): boolean => resource === nodePorts;
const idOf = ({ resource, name }: Claim): string => `${resource === addresses ? 'address' : 'port'} ${name}`;

const refuse = (service: Service, findings: readonly FieldError[]): StatusError =>
  invalidObject({ group: '', kind: 'Service' }, service.metadata.name ?? '', findings.map(toCause));

function isUsable(range: Range, value: bigint): boolean {
  const { first, last } = usable(range);
  return value >= first && value <= last;
}

function nodePortsByPort(ports: Ports): ReadonlyMap<number | undefined, number> {
  const given = new Map<number | undefined, number>();
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !given.has(port)) given.set(port, nodePort);
  return given;
}
