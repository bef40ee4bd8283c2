import net from 'node:net';
import { connectionOrder, newBackend, recordConnectFailure, recordProbe, shouldCutSessions, type Backend } from './backends.js';
import type { ConnectionTaker } from './handOver.js';
import { ProbeSchedule } from './probeSchedule.js';
import { describeReadiness, RepeatedProbe } from './readiness.js';

/**
 * A TCP load balancer for one machine. It hands connections over to the chosen server where it can (`handOver.ts`), else it proxies bytes. TLS, HTTP/2 and
 * watches pass through untouched. New connections go to the ready backend with the fewest; an unreachable backend is skipped until `/readyz` succeeds.
 */

/** An API server without a majority reports this after two seconds. */
const probeTimeoutMs = 2500;
const connectTimeoutMs = 1000;
/** Most open sessions; further clients wait in the kernel's queue or are refused. */
const connectionsMax = 10_000;

export interface BackendAddress {
  readonly host: string;
  readonly port: number;
  /** Takes connections over; null or absent: they are proxied. */
  readonly taker?: () => ConnectionTaker | null;
}

export interface LoadBalancerOptions {
  readonly host: string;
  readonly port: number;
  readonly backends: readonly BackendAddress[];
  /** PEM text; see `Probe.ca`. */
  readonly ca?: string | undefined;
  readonly log: (line: string) => void;
}

export interface LoadBalancer {
  readonly port: number;
  backends(): readonly Readonly<Backend>[];
  /** Makes new clients wait; open sessions go on. */
  pause(): void;
  resume(): void;
  /** Stops listening and cuts proxied sessions; handed over ones continue. */
  close(): Promise<void>;
}

interface Session {
  readonly cut: () => void;
  readonly release: () => void;
}

/** Resets the connection, so that the client notices the irregular end. */
const carriedSession = (client: net.Socket): Session => ({
  cut: () => client.resetAndDestroy(),
  release: () => client.resetAndDestroy(),
});

/** The server has the same socket, so closing it here alone would do nothing: its end must be sent. */
const handedSession = (client: net.Socket): Session => ({
  cut: () => client.destroySoon(),
  release: () => client.destroy(),
});

export async function startLoadBalancer(options: LoadBalancerOptions): Promise<LoadBalancer> {
  const balancer = new Balancer(options);
  await balancer.listen();
  return balancer;
}

class Balancer implements LoadBalancer {
  readonly #options: LoadBalancerOptions;
  readonly #backends: readonly Backend[];
  readonly #sessions = new Map<Backend, Map<net.Socket, Session>>();
  readonly #takers: ReadonlyMap<Backend, BackendAddress['taker']>;
  /** `pauseOnConnect`: nothing is read before a backend takes it. */
  readonly #server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) => this.#accept(client));
  readonly #waiting = new Set<net.Socket>();
  /** Connections that came while it was paused. */
  readonly #held = new Set<net.Socket>();
  readonly #probes = new Map<Backend, RepeatedProbe>();
  readonly #schedule: ProbeSchedule;
  #paused = false;
  #closed = false;

  constructor(options: LoadBalancerOptions) {
    this.#options = options;
    const backends = options.backends.map(({ host, port, taker }) => [newBackend(host, port), taker] as const);
    this.#takers = new Map(backends);
    this.#backends = backends.map(([backend]) => backend);
    for (const backend of this.#backends) this.#sessions.set(backend, new Map());
    this.#schedule = new ProbeSchedule(this.#backends, (backend) => this.#probe(backend));
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
      this.#server.listen(this.#options.port, this.#options.host, resolve);
    });
    this.#server.on('error', (error) => this.#options.log(`listener: ${error.message}`));
    for (const backend of this.#backends) {
      const { host, port } = backend;
      this.#probes.set(backend, new RepeatedProbe({ host, port, timeoutMs: probeTimeoutMs, ca: this.#options.ca }));
    }
    this.#schedule.start();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#schedule.close();
    for (const probe of this.#probes.values()) probe.close();
    // Node's `close` would also wait for connections that servers took over. The port is free when it returns.
    this.#server.close();
    for (const client of [...this.#held, ...this.#waiting]) client.destroy();
    for (const sessions of this.#sessions.values()) for (const { release } of [...sessions.values()]) release();
    await new Promise((resolve) => setImmediate(resolve));
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    const held = [...this.#held];
    this.#held.clear();
    for (const client of held) this.#enter(client);
  }

  // ---- health ----

  async #probe(backend: Backend): Promise<void> {
    const probe = this.#probes.get(backend);
    backend.askedAtMs = performance.now();
    const readiness = await probe?.ask();
    if (this.#closed) probe?.close();
    if (this.#closed || readiness === undefined) return;
    if (recordProbe(backend, readiness, performance.now())) this.#report(backend, describeReadiness(readiness));
    this.#cutHangingSessions();
  }

  #cutHangingSessions(): void {
    for (const backend of this.#backends) {
      if (!shouldCutSessions(backend, this.#backends, performance.now())) continue;
      const sessions = this.#cut(backend);
      if (sessions > 0) this.#options.log(`${name(backend)}: cut ${sessions} sessions; other replicas are ready`);
    }
  }

  #report(backend: Backend, reason: string): void {
    this.#options.log(`${name(backend)} is ${backend.state}: ${reason}`);
    this.#schedule.stir();
  }

  // ---- sessions ----

  #accept(client: net.Socket): void {
    client.on('error', () => client.destroy());
    this.#schedule.stir();
    if (this.#paused) this.#held.add(client);
    else this.#enter(client);
  }

  #enter(client: net.Socket): void {
    this.#waiting.add(client);
    void this.#connect(client).finally(() => this.#waiting.delete(client));
  }

  /** Tries each backend once, then, as a proxy, those that did not take the connection over: a briefly stopped server still has a queue in the kernel. */
  async #connect(client: net.Socket): Promise<void> {
    const tried = new Set<Backend>();
    const passed: Backend[] = [];
    for (;;) {
      const backend = connectionOrder(this.#backends).find((candidate) => !tried.has(candidate));
      const taker = backend && this.#takers.get(backend)?.();
      if (backend && taker) {
        if (await this.#handOver(client, backend, taker)) return;
        passed.push(backend);
      } else {
        const carrier = backend ?? passed.shift();
        if (!carrier) break;
        if (await this.#carry(client, carrier)) return;
      }
      if (backend) tried.add(backend);
      if (client.destroyed || this.#closed) break;
    }
    client.destroy();
  }

  async #handOver(client: net.Socket, backend: Backend, taker: ConnectionTaker): Promise<boolean> {
    const end = this.#count(backend);
    // A connection that was sent but not taken may also be cut while another server is ready.
    this.#hold(client, backend, handedSession(client));
    const isTaken = (await taker.give(client)) === 'taken';
    if (isTaken) client.once('close', end);
    else this.#letGo(client, backend);
    if (!isTaken || client.destroyed) end();
    return isTaken;
  }

  async #carry(client: net.Socket, backend: Backend): Promise<boolean> {
    const end = this.#count(backend);
    const upstream = await dial(backend);
    if (upstream instanceof net.Socket && !client.destroyed && !this.#closed) {
      client.once('close', end);
      this.#hold(client, backend, carriedSession(client));
      this.#join(client, upstream);
      return true;
    }
    end();
    if (upstream instanceof net.Socket) upstream.destroy();
    else if (recordConnectFailure(backend, performance.now())) this.#report(backend, `connection failed: ${upstream.message}`);
    return false;
  }

  /** Counts a connection; returns a function that ends that, once. */
  #count(backend: Backend): () => void {
    backend.connections += 1;
    backend.opened += 1;
    let counted = 1;
    return () => {
      backend.connections -= counted;
      counted = 0;
    };
  }

  #hold(client: net.Socket, backend: Backend, session: Session): void {
    this.#sessions.get(backend)?.set(client, session);
    client.once('close', () => this.#letGo(client, backend));
  }

  #letGo(client: net.Socket, backend: Backend): void {
    this.#sessions.get(backend)?.delete(client);
  }

  /** `pipe` bounds buffers, and passes an end on without closing the way back. */
  #join(client: net.Socket, upstream: net.Socket): void {
    upstream.on('error', () => upstream.destroy());
    client.once('close', (failed) => {
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
    const sessions = [...(this.#sessions.get(backend)?.values() ?? [])];
    for (const { cut } of sessions) cut();
    return sessions.length;
  }
}

function dial(backend: Backend): Promise<net.Socket | Error> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: backend.host, port: backend.port, allowHalfOpen: true, noDelay: true });
    const late = (): void => {
      if (socket.connecting) fail(new Error(`not within ${connectTimeoutMs} ms`));
    };
    // A late process first reads arrived data, as in a probe.
    const timer = setTimeout(() => setImmediate(late), connectTimeoutMs);
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
