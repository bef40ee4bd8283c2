import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterMember } from '../../deploy/cluster.js';
import type { ReplicaCount } from '../../deploy/settings.js';
import { connectAll, flood, reconnectWatchers, slowLoris, slowReaders, type Overloaded } from '../cluster/storm.js';
import type { BusyReport } from '../cluster/storms/busy.js';
import { busyReads, busyStreams, offerRequests, rapidResets, trickle } from '../cluster/storms/children.js';
import { Observer, type Endured } from '../cluster/storms/observer.js';
import type { TrickleReport } from '../cluster/storms/trickle.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { fill } from './reads.js';
import { count, printTable } from './table.js';

/** Loads replicas far beyond capacity. It counts what must not happen: elections, silence, ended processes, unbounded memory. */
export interface OverloadOptions {
  readonly connections: number;
  readonly watchers: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly replicas: ReplicaCount;
  /** Part of the names of storms; empty for all. */
  readonly only: string;
}

const path = '/api/v1/namespaces/default/configmaps';
const offeringConnections = 200;
const floodConnections = 500;
const busyConnections = 60;
const streamsEach = 100;
const resettingConnections = 20;
const slowClients = 500;
const settlingSeconds = 1;
/** The object to read. */
const asked = 'calm';
const listsAtOnce = 100;
const listingConnections = 10;
const listedObjects = 10_000;
const listedBytes = 200;
const deafClients = 100;

interface Storm {
  readonly name: string;
  run(): Promise<string>;
}

export async function benchOverload(options: OverloadOptions): Promise<void> {
  await withBenchCluster(
    options.replicas,
    async (bench) => {
      const { cluster, client } = bench;
      const observer = new Observer(cluster, path);
      await client.request('POST', path, { body: { metadata: { name: asked } } });
      const storms = stormsOver({ ...bench, path }, options, observer).filter(({ name }) => name.includes(options.only));
      const rows: string[][] = [];
      for (const storm of storms) {
        console.error(`  ${storm.name} ...`);
        const { outcome, endured } = await observer.during(() => storm.run());
        console.error(`    ${outcome}; ${cells(endured).join(', ')}`);
        rows.push([storm.name, outcome, ...cells(endured)]);
      }
      observer.close();
      printTable(['storm', 'outcome', 'elections', 'leader silent, ms', 'lease silent, s', 'MiB at most, each', 'calm after, s'], rows);
      console.log(`\nload average ${loadavg()[0]?.toFixed(1)}`);
    },
    [],
    { managers: 1 },
  );
}

function cells({ elections, leaderSilenceMs, leaseSilenceMs, peakMebibytes, calmAfterMs }: Endured): string[] {
  return [
    String(elections),
    count(leaderSilenceMs),
    leaseSilenceMs === null ? '' : (leaseSilenceMs / 1000).toFixed(1),
    peakMebibytes.map(count).join(' '),
    (calmAfterMs / 1000).toFixed(1),
  ];
}

function stormsOver(
  storm: Overloaded & BenchCluster,
  { connections, watchers, seconds, perSecond }: OverloadOptions,
  observer: Observer,
): Storm[] {
  const {
    cluster: { members },
  } = storm;
  return [
    {
      name: `${count(connections)} connections at once`,
      async run() {
        const { answered, tookMs } = await connectAll(storm, connections);
        return `${count(answered)} served in ${(tookMs / 1000).toFixed(1)} s`;
      },
    },
    {
      name: `${count(perSecond)} requests/s offered for ${seconds} s`,
      async run() {
        const { offered, sent, answers, closed } = await offerRequests(storm, { connections: offeringConnections, perSecond, seconds });
        const done = Object.entries(answers)
          .map(([status, times]) => `${status}: ${count(times)}`)
          .join(', ');
        return `${count(offered / seconds)}/s offered, ${count(sent / seconds)}/s taken by sockets; ${done}; ${closed} connections closed`;
      },
    },
    {
      name: `${floodConnections} administrators without a pause for ${seconds} s`,
      async run() {
        const { answered, refused, failed } = await flood(storm, { connections: floodConnections, seconds });
        return `${count(answered / seconds)}/s answered, ${count(refused)} refused, ${count(failed)} cut off`;
      },
    },
    {
      name: `${busyConnections * streamsEach} streams over HTTP/2 without a pause for ${seconds} s`,
      async run() {
        const { answered, refused } = await busyStreams(storm, {
          name: asked,
          connections: busyConnections,
          streams: streamsEach,
          seconds,
        });
        return `${count(answered / seconds)}/s answered, ${count(refused)} refused`;
      },
    },
    ...[
      { connections: members.length, streams: 20 },
      { connections: busyConnections, streams: streamsEach },
    ].map((elephant) => ({
      name: `one client beside another with ${elephant.connections * elephant.streams} streams for ${seconds} s`,
      run: () => beside(storm, seconds, (longer) => busyStreams(storm, { name: asked, ...elephant, seconds: longer })),
    })),
    ...(['HTTP/2', 'HTTP/1.1'] as const).map((protocol) => ({
      name: `one client beside another with ${listsAtOnce} lists of ${count(listedObjects)} objects over ${protocol} for ${seconds} s`,
      async run() {
        const listed = await fillListed(storm);
        const lists = { paths: [listed], connections: listingConnections, streams: listsAtOnce / listingConnections, protocol };
        return beside(storm, seconds, (longer) => busyReads(storm, { ...lists, seconds: longer }));
      },
    })),
    {
      name: `rapid reset on ${resettingConnections} connections for ${seconds} s`,
      async run() {
        const { resets, sentAway, closed } = await rapidResets(storm, { connections: resettingConnections, seconds });
        return `${count(resets / seconds)}/s reset, ${count(sentAway)} sent away, ${count(closed)} connections ended`;
      },
    },
    {
      name: `${slowClients} slow and ${deafClients} deaf clients`,
      async run() {
        const ends = [await slowLoris(storm, slowClients), await slowReaders(storm, deafClients)];
        const { answered } = await flood(storm, { connections: 8, seconds: 2 });
        for (const end of ends) end();
        return `${count(answered / 2)}/s answered to others`;
      },
    },
    // A replica can be killed only if others remain.
    ...members.slice(1, 2).map(() => ({
      name: `${count(watchers)} watchers come back, a replica killed`,
      async run() {
        const leader = await observer.leader();
        const [to, ...others] = members as [ClusterMember, ...ClusterMember[]];
        const dead = others.find((member) => member !== leader) as ClusterMember;
        const { resumed, missed, tookMs } = await reconnectWatchers(storm, {
          watchers,
          from: dead,
          to,
          kill: () => dead.process.kill('SIGKILL'),
        });
        return `${count(resumed)} go on after ${(tookMs / 1000).toFixed(1)} s, ${count(missed)} do not`;
      },
    })),
  ];
}

/** Creates the objects of a long list. Returns its path. */
async function fillListed(bench: BenchCluster): Promise<string> {
  const path = '/api/v1/namespaces/listed/configmaps';
  const { status } = await bench.client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'listed' } } });
  if (status === 409) return path;
  const names = Array.from({ length: listedObjects }, (_, each) => `listed-${each}`);
  await fill(bench, path, names, listedBytes);
  return path;
}

/** Measures one client's gets alone, and while another client floods the servers. */
async function beside(storm: Overloaded, seconds: number, flood: (seconds: number) => Promise<BusyReport>): Promise<string> {
  const asking = { name: asked, everyMs: 20, seconds };
  const alone = await trickle(storm, asking);
  const floodSeconds = seconds + 2 * settlingSeconds;
  const flooding = flood(floodSeconds);
  // The connects are a storm themselves.
  await delay(settlingSeconds * 1000);
  const besides = await trickle(storm, asking);
  const { answered, refused } = await flooding;
  const times = ({ p50Ms, p99Ms, maxMs }: TrickleReport): string => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)} / ${maxMs.toFixed(1)} ms`;
  const longer = `${(besides.p50Ms / alone.p50Ms).toFixed(1)} and ${(besides.p99Ms / alone.p99Ms).toFixed(1)} times`;
  const load = `${count(answered / floodSeconds)}/s answered and ${count(refused / floodSeconds)}/s refused`;
  const cpu = ({ cpu: { p50Ms, p99Ms } }: TrickleReport): string => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)} ms`;
  const waited = `meanwhile the server's main thread works ${cpu(alone)} alone (p50 / p99) and ${cpu(besides)}`;
  return `its gets take ${times(alone)} alone (p50 / p99 / longest), ${times(besides)} beside ${load}: ${longer}; ${besides.refused} refused; ${waited}`;
}
