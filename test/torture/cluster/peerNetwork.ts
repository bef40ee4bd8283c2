import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { socketOwner } from './socketOwner.js';

/** The state of the link from one replica to another. */
export interface LinkState {
  /** Bytes wait until the link is restored, as if the network lost and repeated them. */
  readonly cut: boolean;
  readonly delayMs: number;
  /** Of 1,000 pieces, this many break their connection: packet loss as TCP's user sees it. */
  readonly breaksPermille: number;
}

const wholeLink: LinkState = { cut: false, delayMs: 0, breaksPermille: 0 };

interface Station {
  readonly id: string;
  readonly server: net.Server;
  readonly address: string;
}

/** The network between replicas: a proxy for each member applies the state of the links in both directions. Each ordered pair has its own connections. */
export class PeerNetwork {
  readonly #members: () => ReadonlyMap<string, number>;
  readonly #chance: (below: number) => number;
  readonly #stations = new Map<string, Station>();
  readonly #links = new Map<string, LinkState>();
  readonly #sockets = new Set<net.Socket>();
  #whole: (() => void)[] = [];

  /** `members` returns running processes: id -> pid. `chance` draws an integer below its argument. */
  constructor(members: () => ReadonlyMap<string, number>, chance: (below: number) => number) {
    this.#members = members;
    this.#chance = chance;
  }

  /** Returns the address of a proxy for the member on `port`. A member with several ports has a station for each. */
  async add(id: string, port: number, station = id): Promise<string> {
    const server = net.createServer((socket) => {
      this.#accept(socket, id, port);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    this.#stations.set(station, { id, server, address });
    return address;
  }

  remove(id: string): void {
    this.#stations.get(id)?.server.close();
    this.#stations.delete(id);
  }

  addressOf(id: string): string {
    const station = this.#stations.get(id);
    if (!station) throw new Error(`no member ${id} in the network`);
    return station.address;
  }

  set(from: string, to: string, state: Partial<LinkState>): void {
    this.#links.set(`${from} ${to}`, { ...this.link(from, to), ...state });
    for (const resolve of this.#whole.splice(0)) resolve();
  }

  link(from: string, to: string): LinkState {
    return this.#links.get(`${from} ${to}`) ?? wholeLink;
  }

  heal(): void {
    this.#links.clear();
    for (const resolve of this.#whole.splice(0)) resolve();
  }

  close(): void {
    this.heal();
    for (const { server } of this.#stations.values()) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(caller: net.Socket, to: string, port: number): void {
    const from = this.#whoCalls(caller);
    if (from === null) return void caller.destroy();
    const callee = net.connect(port, '127.0.0.1');
    const sockets = [caller, callee];
    for (const socket of sockets) {
      this.#sockets.add(socket.setNoDelay());
      socket
        .on('error', () => undefined)
        .on('close', () => {
          this.#sockets.delete(socket);
          for (const each of sockets) each.destroy();
        });
    }
    void this.#carry(caller, callee, from, to);
    void this.#carry(callee, caller, to, from);
  }

  #whoCalls(caller: net.Socket): string | null {
    const members = this.#members();
    const pid = socketOwner(caller.remotePort ?? 0, caller.localPort ?? 0, [...members.values()]);
    return [...members].find(([, each]) => each === pid)?.[0] ?? null;
  }

  async #carry(source: net.Socket, target: net.Socket, from: string, to: string): Promise<void> {
    try {
      for await (const piece of source as AsyncIterable<Buffer>) {
        while (this.link(from, to).cut)
          await new Promise<void>((resolve) => {
            this.#whole.push(resolve);
          });
        const { delayMs, breaksPermille } = this.link(from, to);
        if (delayMs > 0) await delay(delayMs);
        if (breaksPermille > 0 && this.#chance(1000) < breaksPermille) return;
        if (!target.writable) return;
        if (!target.write(piece)) await once(target, 'drain');
      }
    } catch {
      // The connection broke; replicas reconnect.
    } finally {
      source.destroy();
      target.destroy();
    }
  }
}
