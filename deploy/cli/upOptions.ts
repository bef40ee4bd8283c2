import { InvalidArgumentError, Option, type Command } from 'commander';
import { nodesMax } from '../nodes/node.js';
import { replicaCounts, storeKinds, type ReplicaCount } from '../settings.js';
import { managersMax, parseFlag, readUpConfig } from './upConfig.js';

/** The desired cluster, from flags and from a file; flags win. */
export interface UpOptions {
  readonly port: number;
  readonly replicas?: ReplicaCount;
  readonly store?: (typeof storeKinds)[number];
  readonly etcdServers?: readonly string[];
  readonly managers: number;
  readonly nodes: number;
  /** Lets stand-in nodes bind pods as well. */
  readonly bind: boolean;
  readonly fresh: boolean;
  /** A backup, or a test's snapshot, for the start of a new cluster. */
  readonly restore?: string;
  readonly apiserverFlag: readonly string[];
  readonly managerFlag: readonly string[];
  /** Drops flags of an earlier start that are not given again. */
  readonly forgetFlags: boolean;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port from 0 to 65535`);
  return port;
}

/** Returns a parser of whole numbers from 0 to `max`. */
export const countUpTo =
  (max: number) =>
  (text: string): number => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count > max) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a number from 0 to ${max}`);
    return count;
  };
export const parseNodes = countUpTo(nodesMax);
const parseManagers = countUpTo(managersMax);

export function parseReplicas(text: string): ReplicaCount {
  const count = replicaCounts.find((candidate) => String(candidate) === text);
  if (count === undefined) throw new InvalidArgumentError(`Allowed choices are ${replicaCounts.join(', ')}.`);
  return count;
}

export function withUpOptions(command: Command): Command {
  return command
    .option('--port <port>', 'where clients connect, on 127.0.0.1; 0 means any free port', parsePort, 6443)
    .addOption(
      new Option('--replicas <count>', `API servers: ${replicaCounts.join(', ')} (default: as before, or 3)`).argParser(parseReplicas),
    )
    .addOption(
      new Option(
        '--store <kind>',
        'where objects are kept: raft (in the API servers), or etcd (a program of that name, which has to be installed, is started); default: as before, or raft',
      ).choices([...storeKinds]),
    )
    .addOption(
      new Option('--etcd-servers <url,...>', 'keep objects in an etcd that is there already')
        .argParser((text) => text.split(','))
        .conflicts('store'),
    )
    .option('--managers <count>', 'controller managers, of which one works and the others stand by; 0 for none', parseManagers, 2)
    .option('--nodes <count>', 'stand-in nodes, on which pods seem to run; for machines without nodes', parseNodes, 0)
    .addOption(new Option('--fake-nodes <count>', 'the same as --nodes').argParser(parseNodes))
    .option('--no-bind', 'stand-in nodes leave the binding of pods to a scheduler of yours')
    .option(
      '--apiserver-flag <flag>',
      'a further flag for each API server, such as --apiserver-flag=--v=4; repeat it for several; without any, those of the start before',
      parseFlag,
      [],
    )
    .option('--manager-flag <flag>', 'a further flag for each controller manager; without any, those of the start before', parseFlag, [])
    .option('--forget-flags', 'start without the flags of the start before', false)
    .option('--config <file>', 'YAML with any of: port, replicas, managers, nodes, apiserverFlags, managerFlags (raftplane schema)')
    .option('--restore <file>', 'a new cluster begins with what a backup holds ("raftplane backup"), or a snapshot of raftplane/testing')
    .option('--fresh', 'start empty: forget the data and logs of an earlier start', false);
}

/** Merges flags and file. Throws with the file's name where it is invalid. */
export function readUpOptions(command: Command): UpOptions {
  const { config, fakeNodes, ...flags } = command.opts<UpOptions & { readonly config?: string; readonly fakeNodes?: number }>();
  const given = fakeNodes === undefined ? flags : { ...flags, nodes: fakeNodes };
  if (config === undefined) return given;
  const file = readUpConfig(config);
  const isExplicit = (name: string): boolean =>
    command.getOptionValueSource(name) !== 'default' && command.getOptionValueSource(name) !== undefined;
  const pick = <T>(name: string, flag: T, inFile: T | undefined): T => (isExplicit(name) || inFile === undefined ? flag : inFile);
  const replicas = pick('replicas', given.replicas, file.replicas);
  return {
    ...given,
    ...(replicas === undefined ? {} : { replicas }),
    port: pick('port', given.port, file.port),
    managers: pick('managers', given.managers, file.managers),
    nodes: fakeNodes ?? pick('nodes', given.nodes, file.nodes),
    apiserverFlag: [...file.apiserverFlags, ...given.apiserverFlag],
    managerFlag: [...file.managerFlags, ...given.managerFlag],
  };
}
