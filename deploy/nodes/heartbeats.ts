import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  nameOf,
  pause,
  strategicPatch,
  unless,
  type ControllerEnvironment,
} from '../../controllers/client/index.js';
import { type Node, nodes } from '../../api/types/core/v1.js';
import { leaseNamespace, leaseOf, leases, nodeName, nodeObject, nodeStatus, renewed, type Lease, type PressureState } from './node.js';
import { isLost, pressures, pressuresOf, type Pressure } from './nodeFaults.js';

export interface HeartbeatOptions {
  readonly count: number;
  readonly version: string;
  /** The port for logs, processes and ports of the nodes' pods. */
  readonly port: number;
}

const leaseEveryMs = 10_000;
/** Nodes renew their leases in this many groups in turn, for an even load. */
const groups = 20;
const statusEveryLeases = 30;
const registrationsAtOnce = 64;
const notReadyTaint = 'node.kubernetes.io/not-ready';

/** Reports nodes to the server: their registration, leases and conditions. */
export class Heartbeats {
  readonly #environment: ControllerEnvironment;
  readonly #options: HeartbeatOptions;
  readonly #since: number;
  /** Last written leases by node index, so that a renewal is one request. */
  readonly #leases = new Map<number, Lease>();
  readonly #registered = new Set<number>();
  readonly #lost = new Set<number>();
  /** Last reported pressures by node index. */
  readonly #pressed = new Map<number, ReadonlyMap<Pressure, PressureState>>();

  constructor(environment: ControllerEnvironment, options: HeartbeatOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#since = environment.clock.now();
  }

  /** Creates missing nodes and makes all nodes ready. It may be called again after a failure. */
  async register(): Promise<void> {
    const left = Array.from({ length: this.#options.count }, (_, index) => index).reverse();
    const work = async (): Promise<void> => {
      for (let index = left.pop(); index !== undefined; index = left.pop()) await this.#register(index);
    };
    await Promise.all(Array.from({ length: registrationsAtOnce }, work));
  }

  async #register(index: number): Promise<void> {
    const { api } = this.#environment;
    const status = this.#status(index);
    const created = await unless(isAlreadyExists, api.create(nodes, nodeObject(index, status)));
    await this.#untaint(created ?? (await this.#nodeAt(index)));
    if (!created) await this.#report(index, status);
    await this.#renewAnew(index);
    this.#registered.add(index);
  }

  /** Controllers write new nodes at the same time. */
  async #untaint(node: Node | null): Promise<void> {
    const taints = node?.spec?.taints?.filter(({ key }) => key !== notReadyTaint) ?? [];
    if (!node || taints.length === (node.spec?.taints?.length ?? 0)) return;
    const { api } = this.#environment;
    const written = await unless(isConflict, api.update(nodes, { ...node, spec: { ...node.spec, taints } }));
    if (!written) await this.#untaint(await api.get<Node>(nodes, { namespace: '', name: nameOf(node) }));
  }

  #nodeAt(index: number): Promise<Node | null> {
    return unless(isNotFound, this.#environment.api.get<Node>(nodes, { namespace: '', name: nodeName(index) }));
  }

  /**
   * Renews leases and reports conditions of registered nodes until `signal` aborts: it runs during registration, since the first of thousands need it before
   * the last is registered. A failure is retried in the next round.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#environment;
    let due = clock.elapsed();
    for (let turn = 0; !signal.aborted; turn++) {
      due += leaseEveryMs / groups;
      await pause(clock, Math.max(0, due - clock.elapsed()), signal);
      if (signal.aborted) return;
      await this.#beat(turn % groups, Math.floor(turn / groups) + 1).catch((error: unknown) => log('error', `heartbeat: ${String(error)}`));
    }
  }

  async #beat(group: number, turn: number): Promise<void> {
    const members: Promise<void>[] = [];
    for (let index = group; index < this.#options.count; index += groups) members.push(this.#beatOne(index, turn));
    await Promise.all(members);
  }

  async #beatOne(index: number, turn: number): Promise<void> {
    const node = this.#seen(index);
    if (!this.#registered.has(index)) return;
    if (isLost(node)) return void this.#lost.add(index);
    // Reports at once, since the cluster has given the node up meanwhile.
    const isBack = this.#lost.delete(index);
    await this.#renew(index);
    const wanted = pressuresOf(node);
    const isNew = pressures.some((name) => wanted.has(name) !== (this.#pressed.get(index)?.get(name)?.pressed ?? false));
    if (isBack || isNew || turn % statusEveryLeases === index % statusEveryLeases) await this.#report(index, this.#status(index));
  }

  async #renew(index: number): Promise<void> {
    const { api, clock } = this.#environment;
    const lease = this.#leases.get(index);
    const changed = (error: unknown): boolean => isConflict(error) || isNotFound(error);
    const written = lease && (await unless(changed, api.update(leases, renewed(lease, clock.now()))));
    if (written) this.#leases.set(index, written);
    else await this.#renewAnew(index);
  }

  async #renewAnew(index: number): Promise<void> {
    const { api, clock } = this.#environment;
    this.#leases.delete(index);
    const node = await this.#nodeAt(index);
    // A deleted node stays away until the next start.
    if (!node) return;
    const before = await unless(isNotFound, api.get(leases, { namespace: leaseNamespace, name: nameOf(node) }));
    const lease = leaseOf(node, clock.now(), before);
    const overtaken = (error: unknown): boolean => isConflict(error) || isAlreadyExists(error);
    const written = await unless(overtaken, before ? api.update(leases, lease) : api.create(leases, lease));
    if (written) this.#leases.set(index, written);
  }

  /** Cheaper than a request, and slightly old; absent before the first list. */
  #seen(index: number): Node | undefined {
    return this.#environment.informers.of(nodes).cache.get(nodeName(index));
  }

  #status(index: number): object {
    const { version, port } = this.#options;
    const now = this.#environment.clock.now();
    const wanted = pressuresOf(this.#seen(index));
    const before = this.#pressed.get(index);
    const stateOf = (name: Pressure): PressureState => {
      const state = before?.get(name) ?? { pressed: false, since: this.#since };
      return state.pressed === wanted.has(name) ? state : { pressed: wanted.has(name), since: now };
    };
    const pressed = new Map(pressures.map((name) => [name, stateOf(name)]));
    this.#pressed.set(index, pressed);
    return nodeStatus(index, { now, since: this.#since, version, port, pressed });
  }

  async #report(index: number, status: object): Promise<void> {
    const patched = this.#environment.api.patch(nodes, { namespace: '', name: nodeName(index) }, strategicPatch({ status }), {
      subresource: 'status',
    });
    await unless(isNotFound, patched);
  }
}
