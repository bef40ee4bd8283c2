import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { User } from '../../../../api/user.js';
import type { Connection } from '../../../../program/port/connections/connection.js';
import { dueOf, usualTimes, type ConnectionState } from '../../../../program/port/connections/connectionLife.js';
import { connectionBounds, connectionsMax } from '../../../../program/port/connections/connectionLimit.js';
import { Connections } from '../../../../program/port/connections/connections.js';
import type { Exchange } from '../../../../server/http/exchange.js';

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} });
const alice = user('alice');
const stranger = user('system:anonymous');
const admin = user('admin', 'system:masters');

let ports = 0;
class FakeSocket extends EventEmitter {
  remotePort: number | undefined = (ports += 1);
  localAddress = '10.0.1.1';
  localPort = 6443;
  readableEnded = false;
  writableEnded = false;
  bytesRead = 0;
  destroyed = false;
  constructor(public remoteAddress: string | undefined) {
    super();
  }
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

describe('connections', () => {
  let connections: Connections;
  let sockets: FakeSocket[];
  const bounds = { all: 8, ofAddress: 6, ofUser: 4, ofOrdinaryUsers: 7 };
  beforeEach(() => {
    connections = new Connections(bounds);
    sockets = [];
  });
  afterEach(() => {
    connections.close();
  });

  const connect = (address = '10.0.0.1'): FakeSocket => {
    const socket = new FakeSocket(address);
    sockets.push(socket);
    connections.accept(socket as unknown as Socket);
    connections.secured(socket as unknown as TLSSocket);
    return socket;
  };
  const of = (socket: FakeSocket): Connection => connections.of(socket) as Connection;
  const request = (connection: Connection): Exchange => {
    const exchange = {
      place: -1,
      seat: -1,
      closed: false,
      response: { writableEnded: false },
      cut: () => {
        exchange.closed = true;
        connection.over(exchange as unknown as Exchange);
      },
    };
    connection.begin(exchange as unknown as Exchange);
    return exchange as unknown as Exchange;
  };
  const open = (): number[] => sockets.flatMap(({ destroyed }, index) => (destroyed ? [] : [index]));

  it('end, when there are too many, with those of strangers: the one that came or asked longest ago first', () => {
    for (let each = 0; each < 5; each += 1) connect(`10.0.0.${each}`);
    of(sockets[0] as FakeSocket).askedBy(stranger);
    of(sockets[1] as FakeSocket).askedBy(alice);
    for (let each = 5; each < 10; each += 1) connect(`10.0.0.${each}`);
    expect(open()).to.deep.equal([0, 1, 4, 5, 6, 7, 8, 9]);
    expect(connections.size).to.equal(8);
  });

  it('of one address leave room for others, and those of an administrator outlast any flood of strangers', () => {
    const own = connect();
    expect(of(own).askedBy(admin)).to.equal(true);
    for (let each = 0; each < 100; each += 1) connect();
    expect([connections.size, own.destroyed]).to.deep.equal([6, false]);
    for (let each = 0; each < 100; each += 1) connect(`10.1.0.${each}`);
    expect([connections.size, own.destroyed]).to.deep.equal([8, false]);
  });

  it('of those who are known end when they are idle, the longest first, and not while a request is under way', () => {
    for (let each = 0; each < 4; each += 1) of(connect(`10.0.1.${each}`)).askedBy(user(`user ${each}`));
    for (let each = 4; each < 8; each += 1) of(connect(`10.0.1.${each}`)).askedBy(user(`system:node:${each}`, 'system:nodes'));
    const exchanges = sockets.filter((_socket, index) => index !== 2 && index !== 5).map((socket) => request(of(socket)));
    connect('10.0.2.1');
    expect(open(), 'the first of the idle ones goes').to.deep.equal([0, 1, 3, 4, 5, 6, 7, 8]);
    of(sockets[8] as FakeSocket).askedBy(admin);
    request(of(sockets[8] as FakeSocket));
    connect('10.0.2.2');
    expect(open()).to.deep.equal([0, 1, 3, 4, 6, 7, 8, 9]);
    of(sockets[9] as FakeSocket).askedBy(admin);
    request(of(sockets[9] as FakeSocket));
    connect('10.0.2.3');
    expect(open(), 'none is idle: the new one goes').to.deep.equal([0, 1, 3, 4, 6, 7, 8, 9]);
    expect(exchanges.some(({ closed }) => closed)).to.equal(false);
  });

  it('of one user are bounded, and all of ordinary users together, so that somebody can always come in', () => {
    const busy = (name: string): boolean => {
      const connection = of(connect(`10.2.0.${sockets.length}`));
      const admitted = connection.askedBy(user(name));
      request(connection);
      return admitted;
    };
    expect([1, 2, 3, 4, 5].map(() => busy('alice'))).to.deep.equal([true, true, true, true, false]);
    expect([1, 2, 3, 4].map(() => busy('bob'))).to.deep.equal([true, true, true, false]);
    expect([of(connect('10.3.0.1')).askedBy(admin), of(sockets[0] as FakeSocket).askedBy(alice)]).to.deep.equal([true, true]);
  });

  it('end everything that is on them, however they end, and what begins on them later as well', () => {
    const connection = of(connect());
    const under = [request(connection), request(connection)];
    (sockets[0] as FakeSocket).destroy();
    expect([under.every(({ closed }) => closed), connection.openRequests, connections.size]).to.deep.equal([true, 0, 0]);
    let closed = false;
    connection.begin({
      close: () => {
        closed = true;
      },
    } as unknown as Exchange);
    expect(closed).to.equal(true);
    const session = Object.assign(new EventEmitter(), { socket: new FakeSocket('10.0.0.9'), destroyed: false, destroy: () => undefined });
    connections.accept(session.socket as unknown as Socket);
    connections.speaksHttp2(session as unknown as ServerHttp2Session);
    const late = request(connections.of(session) as Connection);
    session.emit('close');
    expect(late.closed, 'with the session').to.equal(true);
  });

  it('end at the latest when their client comes again from the same port, which it has once', () => {
    const first = connect();
    const under = request(of(first));
    const second = new FakeSocket(first.remoteAddress);
    second.remotePort = first.remotePort;
    // Node does not report the end of a session that violated the protocol.
    first.destroy = () => undefined;
    connections.accept(second as unknown as Socket);
    expect([under.closed, connections.size]).to.deep.equal([true, 1]);
    first.emit('close');
    connections.secured(second as unknown as TLSSocket);
    expect([connections.size, of(second).ended]).to.deep.equal([1, false]);
  });

  it('that both sides have ended are cut when Node does not close them', () => {
    const { lookMs, takingMs } = usualTimes;
    const [lost, halfOpen, other] = [connect(), connect(), connect()];
    for (const socket of [lost, halfOpen, other]) request(of(socket));
    lost.readableEnded = true;
    lost.writableEnded = true;
    halfOpen.readableEnded = true;
    // Integers, so that sums are exact.
    const begun = Math.ceil(performance.now());
    for (let now = begun; now < begun + takingMs; now += lookMs) connections.look(now);
    expect(open()).to.deep.equal([0, 1, 2]);
    connections.look(begun + takingMs);
    expect(open()).to.deep.equal([1, 2]);
  });

  it('from one port to two places are two: to this server, and to a balancer that hands its connections over', () => {
    const first = connect();
    const under = request(of(first));
    const second = new FakeSocket(first.remoteAddress);
    second.remotePort = first.remotePort;
    second.localPort = 8443;
    connections.accept(second as unknown as Socket);
    connections.secured(second as unknown as TLSSocket);
    expect([under.closed, connections.size]).to.deep.equal([false, 2]);
    expect(of(second)).not.to.equal(of(first));
  });

  it('of HTTP/2 that are gone before it is spoken are not spoken to', () => {
    let destroyed = 0;
    const session = Object.assign(new EventEmitter(), {
      socket: new FakeSocket(undefined),
      destroy: () => {
        destroyed += 1;
      },
    });
    connections.speaksHttp2(session as unknown as ServerHttp2Session);
    expect([destroyed, connections.of(session)]).to.deep.equal([1, null]);
  });

  it('have their bounds from what the files allow', () => {
    expect([connectionsMax(1_000), connectionsMax(Infinity), connectionsMax() > 0]).to.deep.equal([750, 20_000, true]);
    expect(connectionBounds(768)).to.deep.equal({ all: 768, ofAddress: 576, ofUser: 384, ofOrdinaryUsers: 672 });
  });

  it('knows those on which the same user asked last', () => {
    const [one, two, other, unknown] = [connect(), connect(), connect(), connect()].map(of) as [
      Connection,
      Connection,
      Connection,
      Connection,
    ];
    const session = { destroy: () => {} } as unknown as ServerHttp2Session;
    for (const each of [one, two, other]) each.session = session;
    const plain = of(connect());
    for (const each of [one, two, plain]) each.askedBy(alice);
    other.askedBy(admin);
    unknown.askedBy(stranger);
    expect([...one.siblings]).to.have.ordered.members([one, two]);
    expect([...other.siblings]).to.have.ordered.members([other]);
    expect([...unknown.siblings]).to.deep.equal([]);
    two.askedBy(admin);
    expect([...one.siblings]).to.have.ordered.members([one]);
    expect([...two.siblings]).to.have.ordered.members([other, two]);
    other.socket.destroy();
    expect([...two.siblings]).to.have.ordered.members([two]);
  });
});

describe('the life of a connection', () => {
  const state: ConnectionState = {
    http2: true,
    used: true,
    openRequests: 0,
    idleSince: 0,
    heardAt: 0,
    askedAt: null,
    doubted: false,
    leaving: false,
  };
  const due = (change: Partial<ConnectionState>, seconds: number): string =>
    dueOf({ ...state, heardAt: seconds * 1_000, ...change }, seconds * 1_000, usualTimes);

  it('has a limit before the first request, and between requests', () => {
    expect([due({ used: false }, 31), due({ used: false }, 32)]).to.deep.equal(['nothing', 'cut']);
    expect([due({}, 89), due({}, 90), due({ leaving: true }, 95)]).to.deep.equal(['nothing', 'dismiss', 'cut']);
    expect([due({ http2: false }, 119), due({ http2: false }, 120)]).to.deep.equal(['nothing', 'cut']);
  });

  it('has none while requests are under way and the client is there', () => {
    expect([due({ openRequests: 1 }, 9_999), due({ openRequests: 1, http2: false, heardAt: 0 }, 9_999)]).to.deep.equal([
      'nothing',
      'nothing',
    ]);
    expect([due({ openRequests: 1, heardAt: 0 }, 29), due({ openRequests: 1, heardAt: 0 }, 30)]).to.deep.equal(['nothing', 'ask']);
    expect([
      due({ openRequests: 1, heardAt: 0, askedAt: 30_000 }, 44),
      due({ openRequests: 1, heardAt: 0, askedAt: 30_000 }, 45),
    ]).to.deep.equal(['nothing', 'cut']);
  });

  it('is asked for where complete answers are not taken, whatever else comes', () => {
    expect([
      due({ openRequests: 1, doubted: true }, 1),
      due({ openRequests: 1, doubted: true, askedAt: 1_000 }, 30),
      due({ openRequests: 1, doubted: true, askedAt: 1_000 }, 31),
    ]).to.deep.equal(['ask', 'nothing', 'cut']);
  });
});
