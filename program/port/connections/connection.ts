import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { User } from '../../../api/user.js';
import type { ConnectionState, ConnectionTimes } from './connectionLife.js';
import { ExchangeList, type Listed } from './exchangeList.js';
import { readingOf } from './reading.js';
import { ConnectionSendBuffer } from './sendBuffer.js';
import { SocketProgress } from './socketProgress.js';
import type { Standing } from './standing.js';
import { unsentBytes, type Holder } from './unsentBytes.js';

/** What a connection tells those who keep all of them. */
export interface ConnectionKeeper {
  /** Somebody else than before asks on it. Returns false where that user has too many. */
  askedBy(connection: Connection, user: User): boolean;
}

/** An exchange as its connection sees it. */
export interface Carried extends Listed {
  readonly response: { readonly writableEnded: boolean };
  /** Of its answer, as far as that has been written. */
  readonly unsentBytes: number;
  /** What it brings to its client: an answer, a stream that this server makes, or one that it passes on. */
  readonly brings: 'answer' | 'stream' | 'relay';
  /** Since when nothing has been taken of its complete answer, in milliseconds of `performance.now()`, and how much that was. */
  lingersSince: number | null;
  lingeringBytes: number;
  close(): void;
  cut(): void;
}

/** One connection of a client, and the owner of the exchanges on it: however it ends, they end with it. */
export class Connection implements ConnectionState, Holder {
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
  /** What streams and the socket have been given. */
  readonly sendBuffer = new ConnectionSendBuffer(unsentBytes);
  readonly #progress = new SocketProgress();
  /** Of complete answers that wait. */
  #answerBytes = 0;

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
    unsentBytes.register(this);
  }

  get owner(): string {
    return this.standing === 'stranger' ? this.address : `user ${this.userName}`;
  }

  get unsentBytes(): number {
    return this.sendBuffer.unsentBytes + this.#answerBytes;
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
  look(now: number, times: ConnectionTimes): void {
    const { takingMs, silenceMs } = times;
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
      const bytes = exchange.unsentBytes;
      if (exchange.lingersSince === null || bytes !== exchange.lingeringBytes) {
        exchange.lingersSince = now;
        exchange.lingeringBytes = bytes;
      } else this.doubted ||= now - this.#answeredAt >= silenceMs;
      if (now - exchange.lingersSince >= takingMs) exchange.cut();
    }
    if (this.#progress.look(this.socket, now, { takingMs: this.#patience(times), overfullMs: times.overfullMs }) === 'stuck') this.cut();
  }

  /** How long its client may take nothing: as long as the least patient of what goes on here. */
  #patience({ takingMs, streamTakingMs, relayTakingMs }: ConnectionTimes): number {
    const patience = { answer: takingMs, stream: streamTakingMs, relay: relayTakingMs };
    let least = this.#exchanges.size === 0 ? takingMs : relayTakingMs;
    for (const { brings } of this.#exchanges) least = Math.min(least, patience[brings]);
    return least;
  }

  /** A complete answer waits for its client, and takes so much. */
  answerWaits(bytes: number): void {
    if (this.ended) return;
    this.#answerBytes += bytes;
    unsentBytes.add(bytes);
  }

  answerOver(bytes: number): void {
    this.#answerBytes -= bytes;
    unsentBytes.remove(bytes);
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

  cutNow(): void {
    this.cut();
    this.end();
  }

  /** It has ended, and so has everything on it. */
  end(): void {
    this.ended = true;
    for (const exchange of this.#exchanges) exchange.cut();
    this.sendBuffer.close();
    unsentBytes.forget(this);
  }
}
