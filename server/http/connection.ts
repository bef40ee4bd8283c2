import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { User } from '../endpoints/context.js';
import type { ConnectionState, ConnectionTimes } from './connectionLife.js';
import { ExchangeList, type Listed } from './exchangeList.js';
import { readingOf } from './reading.js';
import type { Standing } from './standing.js';

/** What a connection tells those who keep all of them. */
export interface ConnectionKeeper {
  /** Somebody else than before asks on it. Returns false where that user has too many. */
  askedBy(connection: Connection, user: User): boolean;
}

/** An exchange as its connection sees it. */
export interface Carried extends Listed {
  readonly response: { readonly writableEnded: boolean };
  /** Since when its answer is complete and not taken; in milliseconds of `performance.now()`. */
  lingersSince: number | null;
  close(): void;
  cut(): void;
}

/** One connection of a client, and the owner of the exchanges on it: however it ends, they end with it. */
export class Connection implements ConnectionState {
  /** First the plain one; the one of TLS once the handshake is over. */
  socket: Socket;
  session: ServerHttp2Session | null = null;
  /** Whoever asked last. Empty before anybody has. */
  userName = '';
  standing: Standing = 'stranger';
  used = false;
  leaving = false;
  ended = false;
  idleSince = performance.now();
  heardAt = this.idleSince;
  askedAt: number | null = null;
  doubted = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** When both sides of a connection of HTTP/1.1 were first seen to have ended: a write that Node has lost, as can happen in a reset, would keep it open for ever. */
  #endedAt: number | null = null;
  #bytesHeard = 0;
  readonly #exchanges = new ExchangeList<Carried>('seat');

  readonly address: string;

  /** `ends` names the connection among all, `address` is the client's. */
  constructor(
    socket: Socket,
    readonly ends: string,
    { address }: { readonly address: string },
    private readonly keeper: ConnectionKeeper,
  ) {
    this.address = address;

    this.socket = socket;
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

  /** To be called when it is known who asks. Returns false where that user has too many connections; then this one ends after its answers. */
  askedBy(user: User): boolean {
    return (user.name === this.userName && this.standing !== 'stranger') || this.keeper.askedBy(this, user);
  }

  /** Looks for bytes that have come, and at answers that are not taken. */
  look(now: number, { takingMs, silenceMs }: ConnectionTimes): void {
    const { bytesRead } = this.socket;
    if (bytesRead !== this.#bytesHeard) {
      this.#bytesHeard = bytesRead;
      this.heardAt = now;
      if (!this.doubted) this.askedAt = null;
    }
    // After an error of the protocol Node stops to read, and would never see the connection end.
    if (this.session !== null) readingOf(this.socket)?.readStart();
    else if (this.socket.readableEnded && this.socket.writableEnded) {
      this.#endedAt ??= now;
      if (now - this.#endedAt >= takingMs) this.cut();
    }
    for (const exchange of this.#exchanges) {
      if (!exchange.response.writableEnded) continue;
      if (exchange.lingersSince === null) exchange.lingersSince = now;
      else this.doubted ||= now - this.#answeredAt >= silenceMs;
      if (now - exchange.lingersSince >= takingMs) exchange.cut();
    }
  }

  /** Asks the client whether it is there. */
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

  /** Tells the client to go elsewhere, and ends when what is under way is over. */
  dismiss(): void {
    this.leaving = true;
    this.session?.close();
  }

  cut(): void {
    this.session?.destroy();
    this.socket.destroy();
  }

  /** It has ended, and so has everything on it. */
  end(): void {
    this.ended = true;
    for (const exchange of this.#exchanges) exchange.cut();
  }
}
