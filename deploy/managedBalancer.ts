import fs from 'node:fs';
import { startLoadBalancer, type LoadBalancer, type LoadBalancerOptions } from './loadBalancer.js';
import { Managed, type Exit, type ManagedProgram, type ProcessSpec, type ProgramEvents } from './managedProgram.js';

/**
 * The balancer inside this process, which started the servers and so can hand connections over (`handOver.ts`). When killed, it drops its clients; connections
 * that servers took over stay.
 */
export class ManagedBalancer extends Managed<Run> implements ManagedProgram {
  readonly #options: Omit<LoadBalancerOptions, 'log'>;
  readonly #events: ProgramEvents;
  readonly connectionTaker = null;

  constructor(spec: ProcessSpec, options: Omit<LoadBalancerOptions, 'log'>, events: ProgramEvents = {}) {
    super(spec);
    this.#options = options;
    this.#events = events;
  }

  get pid(): number | null {
    return this.current ? process.pid : null;
  }

  start(): void {
    if (this.current) throw new Error(`${this.spec.name} is running already`);
    const balancer = startLoadBalancer({ ...this.#options, log: (line) => this.#say(line) });
    this.ending = new Promise((resolve) => {
      this.current = { balancer, resolve };
    });
    const run = this.current;
    this.ready = balancer.then(() => this.#say(`listening on ${this.#options.host}:${this.#options.port}`));
    this.ready.catch((error: unknown) => {
      this.#say(`cannot start: ${error instanceof Error ? error.message : String(error)}`);
      this.#finish(run, { code: 1, signal: null, expected: false });
    });
    this.#events.onStart?.();
  }

  /** It takes no messages. */
  send(): void {}

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const run = this.current;
    if (!run) return;
    const balancer = await run.balancer.catch(() => null);
    this.#say(`${signal}: stopping`);
    await balancer?.close();
    this.#finish(run, signal === 'SIGKILL' ? { code: null, signal, expected: true } : { code: 0, signal: null, expected: true });
  }

  pause(): void {
    void this.current?.balancer.then((balancer) => balancer.pause());
  }
  resume(): void {
    void this.current?.balancer.then((balancer) => balancer.resume());
  }

  async stop(): Promise<boolean> {
    await this.kill('SIGTERM');
    return true;
  }

  #finish(run: Run | null, exit: Exit): void {
    if (run === null || this.current !== run) return;
    this.current = null;
    run.resolve(exit);
    this.#events.onExit?.(exit);
  }

  #say(line: string): void {
    fs.appendFileSync(this.spec.log, `${new Date().toISOString()} ${line}\n`);
  }
}

interface Run {
  readonly balancer: Promise<LoadBalancer>;
  readonly resolve: (exit: Exit) => void;
}
