import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { User } from '../../../api/user.js';
import { boundSession, boundSocket } from './boundedWrites.js';
import { Connection, type ConnectionKeeper } from './connection.js';
import { dueOf, usualTimes, type ConnectionTimes } from './connectionLife.js';
import type { ConnectionBounds } from './connectionLimit.js';
import { inStep, type Repeated } from '../../files/inStep.js';
import { PortMemory } from './portMemory.js';
import { standingOf } from './standing.js';

/**
 * All connections of clients. When there is no room for one more, it ends others in this order:
 *
 *     unauthenticated ones, the one with the oldest request or connection first
 *     then those without an active request, the longest idle first
 *     then none: the new one goes
 */
export class Connections implements ConnectionKeeper, Iterable<Connection> {
  readonly #bounds: ConnectionBounds;
  readonly #times: ConnectionTimes;

  /** Keyed by both ends, which plain and encrypted sockets share. */
  readonly #byEnds = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<object, Connection>();
  readonly #unauthenticated = new Set<Connection>();
  readonly #ofAddress = new Tally();
  readonly #byUser = new Map<string, Set<Connection>>();
  #ordinary = 0;
  readonly #checks: Repeated;

  constructor(
    bounds: ConnectionBounds,
    times: ConnectionTimes = usualTimes,
    readonly memory = new PortMemory(),
  ) {
    this.#bounds = bounds;
    this.#times = times;
    this.#checks = inStep(times.lookMs, () => this.look(performance.now()));
  }

  get size(): number {
    return this.#byEnds.size;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return [...this.#byEnds.values()][Symbol.iterator]();
  }

  accept(socket: Socket): void {
    const { remoteAddress: address } = socket;
    // An earlier connection with the same ends is over, even if Node has not noticed it.
    const before = this.#byEnds.get(endsOf(socket));
    if (before !== undefined) this.#dropThis(before);
    if (address === undefined || !this.#makeRoom(address)) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, endsOf(socket), address, this);
    this.#byEnds.set(connection.ends, connection);
    this.#ofAddress.add(address);
    this.#unauthenticated.add(connection);
    socket.once('close', () => {
      this.#remove(connection);
    });
  }

  secured(socket: TLSSocket): void {
    const connection = this.#byEnds.get(endsOf(socket));
    if (connection === undefined) return;
    connection.socket = socket;
    this.#bySocket.set(socket, connection);
    if (socket.alpnProtocol !== 'h2') boundSocket(socket, connection.sendBuffer);
  }

  /** Returns false when the connection has closed meanwhile. */
  speaksHttp2(session: ServerHttp2Session): boolean {
    const connection = this.#byEnds.get(endsOf(session.socket));
    // Node would still parse its buffers into requests, and never report their end.
    if (connection === undefined) {
      session.destroy();
      return false;
    }
    connection.session = session;
    boundSession(session, connection.sendBuffer);
    this.#bySocket.set(session, connection);
    session.once('close', () => {
      connection.end();
    });
    return true;
  }

  of(socketOrSession: object): Connection | null {
    return this.#bySocket.get(socketOrSession) ?? null;
  }

  askedBy(connection: Connection, user: User): boolean {
    const standing = standingOf(user);
    if (connection.ended) return true;
    if (standing === 'unauthenticated') {
      if (this.#unauthenticated.delete(connection)) this.#unauthenticated.add(connection);
      return true;
    }
    if (standing === 'ordinary' && !this.#hasRoomFor(connection, user.name)) {
      connection.dismiss();
      return false;
    }
    this.#forgetUser(connection);
    this.#unauthenticated.delete(connection);
    connection.userName = user.name;
    connection.standing = standing;
    const ofUser = this.#byUser.get(user.name);
    if (ofUser === undefined) this.#byUser.set(user.name, new Set([connection]));
    else ofUser.add(connection);
    if (standing === 'ordinary') this.#ordinary += 1;
    return true;
  }

  ofUser(name: string): Iterable<Connection> {
    return this.#byUser.get(name) ?? [];
  }

  look(now: number): void {
    for (const connection of this) {
      connection.look(now, this.#times);
      const due = dueOf(connection, now, this.#times);
      if (due === 'ask') connection.ask(now);
      else if (due === 'dismiss') connection.dismiss();
      else if (due === 'cut') connection.cut();
    }
  }

  close(): void {
    this.#checks.stop();
    for (const connection of this) connection.cut();
  }

  #makeRoom(address: string): boolean {
    const { all, ofAddress } = this.#bounds;
    if (this.#ofAddress.of(address) >= ofAddress && !this.#drop((other) => other.address === address)) return false;
    return this.size < all || this.#drop(() => true);
  }

  #hasRoomFor(connection: Connection, userName: string): boolean {
    const { ofUser, ofOrdinaryUsers } = this.#bounds;
    const others = (other: Connection): boolean => other !== connection && other.standing === 'ordinary';
    if ((this.#byUser.get(userName)?.size ?? 0) >= ofUser && !this.#drop((other) => others(other) && other.userName === userName))
      return false;
    return this.#ordinary < ofOrdinaryUsers || connection.standing === 'ordinary' || this.#drop(others);
  }

  #drop(among: (connection: Connection) => boolean): boolean {
    for (const each of this.#unauthenticated) if (among(each)) return this.#dropThis(each);
    let longest: Connection | null = null;
    for (const each of this.#byEnds.values()) {
      if (
        each.openRequests === 0 &&
        !this.#unauthenticated.has(each) &&
        among(each) &&
        (longest === null || each.idleSince < longest.idleSince)
      )
        longest = each;
    }
    return longest !== null && this.#dropThis(longest);
  }

  #dropThis(connection: Connection): true {
    connection.cut();
    this.#remove(connection);
    return true;
  }

  #remove(connection: Connection): void {
    if (this.#byEnds.get(connection.ends) === connection) {
      this.#byEnds.delete(connection.ends);
      this.#ofAddress.remove(connection.address);
      this.#unauthenticated.delete(connection);
      this.#forgetUser(connection);
    }
    connection.end();
  }

  #forgetUser(connection: Connection): void {
    const ofUser = this.#byUser.get(connection.userName);
    ofUser?.delete(connection);
    if (ofUser?.size === 0) this.#byUser.delete(connection.userName);
    if (connection.standing !== 'ordinary') return;
    this.#ordinary -= 1;
    connection.standing = 'unauthenticated';
  }
}

class Tally {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1);
  }

  remove(key: string): void {
    const left = this.of(key) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** Uses both ends: clients may reach this server at its own address and a balancer's. */
const endsOf = ({ remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 }: Ends): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
