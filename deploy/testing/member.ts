import type { ClusterMember } from '../cluster.js';
import type { MemberOrder } from './orders.js';

/** One API server of a test's cluster. */
export interface TestMember {
  /** `r1`, `r2` … */
  readonly id: string;
  /** Past the balancer. */
  readonly url: string;
  readonly running: boolean;
  /** Ends it at once, as SIGKILL does. What was acknowledged stays. */
  kill(): Promise<void>;
  /** It stands still: connections stay open, and nobody answers. */
  pause(): void;
  resume(): void;
  /** Starts it again, after ending it where it still runs; resolves when it is ready. */
  restart(): Promise<void>;
}

/** A member and the faults inside it. */
export class FaultyMember implements TestMember {
  readonly #done = new Map<number, () => void>();
  #turns = 0;
  #paused = false;

  constructor(
    private readonly member: ClusterMember,
    private readonly inForce: () => readonly MemberOrder[],
  ) {}

  get id(): string {
    return this.member.id;
  }
  get url(): string {
    return this.member.address;
  }
  get running(): boolean {
    return this.member.process.running;
  }

  async kill(): Promise<void> {
    this.#paused = false;
    await this.member.process.kill();
  }

  pause(): void {
    this.#paused = true;
    this.member.process.pause();
  }

  resume(): void {
    this.#paused = false;
    this.member.process.resume();
  }

  async restart(): Promise<void> {
    await this.kill();
    const ready = this.member.restart();
    await Promise.all([ready, ...this.inForce().map((order) => this.tell(order))]);
  }

  /** Resolves when the order is carried out; at once for a member that is down or stands still, which hears of it when it comes back. */
  tell(order: MemberOrder): Promise<void> {
    const { process } = this.member;
    if (!process.running || this.#paused) {
      process.send(order);
      return Promise.resolve();
    }
    const turn = ++this.#turns;
    const done = new Promise<void>((resolve) => {
      this.#done.set(turn, resolve);
    });
    process.send({ ...order, turn });
    return Promise.race([done, process.ended.then(() => undefined)]);
  }

  carriedOut(turn: number): void {
    this.#done.get(turn)?.();
    this.#done.delete(turn);
  }
}
