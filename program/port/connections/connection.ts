import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { User } from '../../../api/user.js';
import type { ConnectionState, ConnectionTimes } from './connectionLife.js';
import { ExchangeList, type Listed } from './exchangeList.js';
import { readingOf } from './reading.js';
import type { PortMemory } from './portMemory.js';
import { ConnectionSendBuffer } from './sendBuffer.js';
import { SocketProgress } from './socketProgress.js';
import type { Standing } from './standing.js';
import { turns } from './turns.js';
import type { Holder } from './unsentBytes.js';

/** Receives events of a connection for the owner of all connections. */
export interface ConnectionKeeper {
  readonly memory: PortMemory;
  /** Returns false where the new user has too many connections. */
  askedBy(connection: Connection, user: User): boolean;
  ofUser(name: string): Iterable<Connection>;
}

export interface Carried extends Listed {
  readonly response: { readonly writableEnded: boolean };
  readonly unsentBytes: number;
  readonly brings: 'answer' | 'stream' | 'relay';
  /** Since when nothing of its complete response has been taken. */
  lingersSince: number | null;
  lingeringBytes: number;
  close(): void;
  cut(): void;
}

/** Owns its exchanges, which end with it. */
export class Connection implements ConnectionState, Holder {
  readonly #keeper: ConnectionKeeper;

  /** The plain socket at first; the TLS socket after the handshake. */
  socket: Socket;
  session: ServerHttp2Session | null = null;
  userName = '';
  standing: Standing = 'unauthenticated';
  used = false;
  leaving = false;
  ended = false;
  idleSince = performance.now();
  heardAt = this.idleSince;
  askedAt: number | null = null;
  doubted = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The time when both sides were first seen ended: Node may lose a write in a reset. */
  #endedAt: number | null = null;
  #bytesHeard = 0;
  readonly #exchanges = new ExchangeList<Carried>('seat');
  readonly sendBuffer: ConnectionSendBuffer;
  readonly #progress = new SocketProgress();
  #answerBytes = 0;

  constructor(
    socket: Socket,
    readonly ends: string,
    readonly address: string,
    keeper: ConnectionKeeper,
  ) {
    this.#keeper = keeper;
    this.socket = socket;
    this.sendBuffer = new ConnectionSendBuffer(keeper.memory.unsent);
    keeper.memory.unsent.register(this);
  }

  get memory(): PortMemory {
    return this.#keeper.memory;
  }

  get owner(): string {
    return this.standing === 'unauthenticated' ? this.address : `user ${this.userName}`;
  }

  get unsentBytes(): number {
    return this.sendBuffer.unsentBytes + this.#answerBytes;
  }

  /** The user's HTTP/2 connections, including itself. Node itself pauses other connections. */
  get siblings(): Iterable<Connection> {
    return [...this.#keeper.ofUser(this.userName)].filter(({ http2 }) => http2);
  }

  get http2(): boolean {
    return this.session !== null;
  }
  get openRequests(): number {
    return this.#exchanges.size;
  }

  begin(exchange: Carried): void {
    if (this.ended) return exchange.close();
    this.used = true;
    this.#exchanges.add(exchange);
  }

  over(exchange: Carried): void {
    this.#exchanges.delete(exchange);
    if (this.#exchanges.size === 0) this.idleSince = performance.now();
  }

  /** Returns false when the user has too many connections: it then ends after its responses. */
  askedBy(user: User): boolean {
    return (user.name === this.userName && this.standing !== 'unauthenticated') || this.#keeper.askedBy(this, user);
  }

  look(now: number, times: ConnectionTimes): void {
    const { takingMs, silenceMs } = times;
    const { bytesRead } = this.socket;
    if (bytesRead !== this.#bytesHeard) {
      this.#bytesHeard = bytesRead;
      this.heardAt = now;
      if (!this.doubted) this.askedAt = null;
    }
    // Node stops reading after a protocol error, and would never see the connection's end.
    if (this.session !== null) {
      if (!turns.holds(this) || now - this.heardAt >= silenceMs / 2) readingOf(this.socket)?.readStart();
    } else if (this.socket.readableEnded && this.socket.writableEnded) {
      this.#endedAt ??= now;
      if (now - this.#endedAt >= takingMs) this.cut();
    }
    for (const exchange of this.#exchanges) {
      if (!exchange.response.writableEnded) continue;
      const bytes = exchange.unsentBytes;
      if (exchange.lingersSince === null || bytes !== exchange.lingeringBytes) {
        exchange.lingersSince = now;
        exchange.lingeringBytes = bytes;
      } else this.doubted ||= now - this.#answeredAt >= silenceMs;
      if (now - exchange.lingersSince >= takingMs) exchange.cut();
    }
    if (this.#progress.look(this.socket, now, { takingMs: this.#takingMsMax(times), overfullMs: times.overfullMs }) === 'stuck') this.cut();
  }

  #takingMsMax({ takingMs, streamTakingMs, relayTakingMs }: ConnectionTimes): number {
    const timeouts = { answer: takingMs, stream: streamTakingMs, relay: relayTakingMs };
    let least = this.#exchanges.size === 0 ? takingMs : relayTakingMs;
    for (const { brings } of this.#exchanges) least = Math.min(least, timeouts[brings]);
    return least;
  }

  answerWaits(bytes: number): void {
    if (this.ended) return;
    this.#answerBytes += bytes;
    this.#keeper.memory.unsent.add(bytes);
  }

  answerOver(bytes: number): void {
    this.#answerBytes -= bytes;
    this.#keeper.memory.unsent.remove(bytes);
  }

  ask(now: number): void {
    this.askedAt = now;
    if (this.session?.destroyed === false)
      this.session.ping((error) => {
        if (error === null) this.#answered();
      });
  }

  #answered(): void {
    this.#answeredAt = performance.now();
    this.askedAt = null;
    this.doubted = false;
  }

  /** Sends GOAWAY or `Connection: close`, and ends after current requests. */
  dismiss(): void {
    this.leaving = true;
    this.session?.close();
  }

  cut(): void {
    this.session?.destroy();
    this.socket.destroy();
  }

  cutNow(): void {
    this.cut();
    this.end();
  }

  end(): void {
    this.ended = true;
    for (const exchange of this.#exchanges) exchange.cut();
    this.sendBuffer.close();
    this.#keeper.memory.unsent.forget(this);
  }
}
