#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander';
import type { ReplicaCount } from '../../deploy/settings.js';
import { benchAccess } from './access.js';
import { benchAgainst } from './against/against.js';
import { withBenchCluster, type BenchCluster } from './benchCluster.js';
import { benchBalancer } from './balancer.js';
import { benchBigCache } from './bigCache.js';
import { benchCodecs } from './codecs.js';
import { benchControllers } from './controllers.js';
import { benchControlPlane } from './controlPlane.js';
import { benchCustomSchemas } from './customSchemas.js';
import { benchEmbed } from './embed.js';
import { benchFailover } from './failover.js';
import { benchGrowth } from './growth.js';
import { benchOverload, type OverloadOptions } from './overload.js';
import { benchExplore, type ExploreTerms } from './explore.js';
import { benchReads } from './reads.js';
import { benchRuntimes, type RuntimesOptions } from './runtimes.js';
import { benchScale, type ScaleOptions } from './scale/scale.js';
import { benchStalls } from './stalls/stalls.js';
import { benchStore } from './store.js';
import { benchWatchCache } from './watchCache.js';
import { benchWatchers } from './watchers.js';
import { benchWrites } from './writes.js';

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('must be a number above 0 and at most 3600');
  return value;
};
const replicaCounts = (text: string): ReplicaCount[] =>
  text.split(',').map((each) => {
    const value = Number(each);
    if (value !== 1 && value !== 3 && value !== 5) throw new InvalidArgumentError('must be a comma-separated list of 1, 3 and 5');
    return value;
  });

const replicaCount = (text: string): ReplicaCount => {
  const [first, ...others] = replicaCounts(text);
  if (first === undefined || others.length > 0) throw new InvalidArgumentError('must be 1, 3 or 5');
  return first;
};

const program = new Command('bench').description(
  'Measures a cluster of real processes on this machine, each figure beside the bare limit measured in the same run.',
);

const server = (text: string): URL => {
  if (!URL.canParse(text) || new URL(text).protocol !== 'https:')
    throw new InvalidArgumentError('must be a URL such as https://127.0.0.1:6443');
  return new URL(text);
};
const processes = (text: string): number[] => {
  const pids = text.split(',').map(Number);
  if (!pids.every((pid) => Number.isSafeInteger(pid) && pid > 0))
    throw new InvalidArgumentError('must be a comma-separated list of process ids');
  return pids;
};

interface CompareOptions {
  readonly against?: URL;
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly name?: string;
  readonly pids: number[];
  readonly replicas: ReplicaCount;
  readonly seconds: number;
  readonly turns: number;
  readonly connections: number;
  readonly only: string;
  readonly output: string;
}

program
  .command('compare', { isDefault: true })
  .description('creates, updates, gets, lists and watches of this build, beside any other API server under the same load: some minutes')
  .option('--against <url>', 'another API server', server)
  .option('--cert <file>', 'client certificate for it')
  .option('--key <file>', 'key of that certificate')
  .option('--ca <file>', 'authority of its certificate; without one it is not checked')
  .option('--name <text>', 'what it is called in the report')
  .option('--pids <list>', 'its processes, store included (default: whoever listens on its port here)', processes, [] as number[])
  .option('--replicas <n>', 'API servers of this build', replicaCount, 1)
  .option('--seconds <n>', 'how long each turn runs', positive, 3)
  .option('--turns <n>', 'turns of each measure', positive, 3)
  .option('--connections <n>', 'connections of the load generator', positive, 32)
  .option('--only <text>', 'measures whose names contain this', '')
  .option('--output <folder>', 'where bench.json and bench.svg go', 'bench-report')
  .addHelpText(
    'after',
    '\nExamples:\n  npm run bench\n  npm run bench -- --against https://127.0.0.1:6443 --cert admin.crt --key admin.key --pids 4711,4712 --name kube-apiserver\n',
  )
  .action(async ({ against, cert, key, ca, name, pids, ...options }: CompareOptions) => {
    if (against && !(cert && key)) program.error('--against needs --cert and --key', { exitCode: 2 });
    const other = against && cert && key ? { url: against, cert, key, ca: ca ?? null, name: name ?? against.host, pids } : null;
    await benchAgainst({ ...options, other });
  });

program
  .command('runtimes')
  .description(
    'creates, updates, gets, lists and watches of one server on each Node that is found, in turns, the newest beside each other one',
  )
  .option('--nodes <list>', 'programs of Node (default: this one and those of .ci/tools)', (text) => text.split(','), [] as string[])
  .option('--seconds <n>', 'how long each turn runs', positive, 3)
  .option('--turns <n>', 'turns of each measure', positive, 3)
  .option('--connections <n>', 'connections of the load generator', positive, 32)
  .option('--only <text>', 'measures whose names contain this', '')
  .option('--output <folder>', 'where bench.json and bench.svg go', 'bench-report')
  .addHelpText(
    'after',
    '\nExamples:\n  npm run bench -- runtimes\n  npm run bench -- runtimes --nodes node,/opt/node26/bin/node --only gets\n',
  )
  .action((options: RuntimesOptions) => benchRuntimes(options));

program
  .command('controlplane')
  .description('creates, updates, gets, lists and a hundred watchers over HTTP/1.1')
  .option('--seconds <n>', 'how long each measure runs', positive, 4)
  .option('--connections <n>', 'connections of the load generator', positive, 32)
  .option('--replicas <list>', 'cluster sizes to measure', replicaCounts, [1, 3] as ReplicaCount[])
  .addHelpText('after', '\nExamples:\n  npm run bench -- controlplane\n  npm run bench -- controlplane --replicas 1 --seconds 10\n')
  .action((options: { seconds: number; connections: number; replicas: ReplicaCount[] }) => benchControlPlane(options));

program
  .command('writes')
  .description('updates, patches of each type and applies, over HTTP/1.1')
  .option('--seconds <n>', 'how long each measure runs', positive, 3)
  .option('--connections <n>', 'connections of the load generator', positive, 32)
  .option('--replicas <list>', 'cluster sizes to measure', replicaCounts, [1, 3] as ReplicaCount[])
  .action((options: { seconds: number; connections: number; replicas: ReplicaCount[] }) => benchWrites(options));

program
  .command('store')
  .description(
    'the built-in store beside an etcd of three members, under three servers each, in turns: creates, updates, reads, watches, memory, failover',
  )
  .option('--seconds <n>', 'how long each turn of a measure runs', positive, 3)
  .option('--connections <n>', 'connections of the load generator', positive, 16)
  .option('--rounds <n>', 'turns of each measure', positive, 3)
  .action((options: { seconds: number; connections: number; rounds: number }) => benchStore(options));

program
  .command('embed')
  .description('the library for tests: start, reset and stop, in threads and in processes; snapshots of 1,000 objects')
  .option('--rounds <n>', 'how often each is started', positive, 5)
  .action((options: { rounds: number }) => benchEmbed(options));

program
  .command('access')
  .description('gets with client certificates and account tokens, with roles on and off')
  .option('--seconds <n>', 'how long each measure runs', positive, 3)
  .option('--connections <n>', 'connections of the load generator', positive, 16)
  .action((options: { seconds: number; connections: number }) => benchAccess(options));

const reading: Readonly<
  Record<string, { readonly about: string; readonly run: (cluster: BenchCluster, options: { readonly seconds: number }) => Promise<void> }>
> = {
  reads: { about: 'gets and lists over HTTP/2, and gets beside lists of 200 MB: a minute or two', run: benchReads },
  bigcache: { about: '100,000 objects: memory, restart, pages: two minutes or three', run: benchBigCache },
  watchers: {
    about: 'thousands of watchers over HTTP/2, and the memory of 50,000 idle ones: two minutes or three, five on a busy machine',
    run: benchWatchers,
  },
};
for (const [name, { about, run }] of Object.entries(reading)) {
  program
    .command(name)
    .description(about)
    .option('--seconds <n>', 'how long each measure runs', positive, 5)
    .action((options: { seconds: number }) => withBenchCluster(1, (cluster) => run(cluster, options)));
}

program
  .command('controllers')
  .description('what controllers take: a deployment, a job, the end of a namespace, and an idle manager')
  .option('--replicas <n>', 'API servers', replicaCount, 1)
  .option('--pods <n>', 'pods of the deployment and of the job', positive, 500)
  .option('--idle-pods <n>', 'pods beside an idle manager', Number, 5_000)
  .option('--idle-seconds <n>', 'how long it is looked at', positive, 30)
  .option('--content-type <type>', 'what the manager speaks', 'application/json')
  .action((options: { replicas: ReplicaCount; pods: number; idlePods: number; idleSeconds: number; contentType: string }) =>
    benchControllers(options),
  );

const whole = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || value > 1_000_000)
    throw new InvalidArgumentError('must be a whole number up to 1,000,000');
  return value;
};
program
  .command('failover')
  .description(
    'time without writes when the leader is killed, is asked to stop, hangs, is cut off; how fast a replica catches up; three replicas',
  )
  .option('--kills <n>', 'of each kind; 0 leaves them out', whole, 30)
  .option('--behind <n>', 'entries that the replica which catches up has missed; 0 leaves it out', whole, 100_000)
  .option('--only <text>', 'faults whose names contain this', '')
  .action((options: { kills: number; behind: number; only: string }) => benchFailover(options));

program
  .command('overload')
  .description(
    'storms over a cluster: connections, requests, resets, slow clients, watchers that come back; elections, heartbeats, leases and memory',
  )
  .option('--connections <n>', 'that open at once', whole, 2_000)
  .option('--watchers <n>', 'that come back at once', whole, 10_000)
  .option('--seconds <n>', 'how long a flood of requests lasts', positive, 10)
  .option('--per-second <n>', 'requests that are offered', whole, 100_000)
  .option('--replicas <n>', '1, 3 or 5', replicaCount, 3)
  .option('--only <text>', 'storms whose names contain it', '')
  .action((options: OverloadOptions) => benchOverload(options));

const sizes = (text: string): number[] => text.split(',').map(whole);
program
  .command('growth')
  .description(
    'processor time of a request with more and more objects, custom definitions, role bindings and watchers: a quarter of an hour or so',
  )
  .option('--objects <list>', 'how many are stored', sizes, [1_000, 10_000, 100_000])
  .option('--definitions <list>', 'custom definitions', sizes, [0, 500, 2_000])
  .option('--bindings <list>', 'role bindings of others', sizes, [0, 1_000, 10_000])
  .option('--selectors <list>', 'watchers, each with a selector of its own', sizes, [1, 100, 10_000])
  .option('--seconds <n>', 'how long each turn runs', positive, 2)
  .option('--turns <n>', 'turns of each measure', positive, 3)
  .option('--only <text>', 'what grows: objects, custom definitions, role bindings, watchers', '')
  .addHelpText('after', '\nExamples:\n  npm run bench -- growth\n  npm run bench -- growth --only objects --objects 1000,1000000\n')
  .action((options: Parameters<typeof benchGrowth>[0]) => benchGrowth(options));

program
  .command('scale')
  .description(
    'nodes and pods brought up, held under churn while the leader is killed once, and taken away, beside what Kubernetes promises',
  )
  .option('--replicas <n>', 'API servers', replicaCount, 3)
  .option('--nodes <n>', 'stand-in nodes, at most 5,000', whole, 500)
  .option('--pods <n>', 'their pods', whole, 15_000)
  .option('--seconds <n>', 'how long they are held under churn', positive, 60)
  .option('--pods-per-second <n>', 'pods made and deleted meanwhile', whole, 30)
  .addHelpText('after', '\nExamples:\n  npm run bench -- scale\n  npm run bench -- scale --nodes 5000 --pods 150000 --seconds 600\n')
  .action((options: ScaleOptions) => benchScale(options));

program
  .command('balancer')
  .description('gets through each kind of balancer beside gets directly at the servers, in turns: rates and processor time; some minutes')
  .option('--replicas <n>', 'API servers', replicaCount, 3)
  .option('--seconds <n>', 'how long each turn runs', positive, 2)
  .option('--turns <n>', 'turns of each measure', positive, 5)
  .option('--only <text>', 'loads whose names contain this', '')
  .option('--output <folder>', 'where balancer.json goes', 'bench-report')
  .addHelpText('after', '\nExamples:\n  npm run bench -- balancer\n  npm run bench -- balancer --replicas 1 --turns 9\n')
  .action((options: Parameters<typeof benchBalancer>[0]) => benchBalancer(options));

program
  .command('stalls')
  .description('single requests of at most 3 MiB that make much work, and how long /livez of the same server takes meanwhile: a minute')
  .option('--only <text>', 'requests whose names contain this', '')
  .option('--apiserver <file>', 'the program of another build, to compare with', '')
  .action((options: Parameters<typeof benchStalls>[0]) => benchStalls(options));

program.command('watchcache').description('the watch cache by itself; with --expose-gc also its memory').action(benchWatchCache);

program
  .command('all')
  .description('all of these, one after the other: about half an hour on a quiet machine of two cores, several times that on a busy one')
  .action(async () => {
    await program.commands
      .filter((command) => command.name() !== 'all' && command.name() !== 'help')
      .reduce(async (before, command) => {
        await before;
        console.log(`\n${command.name()}: ${command.description()}\n`);
        await command.parseAsync([], { from: 'user' });
      }, Promise.resolve());
  });

program
  .command('explore')
  .description('what a plan of `raftplane explore` costs beside the time of its scenario')
  .option('--rounds <n>', 'of the scenario alone, and of plans', positive, 20)
  .option('--clusters <n>', 'plans side by side', positive, 1)
  .action((options: ExploreTerms) => benchExplore(options));

program
  .command('codecs')
  .description('codecs beside JSON.parse and JSON.stringify, inline against the pool, stalls of the event loop; in this process alone')
  .option('--seconds <n>', 'how long all measures take together, more or less', positive, 10)
  .action((options: { seconds: number }) => benchCodecs(options));

program
  .command('custom-schemas')
  .description('schemas of custom resources beside JSON.parse: form, defaults, conditions')
  .option('--seconds <n>', 'how long all measures run together', positive, 12)
  .action((options: { seconds: number }) => benchCustomSchemas(options));

await program.parseAsync();
