import { Connection, request, type Endpoint } from '../connection.js';
import { watchEvents } from '../controlPlane.js';
import { Http2Client } from '../http2/client.js';
import { load, percentiles, type LoadResult } from '../load.js';
import type { Subject } from './subject.js';

/** Requests that any Kubernetes API server answers. */
export interface Measure {
  readonly name: string;
  readonly unit: 'requests' | 'events';
  /** One turn. `turn` makes unique names. */
  readonly run: (subject: Subject, load: Load, turn: number) => Promise<Rates>;
}

export type Rates = Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>;

export interface Load {
  readonly collection: string;
  readonly connections: number;
  readonly seconds: number;
  /** Called when all connections are open, because a handshake costs ten times a get. */
  readonly opened?: () => void;
}

const valueBytes = 600;
const listed = 500;

const body = (name: string, letter: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: letter.repeat(valueBytes) } });
const nameOf = (connection: number): string => `bench-${connection}`;
const letterOf = (round: number): string => String.fromCharCode(97 + (round % 26));

export const measures: readonly Measure[] = [
  {
    name: 'creates, HTTP/1.1',
    unit: 'requests',
    run: ({ endpoints }, { collection, connections, seconds, opened }, turn) =>
      load({
        endpoints,
        connections,
        seconds,
        opened,
        expect: 201,
        next: (connection, round) => request('POST', collection, body(`c-${turn}-${connection}-${round}`, 'c')),
      }),
  },
  {
    name: 'updates, HTTP/1.1',
    unit: 'requests',
    run: ({ endpoints }, { collection, connections, seconds, opened }) =>
      load({
        endpoints,
        connections,
        seconds,
        opened,
        expect: 200,
        next: (connection, round) => request('PUT', `${collection}/${nameOf(connection)}`, body(nameOf(connection), letterOf(round))),
      }),
  },
  {
    name: 'gets, HTTP/1.1',
    unit: 'requests',
    run: ({ endpoints }, { collection, connections, seconds, opened }) =>
      load({
        endpoints,
        connections,
        seconds,
        opened,
        expect: 200,
        next: (connection) => request('GET', `${collection}/${nameOf(connection)}`),
      }),
  },
  {
    name: 'gets, HTTP/2',
    unit: 'requests',
    run: ({ endpoints }, { collection, connections, seconds, opened }) =>
      http2Gets(endpoints, `${collection}/${nameOf(0)}`, { connections, seconds, opened }),
  },
  {
    name: `lists of ${listed}, HTTP/1.1`,
    unit: 'requests',
    run: ({ endpoints }, { collection, connections, seconds, opened }) =>
      load({ endpoints, connections, seconds, opened, expect: 200, next: () => request('GET', `${collection}?limit=${listed}`) }),
  },
  {
    name: 'events to 100 watchers',
    unit: 'events',
    run: ({ endpoints }, { collection, seconds, opened }) => watchEvents(endpoints, seconds, collection, opened),
  },
];

/** Creates the namespace and objects; returns their removal. */
export async function prepare(
  { endpoints }: Subject,
  { collection, connections }: Pick<Load, 'collection' | 'connections'>,
): Promise<() => Promise<void>> {
  const [, , , namespaces, namespace = ''] = collection.split('/');
  const expect = async (statuses: readonly number[], method: string, path: string, content?: string): Promise<void> => {
    const connection = await Connection.open(endpoints[0] as Endpoint);
    try {
      const { status } = await connection.send(request(method, path, content));
      if (!statuses.includes(status)) throw new Error(`${method} ${path} answered ${status}`);
    } finally {
      connection.close();
    }
  };
  const all = `/api/v1/${namespaces}`;
  await expect([201], 'POST', all, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  const names = [
    ...Array.from({ length: connections }, (_, each) => nameOf(each)),
    ...Array.from({ length: listed }, (_, each) => `listed-${each}`),
  ];
  for (const name of names) await expect([201], 'POST', collection, body(name, 'f'));
  return async () => {
    await expect([200], 'DELETE', collection);
    await expect([200, 202], 'DELETE', `${all}/${namespace}`);
  };
}

async function http2Gets(
  endpoints: readonly Endpoint[],
  path: string,
  { connections, seconds, opened }: Omit<Load, 'collection'>,
): Promise<Rates> {
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, each) => Http2Client.open(endpoints[each % endpoints.length] as Endpoint)),
  );
  opened?.();
  const start = performance.now();
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  await Promise.all(
    clients.map(async (client) => {
      for (let sent = performance.now(); sent < end; sent = performance.now()) {
        const { status } = await client.get(path);
        if (status !== 200) throw new Error(`${path} was refused`);
        latencies.push(performance.now() - sent);
      }
      client.close();
    }),
  );
  return { perSecond: latencies.length / ((performance.now() - start) / 1000), ...percentiles(latencies) };
}
