import net from 'node:net';
import { connectionOrder, newBackend, recordConnectFailure, recordProbe, shouldCutSessions, type Backend } from './backends.js';
import { describeReadiness, RepeatedProbe } from './readiness.js';

/**
 * A TCP load balancer for one machine: it moves bytes, so TLS, HTTP/2 and watches pass through untouched. New connections go to
 * the ready backend with the fewest; a backend that cannot be reached is skipped, and comes back when `/readyz` succeeds.
 * Which backend is chosen is decided in `backends.ts`.
 */

const probeIntervalMs = 500;
/** While no backend is up there is nothing to disturb, and clients wait: look more often. */
const urgentProbeIntervalMs = 50;
/** An API server without a majority needs two seconds to say that it is not ready; that is an answer, and not silence. */
const probeTimeoutMs = 2500;
const connectTimeoutMs = 1000;
/** Sessions open at once; further clients wait in the kernel's queue or are refused. */
const connectionsMax = 10_000;

export interface LoadBalancerOptions {
  readonly host: string;
  readonly port: number;
  readonly backends: readonly { readonly host: string; readonly port: number }[];
  /** PEM text; see `Probe.ca`. */
  readonly ca?: string | undefined;
  readonly log: (line: string) => void;
}

export interface LoadBalancer {
  readonly port: number;
  /** A look at the present state, for tests and reports. */
  backends(): readonly Readonly<Backend>[];
  /** Stops listening and cuts every session. */
  close(): Promise<void>;
}

/** Starts listening; rejects with the system's error, which names the port. */
export async function startLoadBalancer(options: LoadBalancerOptions): Promise<LoadBalancer> {
  const balancer = new Balancer(options);
  await balancer.listen();
  return balancer;
}

class Balancer implements LoadBalancer {
  readonly #backends: readonly Backend[];
  readonly #sessions = new Map<Backend, Set<net.Socket>>();
  /** `pauseOnConnect`: nothing is read from a client before a backend is there to take it. */
  readonly #server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) => this.#accept(client));
  readonly #waiting = new Set<net.Socket>();
  readonly #timers = new Map<Backend, NodeJS.Timeout>();
  readonly #probes: RepeatedProbe[] = [];
  #closed = false;

  constructor(private readonly options: LoadBalancerOptions) {
    this.#backends = options.backends.map(({ host, port }) => newBackend(host, port));
    for (const backend of this.#backends) this.#sessions.set(backend, new Set());
    this.#server.maxConnections = connectionsMax;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }
  backends(): readonly Backend[] {
    return this.#backends;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.options.port, this.options.host, resolve);
    });
    this.#server.on('error', (error) => this.options.log(`listener: ${error.message}`));
    for (const backend of this.#backends) {
      const { host, port } = backend;
      const probe = new RepeatedProbe({ host, port, timeoutMs: probeTimeoutMs, ca: this.options.ca });
      this.#probes.push(probe);
      void this.#look(backend, probe);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const probe of this.#probes) probe.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const client of this.#waiting) client.destroy();
    for (const backend of this.#backends) this.#cut(backend);
    await closed;
  }

  // ---- health ----

  async #look(backend: Backend, probe: RepeatedProbe): Promise<void> {
    const readiness = await probe.ask();
    if (this.#closed) return probe.close();
    if (recordProbe(backend, readiness, performance.now())) this.#report(backend, describeReadiness(readiness));
    this.#cutHangingSessions();
    const interval = this.#backends.some(({ state }) => state === 'up') ? probeIntervalMs : urgentProbeIntervalMs;
    this.#timers.set(
      backend,
      setTimeout(() => void this.#look(backend, probe), interval),
    );
  }

  #cutHangingSessions(): void {
    for (const backend of this.#backends) {
      if (!shouldCutSessions(backend, this.#backends, performance.now())) continue;
      const sessions = this.#cut(backend);
      if (sessions > 0) this.options.log(`${name(backend)}: cut ${sessions} sessions; other replicas are ready`);
    }
  }

  #report(backend: Backend, reason: string): void {
    this.options.log(`${name(backend)} is ${backend.state}: ${reason}`);
  }

  // ---- sessions ----

  #accept(client: net.Socket): void {
    client.on('error', () => client.destroy());
    this.#waiting.add(client);
    void this.#connect(client).finally(() => this.#waiting.delete(client));
  }

  /** Tries each backend once. What the client has sent so far waits in the kernel. */
  async #connect(client: net.Socket): Promise<void> {
    const tried = new Set<Backend>();
    for (;;) {
      const backend = connectionOrder(this.#backends).find((candidate) => !tried.has(candidate));
      if (!backend) break;
      tried.add(backend);
      backend.connections += 1;
      backend.opened += 1;
      const upstream = await dial(backend);
      if (upstream instanceof net.Socket && !client.destroyed && !this.#closed) return this.#join(client, upstream, backend);
      backend.connections -= 1;
      if (upstream instanceof net.Socket) upstream.destroy();
      else if (recordConnectFailure(backend, performance.now())) this.#report(backend, `connection failed: ${upstream.message}`);
      if (client.destroyed || this.#closed) break;
    }
    client.destroy();
  }

  /**
   * `pipe` stops reading from one side while the other is full (bounded buffers), and passes an end on without closing the way
   * back. When one side is gone, what it sent before is still delivered; a reset is passed on as one.
   */
  #join(client: net.Socket, upstream: net.Socket, backend: Backend): void {
    const sessions = this.#sessions.get(backend);
    sessions?.add(client);
    upstream.on('error', () => upstream.destroy());
    client.once('close', (failed) => {
      sessions?.delete(client);
      backend.connections -= 1;
      if (failed) upstream.destroy();
      else upstream.destroySoon();
    });
    upstream.once('close', (failed) => {
      if (failed) client.resetAndDestroy();
      else client.destroySoon();
    });
    client.pipe(upstream);
    upstream.pipe(client);
    client.resume();
  }

  #cut(backend: Backend): number {
    const sessions = this.#sessions.get(backend) ?? new Set();
    const count = sessions.size;
    for (const client of sessions) client.resetAndDestroy();
    return count;
  }
}

function dial(backend: Backend): Promise<net.Socket | Error> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: backend.host, port: backend.port, allowHalfOpen: true, noDelay: true });
    const timer = setTimeout(() => fail(new Error(`not within ${connectTimeoutMs} ms`)), connectTimeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

function name({ host, port }: Backend): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
