import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import type { PeerMessage, SnapshotAnnouncement } from '../../../../raft/transport/contract.js';
import { clusterIdOf } from '../../../../raft/transport/handshake.js';
import type { Identity } from '../../../../raft/transport/handshake.js';
import { logIndex, memberId, term } from '../../../../raft/types.js';
import type { MemberId } from '../../../../raft/types.js';
import { createAuthority } from '../../../fixtures/certificates.js';
import type { TestAuthority, TestCertificate } from '../../../fixtures/certificates.js';
import { Station } from './station.js';

const heartbeat = (from: MemberId, to: MemberId, number: number): PeerMessage => ({
  channel: 'raft',
  message: {
    type: 'append',
    from,
    to,
    term: term(number),
    previousIndex: logIndex(0),
    previousTerm: term(0),
    entries: [],
    commit: logIndex(0),
    round: 0,
  },
});

describe('raft/transport', () => {
  let directory: string;
  let authority: TestAuthority;
  const stations: Station[] = [];
  const sockets: { destroy(): void }[] = [];

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'raft-transport-'));
    authority = await createAuthority(directory);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(stations.splice(0).map((station) => station.transport.close()));
  });

  const station = async (id: string, overrides: Partial<Identity> & { tls?: TestCertificate; listen?: string } = {}): Promise<Station> => {
    const { tls, listen, ...identity } = overrides;
    const made = new Station(
      { clusterId: clusterIdOf('token'), id: memberId(id), incarnation: `${id}-1`, ...identity },
      mkdtempSync(join(directory, `${id}-`)),
      tls ?? (await authority.issuePeer(id)),
    );
    stations.push(made);
    return made.start(listen);
  };
  const pair = async (): Promise<[Station, Station]> => {
    const [a, b] = await Promise.all([station('a'), station('b')]);
    a.meet(b);
    b.meet(a);
    await Promise.all([a.seen('connected'), b.seen('connected')]);
    return [a, b];
  };

  it('delivers messages in order, those queued together in one write', async () => {
    const [a, b] = await pair();
    for (let number = 1; number <= 1000; number += 1) a.transport.send(b.identity.id, heartbeat(a.identity.id, b.identity.id, number));
    a.transport.flush();
    await b.seen('message', 'append 1000');
    const arrived = b.happenings.filter(({ what }) => what === 'message').map(({ detail }) => Number(detail.split(' ')[1]));
    expect(arrived).to.deep.equal(Array.from({ length: 1000 }, (_, position) => position + 1));
  });

  it('connects again by itself when the other side comes back at the same address', async () => {
    const [a, b] = await pair();
    const address = b.address;
    await b.transport.close();
    stations.splice(stations.indexOf(b), 1);
    await a.seen('disconnected');
    a.happenings.length = 0;
    const again = await station('b', { listen: address });
    await a.seen('connected');
    a.transport.send(again.identity.id, heartbeat(a.identity.id, again.identity.id, 7));
    a.transport.flush();
    expect(await again.seen('message')).to.include({ from: 'a', detail: 'append 7' });
  });

  it('lets a member answer a caller that is not in its membership yet', async () => {
    const [a, b] = await Promise.all([station('a'), station('b')]);
    a.meet(b);
    await b.seen('connected');
    b.transport.send(a.identity.id, heartbeat(b.identity.id, a.identity.id, 3));
    b.transport.flush();
    expect(await a.seen('message')).to.include({ from: 'b', detail: 'append 3' });
  });

  it('refuses another cluster, a wrong addressee and a wiped disk, and says so to the caller', async () => {
    const a = await station('a');
    const foreign = await station('b', { clusterId: clusterIdOf('other token') });
    foreign.meet(a);
    expect((await foreign.seen('log', 'cannot connect')).detail).to.contain('another cluster');
    expect(foreign.happenings.some(({ what }) => what === 'refused')).to.equal(false);

    a.known.set('c', 'c-0');
    const wiped = await station('c');
    wiped.meet(a);
    expect((await wiped.seen('refused')).detail).to.contain('added as a new member');
    expect(a.happenings.some(({ what }) => what === 'message' || what === 'connected')).to.equal(false);
  });

  it('says nothing final to a caller that a failed disk cannot remember: the caller tries again, and is welcome', async () => {
    const [a, b] = await Promise.all([station('a'), station('b')]);
    a.diskFails = true;
    b.meet(a);
    await a.seen('log', 'could not be remembered');
    await b.seen('log', 'cannot connect');
    a.diskFails = false;
    await b.seen('connected');
    expect(b.happenings.filter(({ what }) => what === 'refused')).to.deep.equal([]);
  });

  it('refuses a removed member and closes what it has open', async () => {
    const [a, b] = await pair();
    a.transport.setPeers(new Map(), new Set([b.identity.id]));
    await b.seen('disconnected');
    expect((await b.seen('refused')).detail).to.contain('removed');
  });

  it('refuses certificates that were not issued for peer usage', async () => {
    const a = await station('a');
    const wrong: [string, TestCertificate][] = [
      ['not issued for peer usage', await authority.issueClient('b')],
      ['not issued for peer usage', await authority.issuePeer('b', { commonName: 'administrator' })],
      ['the certificate is for c', await authority.issuePeer('c')],
    ];
    for (const [reason, tls] of wrong) {
      a.happenings.length = 0;
      const b = await station('b', { tls });
      b.meet(a);
      await b.seen('log', reason);
      expect((await a.seen('log', 'peer port')).detail).to.contain(reason);
      await b.transport.close();
    }
  });

  it('does not talk to a server whose certificate is not that of the peer', async () => {
    const a = await station('a');
    const impostor = await station('b', { tls: await authority.issueClient('b') });
    a.meet(impostor);
    expect((await a.seen('log', 'cannot connect')).detail).to.match(/altnames|certificate/i);
  });

  it('refuses certificates of another authority', async () => {
    const a = await station('a');
    const other = await createAuthority(directory, 'other authority');
    const b = await station('b', { tls: { ...(await other.issuePeer('b')), caFile: authority.caFile } });
    b.meet(a);
    await a.seen('log', 'peer port refused');
  });

  it('closes garbage with one line and goes on serving others', async () => {
    const [a, b] = await pair();
    const port = Number(a.address.split(':')[1]);
    const garbage = [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), Buffer.alloc(5000, 0x5a), Buffer.from([0x16, 3, 1, 0xff, 0xff])];
    for (const bytes of garbage) {
      a.happenings.length = 0;
      const socket = connectTcp(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
      await a.seen('log');
      expect(a.happenings.filter(({ what }) => what === 'log')).to.have.length(1);
    }
    a.transport.send(b.identity.id, heartbeat(a.identity.id, b.identity.id, 9));
    a.transport.flush();
    await b.seen('message', 'append 9');
    expect(a.happenings.some(({ what }) => what === 'disconnected')).to.equal(false);
  });

  it('closes an authentic peer that announces a huge frame, or speaks out of turn', async () => {
    const a = await station('a');
    const { caFile, certFile, keyFile } = await authority.issuePeer('b');
    const [ca, cert, key] = [caFile, certFile, keyFile].map((path) => readFileSync(path));
    const hostile = [Buffer.from([0xff, 0xff, 0xff, 0xff, 1]), Buffer.from([0, 0, 0, 1, 4]), Buffer.from([0, 0, 0, 3, 1, 1, 1])];
    for (const bytes of hostile) {
      a.happenings.length = 0;
      const socket = connectTls({ host: '127.0.0.1', port: Number(a.address.split(':')[1]), servername: 'a.raft', ca, cert, key });
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write(bytes);
      socket.resume();
      await once(socket, 'close');
      expect((await a.seen('log')).detail).to.contain('not understood');
    }
  });

  it('streams a snapshot to a file beside the messages', async () => {
    const [a, b] = await pair();
    const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, position) => (position * 7919) % 251));
    const path = join(a.directory, 'outgoing');
    writeFileSync(path, content);
    const announcement: SnapshotAnnouncement = {
      type: 'installSnapshot',
      from: a.identity.id,
      to: b.identity.id,
      term: term(4),
      snapshot: { index: logIndex(9), term: term(3), membership: { members: [], removed: [] } },
    };
    const pieces: (readonly [sent: number, all: number])[] = [];
    const sending = a.transport.sendSnapshot(b.identity.id, announcement, path, (...piece) => pieces.push(piece));
    const [sent, arrived] = await Promise.all([sending, b.seen('snapshot')]);
    expect(sent).to.equal(true);
    expect(pieces.at(-1)).to.deep.equal([content.length, content.length]);
    expect(pieces.length).to.be.greaterThan(2);
    expect(pieces.map(([bytes]) => bytes)).to.deep.equal(pieces.map(([bytes]) => bytes).sort((before, after) => before - after));
    expect(readFileSync(arrived.detail).equals(content)).to.equal(true);
  });

  it('leaves no file behind when a snapshot breaks off', async () => {
    const [a, b] = await pair();
    const path = join(a.directory, 'outgoing');
    writeFileSync(path, Buffer.alloc(64 * 1024 * 1024));
    const announcement: SnapshotAnnouncement = {
      type: 'installSnapshot',
      from: a.identity.id,
      to: b.identity.id,
      term: term(4),
      snapshot: { index: logIndex(9), term: term(3), membership: { members: [], removed: [] } },
    };
    const sending = a.transport.sendSnapshot(b.identity.id, announcement, path);
    const second = await a.transport.sendSnapshot(b.identity.id, announcement, path);
    expect(second, 'one at a time').to.equal(false);
    a.transport.setPeers(new Map(), new Set());
    expect(await sending).to.equal(false);
    await b.transport.close();
    expect(readdirSync(b.directory)).to.deep.equal([]);
  });

  it('closes while the network holds up a handshake, and lets nobody in who finishes it afterwards', async () => {
    const [a, b] = await Promise.all([station('a'), station('b')]);
    const held: [Socket, Socket][] = [];
    const network = createTcpServer((near) => {
      const far = connectTcp(Number(a.address.split(':')[1]), '127.0.0.1');
      for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
      held.push([near.pause(), far]);
      network.emit('held');
      far.once('close', () => network.emit('cut'));
    });
    network.listen(0, '127.0.0.1');
    await once(network, 'listening');
    b.transport.setPeers(new Map([[a.identity.id, `127.0.0.1:${(network.address() as AddressInfo).port}`]]), new Set());
    await once(network, 'held');
    const [[near, far]] = held as [[Socket, Socket]];
    if (far.connecting) await once(far, 'connect');
    for (let turns = 0; turns < 10; turns++) await turn();
    const cut = once(network, 'cut');
    const closing = a.transport.close();
    near.pipe(far).pipe(near);
    near.resume();
    await Promise.all([closing, cut]);
    network.close();
    expect(b.happenings.filter(({ what }) => what === 'connected')).to.deep.equal([]);
  });

  it('says which address it cannot listen on', async () => {
    const a = await station('a');
    const b = new Station({ clusterId: 'x', id: memberId('b'), incarnation: 'b' }, directory, a.tls);
    let message = '';
    await b.start(a.address).catch((error: unknown) => {
      message = error instanceof Error ? error.message : '';
    });
    await b.start().then(() => stations.push(b));
    expect(message).to.contain(`cannot listen for peers on ${a.address}`);
  });
});
