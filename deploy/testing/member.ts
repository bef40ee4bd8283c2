import type { ClusterMember } from '../cluster.js';
import type { ManagedProgram } from '../managedProgram.js';
import type { MemberOrder } from './orders.js';

/** One API server of a test's cluster. */
export interface TestMember {
  /** `r1`, `r2` … */
  readonly id: string;
  /** Its own address, past the balancer. */
  readonly url: string;
  readonly running: boolean;
  /** Ends it at once, as SIGKILL does. Acknowledged writes stay. */
  kill(): Promise<void>;
  /** Suspends it: connections stay open, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Delays each write to the member's log by this time, until it is set to 0 or the cluster is reset. Resolves when the member has the order. */
  slowDisk(ms: number): Promise<void>;
  /** Starts it again, ending it first if it runs; resolves when it is ready. */
  restart(): Promise<void>;
}

export class OrderedProgram {
  readonly #program: ManagedProgram;
  readonly #done = new Map<number, () => void>();
  #turns = 0;

  constructor(program: ManagedProgram) {
    this.#program = program;
  }

  get name(): string {
    return this.#program.spec.name;
  }

  /** Resolves when the order is executed; at once for a stopped or suspended program (`hears` is false), which gets the order when it returns. */
  tell(order: MemberOrder, hears = true): Promise<void> {
    if (!this.#program.running || !hears) {
      this.#program.send(order);
      return Promise.resolve();
    }
    const turn = ++this.#turns;
    const done = new Promise<void>((resolve) => {
      this.#done.set(turn, resolve);
    });
    this.#program.send({ ...order, turn });
    return Promise.race([done, this.#program.ended.then(() => undefined)]);
  }

  carriedOut(turn: number): void {
    this.#done.get(turn)?.();
    this.#done.delete(turn);
  }
}

/** A member and the faults inside it. */
export class FaultyMember extends OrderedProgram implements TestMember {
  readonly #member: ClusterMember;
  readonly #inForce: () => readonly MemberOrder[];
  #paused = false;
  #slowMs = 0;

  constructor(member: ClusterMember, inForce: () => readonly MemberOrder[]) {
    super(member.process);
    this.#member = member;
    this.#inForce = inForce;
  }

  get id(): string {
    return this.#member.id;
  }
  get url(): string {
    return this.#member.address;
  }
  get running(): boolean {
    return this.#member.process.running;
  }
  get answers(): boolean {
    return this.running && !this.#paused;
  }

  async kill(): Promise<void> {
    this.#paused = false;
    await this.#member.process.kill();
  }

  pause(): void {
    this.#paused = true;
    this.#member.process.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#member.process.resume();
  }

  async restart(): Promise<void> {
    await this.kill();
    const ready = this.#member.restart();
    const own: MemberOrder = { order: 'slowDisk', ms: this.#slowMs };
    await Promise.all([ready, ...[own, ...this.#inForce()].map((order) => this.tell(order))]);
  }

  async slowDisk(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`a disk cannot be slower by ${ms} ms`);
    this.#slowMs = ms;
    await this.tell({ order: 'slowDisk', ms });
  }

  /** A suspended member receives it when it goes on. */
  override tell(order: MemberOrder): Promise<void> {
    return super.tell(order, !this.#paused);
  }
}
