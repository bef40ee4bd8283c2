import fs from 'node:fs';
import http2 from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import type { Cluster, ClusterMember } from '../../deploy/cluster.js';
import { Connection, request, type Endpoint } from '../bench/connection.js';

/** Storms over a cluster, for tests and (larger) the benchmark. */
export interface Overloaded {
  readonly cluster: Cluster;
  /** A collection of config maps. */
  readonly path: string;
}

/** Watchers on one connection, as of one client. */
const streamsEach = 100;
const slowBodyBytes = 1_000;
const loudBytes = 200_000;
const loudObjects = 20;

function endpointOf(cluster: Cluster, address = cluster.address): Endpoint {
  const { caFile, admin } = cluster.pki;
  return {
    host: '127.0.0.1',
    port: Number(new URL(address).port),
    ca: fs.readFileSync(caFile),
    cert: fs.readFileSync(admin.certFile),
    key: fs.readFileSync(admin.keyFile),
  };
}

/** Opens many connections to the replicas at once, with a read on each. */
export async function connectAll(
  { cluster, path }: Overloaded,
  connections: number,
): Promise<{ readonly answered: number; readonly tookMs: number }> {
  const endpoints = cluster.members.map(({ address }) => endpointOf(cluster, address));
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: connections }, async (_, each) => {
      const connection = await Connection.open(endpoints[each % endpoints.length] as Endpoint);
      const { status } = await connection.send(request('GET', path));
      return { connection, status };
    }),
  );
  for (const { connection } of answers) connection.close();
  return { answered: answers.filter(({ status }) => status === 200).length, tookMs: performance.now() - began };
}

/** Keeps many connections busy: two writes for each list and get. Every request is answered or refused. */
export async function flood(
  { cluster, path }: Overloaded,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<{ readonly answered: number; readonly refused: number; readonly failed: number }> {
  const endpoints = cluster.members.map(({ address }) => endpointOf(cluster, address));
  const open = await Promise.all(
    Array.from({ length: connections }, (_, each) => Connection.open(endpoints[each % endpoints.length] as Endpoint)),
  );
  const end = performance.now() + seconds * 1000;
  const outcome = { answered: 0, refused: 0, failed: 0 };
  await Promise.all(
    open.map(async (connection, each) => {
      const patch = (round: number): Buffer =>
        request(
          'PATCH',
          `${path}/flood-${each}?fieldManager=t&force=true`,
          JSON.stringify({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `flood-${each}` },
            data: { value: `${round} ${'x'.repeat(500)}` },
          }),
          'application/apply-patch+yaml',
        );
      for (let round = 0; performance.now() < end; round += 1) {
        const asked = round % 4 === 2 ? request('GET', path) : round % 4 === 3 ? request('GET', `${path}/flood-${each}`) : patch(round);
        const status = await connection.send(asked).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 0) {
          outcome.failed += 1;
          break;
        }
        if (status < 300) outcome.answered += 1;
        else outcome.refused += 1;
      }
      connection.close();
    }),
  );
  return outcome;
}

/** Clients that send a byte at a time, half of them in the head, half in the body. Returns a function to stop them. */
export async function slowLoris({ cluster, path }: Overloaded, clients: number): Promise<() => void> {
  const heads = [
    `GET ${path} HTTP/1.1\r\nhost: x\r\nx-slow: `,
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${slowBodyBytes}\r\n\r\n{`,
  ];
  const sockets = await Promise.all(
    Array.from({ length: clients }, async (_, each) => {
      const { ca, cert, key, port } = endpointOf(cluster, cluster.members[each % cluster.members.length]?.address);
      const socket = tls.connect({
        host: '127.0.0.1',
        port,
        ca,
        ...(cert && key ? { cert, key } : {}),
        ALPNProtocols: ['http/1.1'],
        servername: 'localhost',
      });
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket
          .once('secureConnect', () => {
            resolve();
          })
          .once('close', () => {
            resolve();
          });
      });
      socket.write(heads[each % heads.length] as string);
      return socket;
    }),
  );
  const trickle = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 200);
  return () => {
    clearInterval(trickle);
    for (const socket of sockets) socket.destroy();
  };
}

/** Clients that request large lists and watches and read nothing. Returns a function to stop them. */
export async function slowReaders({ cluster, path }: Overloaded, clients: number): Promise<() => void> {
  const writer = await Connection.open(endpointOf(cluster));
  for (let each = 0; each < loudObjects; each += 1)
    await writer.send(
      request(
        'PATCH',
        `${path}/loud-${each}?fieldManager=t&force=true`,
        JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `loud-${each}` }, data: { value: 'x'.repeat(loudBytes) } }),
        'application/apply-patch+yaml',
      ),
    );
  writer.close();
  const sockets = await Promise.all(
    Array.from({ length: clients }, async (_, each) => {
      const { ca, cert, key, port } = endpointOf(cluster, cluster.members[0]?.address);
      const socket = tls.connect({
        host: '127.0.0.1',
        port,
        ca,
        ...(cert && key ? { cert, key } : {}),
        ALPNProtocols: ['http/1.1'],
        servername: 'localhost',
      });
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket
          .once('secureConnect', () => {
            resolve();
          })
          .once('close', () => {
            resolve();
          });
      });
      socket.pause();
      socket.write(`GET ${path}${each % 2 === 0 ? '' : '?watch=1&resourceVersion=0'} HTTP/1.1\r\nhost: x\r\n\r\n`);
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

export interface Reconnection {
  readonly watchers: number;
  readonly from: ClusterMember;
  readonly to: ClusterMember;
  /** Kills `from`. */
  readonly kill: () => Promise<unknown>;
}

/** Watchers lose their server and resume together at another. `resumed` saw later writes; `missed` did not. */
export async function reconnectWatchers(
  { cluster, path }: Overloaded,
  { watchers, from, to, kill }: Reconnection,
): Promise<{ readonly resumed: number; readonly missed: number; readonly tookMs: number }> {
  const version = await versionOf({ cluster, path }, to);
  const first = await openWatches(cluster, from, `${path}?watch=1&resourceVersion=${version}`, watchers);
  const writer = await Connection.open(endpointOf(cluster, to.address));
  const written = (name: string): Promise<unknown> => writer.send(request('POST', path, JSON.stringify({ metadata: { name } })));
  await kill();
  const began = performance.now();
  await written(`while-away-${began.toFixed(0)}`);
  const again = await openWatches(cluster, to, `${path}?watch=1&resourceVersion=${version}`, watchers);
  const name = `afterwards-${began.toFixed(0)}`;
  await written(name);
  const arrived = await Promise.all(again.watches.map((watch) => watch.saw(name)));
  const tookMs = performance.now() - began;
  writer.close();
  for (const { close } of [first, again]) close();
  return { resumed: arrived.filter(Boolean).length, missed: arrived.filter((seen) => !seen).length, tookMs };
}

async function versionOf({ cluster, path }: Overloaded, member: ClusterMember): Promise<string> {
  const session = connectTo(cluster, member);
  const stream = session.request({ ':path': `${path}?limit=1` });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  session.destroy();
  return (JSON.parse(text) as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
}

function connectTo(cluster: Cluster, member: ClusterMember): http2.ClientHttp2Session {
  const { ca, cert, key } = endpointOf(cluster, member.address);
  const session = http2.connect(member.address, { ca, ...(cert && key ? { cert, key } : {}), servername: 'localhost' });
  session.on('error', () => undefined);
  return session;
}

const timeLimitMs = 60_000;

class Watching {
  #tail = '';
  #waiting: (() => void)[] = [];
  #ended = false;

  constructor(stream: http2.ClientHttp2Stream) {
    const wake = (): void => {
      for (const each of this.#waiting.splice(0)) each();
    };
    stream
      .on('error', () => undefined)
      .on('close', () => {
        this.#ended = true;
        wake();
      });
    stream.on('data', (chunk: Buffer) => {
      this.#tail = (this.#tail + chunk.toString('latin1')).slice(-100_000);
      wake();
    });
  }

  /** Whether an event with this text arrives during the watch. */
  async saw(name: string): Promise<boolean> {
    const late = delay(timeLimitMs, 'late', { ref: false });
    while (!this.#tail.includes(name)) {
      if (
        this.#ended ||
        (await Promise.race([
          late,
          new Promise<string>((resolve) => {
            this.#waiting.push(() => {
              resolve('more');
            });
          }),
        ])) === 'late'
      )
        return this.#tail.includes(name);
    }
    return true;
  }
}

async function openWatches(
  cluster: Cluster,
  member: ClusterMember,
  path: string,
  count: number,
): Promise<{ readonly watches: readonly Watching[]; readonly close: () => void }> {
  const sessions = Array.from({ length: Math.ceil(count / streamsEach) }, () => connectTo(cluster, member));
  const watches = await Promise.all(
    Array.from({ length: count }, async (_, each) => {
      const stream = (sessions[each % sessions.length] as http2.ClientHttp2Session).request({ ':path': path });
      const watching = new Watching(stream);
      await new Promise<void>((resolve) => {
        stream
          .once('response', () => {
            resolve();
          })
          .once('close', () => {
            resolve();
          });
      });
      return watching;
    }),
  );
  return {
    watches,
    close: () => {
      for (const session of sessions) session.destroy();
    },
  };
}
