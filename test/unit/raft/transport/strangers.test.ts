import { expect } from 'chai';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ByteWriter } from '../../../../raft/transport/bytes.js';
import { writeMessage } from '../../../../raft/transport/encoding.js';
import { frameKinds, writeFrame, type FrameKind } from '../../../../raft/transport/frames.js';
import { clusterIdOf, protocolVersion, writeHello, type Purpose } from '../../../../raft/transport/handshake.js';
import { Reception } from '../../../../raft/transport/reception.js';
import { logIndex, memberId, term } from '../../../../raft/types.js';
import { createAuthority, type TestAuthority, type TestCertificate } from '../../../fixtures/certificates.js';
import { Station } from './station.js';

const clusterId = clusterIdOf('token');
/** The first bytes of an incomplete ClientHello. */
const halfHello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);

function frame(kind: FrameKind, write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter();
  writeFrame(writer, kind, write);
  return writer.take();
}

/** Resolves at the end of the connection. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });

describe('raft/transport, the peer port under attack', function () {
  let directory: string;
  let authority: TestAuthority;
  const stations: Station[] = [];
  const sockets = new Set<{ destroy(): void }>();
  let flooding = false;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'raft-strangers-'));
    authority = await createAuthority(directory);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));
  afterEach(async () => {
    flooding = false;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await Promise.all(stations.splice(0).map((station) => station.transport.close()));
  });

  const station = async (id: string): Promise<Station> => {
    const made = new Station(
      { clusterId, id: memberId(id), incarnation: `${id}-1` },
      mkdtempSync(join(directory, `${id}-`)),
      await authority.issuePeer(id),
    );
    stations.push(made);
    return made.start();
  };
  const portOf = ({ address }: Station): number => Number(address.split(':')[1]);

  function open(port: number, first: Buffer | null): Socket {
    const socket = connectTcp(port, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    if (first !== null) socket.write(first);
    return socket.resume();
  }

  /** Keeps `count` connections open, replacing ended ones. Resolves when all first ones have been accepted or closed. */
  async function flood(port: number, count: number, first: Buffer | null): Promise<void> {
    flooding = true;
    const keepOpen = (): Socket =>
      open(port, first).once('close', () => {
        if (flooding) keepOpen();
      });
    await Promise.all(
      Array.from({ length: count }, async () => {
        await once(keepOpen(), 'connect').catch(() => undefined);
      }),
    );
  }

  /** A hand-made connection of a member. */
  async function member(of: Station, tls: TestCertificate, id: string, purpose: Purpose): Promise<TLSSocket> {
    const [ca, cert, key] = [tls.caFile, tls.certFile, tls.keyFile].map((path) => readFileSync(path));
    const socket = connectTls({ host: '127.0.0.1', port: portOf(of), servername: `${of.identity.id}.raft`, ca, cert, key });
    sockets.add(socket);
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(
      frame(frameKinds.hello, (writer) =>
        writeHello(writer, {
          clusterId,
          id: memberId(id),
          incarnation: `${id}-1`,
          version: protocolVersion,
          to: of.identity.id,
          purpose,
          address: '',
        }),
      ),
    );
    await once(socket, 'data');
    return socket;
  }

  for (const [what, first] of [
    ['connections on which nothing comes', null],
    ['handshakes that stop midway', halfHello],
  ] as const) {
    it(`lets members in through 400 ${what}, made again as often as they are closed`, async () => {
      const [a, b] = [await station('a'), await station('b')];
      a.meet(b);
      b.meet(a);
      await Promise.all([a.seen('connected'), b.seen('connected')]);
      await flood(portOf(a), 400, first);

      const c = await station('c');
      c.meet(a);
      await c.seen('connected');
      expect(
        b.happenings.filter(({ what: kind }) => kind === 'disconnected'),
        'who was there stays',
      ).to.deep.equal([]);
      // A disconnected member can return too.
      b.happenings.length = 0;
      b.transport.setPeers(new Map(), new Set());
      b.meet(a);
      await b.seen('connected');
    });
  }

  it('closes connections on which nothing comes, long before a handshake may take', async () => {
    const a = await station('a');
    const silent = Array.from({ length: 20 }, () => open(portOf(a), null));
    await Promise.all(silent.map(async (socket) => closed(socket)));
    expect(a.happenings, 'nothing is said of them').to.deep.equal([]);
  });

  it('says nothing to who sends frames without a handshake', async () => {
    const a = await station('a');
    const socket = connectTcp(portOf(a), '127.0.0.1');
    sockets.add(socket);
    const heard: Buffer[] = [];
    socket.on('error', () => undefined).on('data', (bytes: Buffer) => heard.push(bytes));
    socket.write(frame(frameKinds.ping, () => undefined));
    await closed(socket);
    expect(Buffer.concat(heard).length).to.be.at.most(7);
  });

  it('cuts off a member that pings and takes no answers', async () => {
    const a = await station('a');
    const socket = await member(a, await authority.issuePeer('b'), 'b', 'messages');
    socket.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => frame(frameKinds.ping, () => undefined)));
    const end = closed(socket);
    const more = (): void => {
      if (!socket.destroyed)
        socket.write(pings, () => {
          setImmediate(more);
        });
    };
    more();
    await end;
  });

  it('refuses a snapshot that the disk has no room for, before anything of it is written', async () => {
    const a = await station('a');
    const socket = await member(a, await authority.issuePeer('b'), 'b', 'snapshot');
    const heard: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => heard.push(bytes));
    socket.write(
      frame(frameKinds.snapshotStart, (writer) => {
        writer.uint(2 ** 50);
        writeMessage(writer, {
          type: 'installSnapshot',
          from: memberId('b'),
          to: a.identity.id,
          term: term(4),
          snapshot: { index: logIndex(9), term: term(3), membership: { members: [], removed: [] } },
        });
      }),
    );
    await closed(socket);
    expect(Buffer.concat(heard).toString('utf8')).to.include('does not fit on the disk');
    expect(readdirSync(a.directory)).to.deep.equal([]);
  });

  it('takes one snapshot at a time from a member: a new one ends the one before', async () => {
    const a = await station('a');
    const tls = await authority.issuePeer('b');
    const streams = 5;
    const ends: Promise<void>[] = [];
    for (let i = 0; i < streams; i++) ends.push(closed(await member(a, tls, 'b', 'snapshot')));
    await Promise.all(ends.slice(0, -1));
  });

  it('takes no long frames on a connection for snapshots', async () => {
    const a = await station('a');
    const socket = await member(a, await authority.issuePeer('b'), 'b', 'snapshot');
    socket.write(Buffer.from([0, 0xf0, 0, 0, frameKinds.snapshotStart]));
    await closed(socket);
    expect((await a.seen('log', 'not understood')).detail).to.include('announced');
  });

  it('refuses a session that is resumed: its certificate may have been replaced since', async () => {
    const a = await station('a');
    const tls = await authority.issuePeer('b');
    const [ca, cert, key] = [tls.caFile, tls.certFile, tls.keyFile].map((path) => readFileSync(path));
    const options = { host: '127.0.0.1', port: portOf(a), servername: 'a.raft', ca, cert, key };
    const first = connectTls(options);
    sockets.add(first);
    first.on('error', () => undefined);
    const [session] = (await once(first, 'session')) as [Buffer];
    first.destroy();
    const second = connectTls({ ...options, session });
    sockets.add(second);
    second.on('error', () => undefined);
    await once(second, 'secureConnect');
    expect(second.isSessionReused()).to.equal(true);
    const heard: Buffer[] = [];
    second.on('data', (bytes: Buffer) => heard.push(bytes));
    second.write(
      frame(frameKinds.hello, (writer) =>
        writeHello(writer, {
          clusterId,
          id: memberId('b'),
          incarnation: 'b-1',
          version: protocolVersion,
          to: a.identity.id,
          purpose: 'messages',
          address: '',
        }),
      ),
    );
    await closed(second);
    expect(heard).to.deep.equal([]);
  });

  it('goes on with renewed certificates', async () => {
    const [before, after] = [await authority.issuePeer('a'), await authority.issuePeer('a')];
    const tls = { caFile: before.caFile, certFile: join(directory, 'own.crt'), keyFile: join(directory, 'own.key') };
    const put = ({ certFile, keyFile }: TestCertificate): void => {
      copyFileSync(certFile, tls.certFile);
      copyFileSync(keyFile, tls.keyFile);
    };
    put(before);
    const reception = new Reception({ tls, log: () => undefined, isMembers: () => true, onSecure: (socket) => void socket.destroy() });
    await reception.listen('127.0.0.1:0');
    const client = await authority.issuePeer('b');
    const shown = async (): Promise<string> => {
      const [ca, cert, key] = [client.caFile, client.certFile, client.keyFile].map((path) => readFileSync(path));
      const socket = connectTls({ host: '127.0.0.1', port: Number(reception.address.split(':')[1]), servername: 'a.raft', ca, cert, key });
      sockets.add(socket);
      socket.on('error', () => undefined);
      await once(socket, 'secureConnect');
      return socket.getPeerX509Certificate()?.toString() ?? '';
    };
    const text = (path: string): string => readFileSync(path, 'utf8').trim();
    expect((await shown()).trim()).to.equal(text(before.certFile));
    put(after);
    reception.renew();
    expect((await shown()).trim()).to.equal(text(after.certFile));
    await reception.close();
  });
});
