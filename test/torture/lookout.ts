import fs from 'node:fs';
import { crowding } from '../fixtures/crowding.js';
import { majorities, type MemberSight, type Sight } from './checks/availability.js';
import type { EtcdGroup } from './cluster/etcdGroup.js';
import type { TortureCluster, TortureMember } from './cluster/tortureCluster.js';

const lookEveryMs = 100;
/** A slower or lossy link counts as cut: elections may fail on it. */
const goodDelayMsMax = 20;
const silenceTold = 3_000;

/** Observes from outside which members run, are connected, and vote. It asks the operating system and the harness, not the servers. */
export class Lookout {
  readonly #cluster: TortureCluster;
  readonly #acknowledgedMs: () => number | null;
  readonly #log: (line: string) => void;
  readonly sights: Sight[] = [];
  readonly #timer: NodeJS.Timeout;
  #majority: boolean | null = null;
  #silent: number;
  #crowding = 1;

  /** `acknowledgedMs`: the time of the last acknowledged write, or null. */
  constructor(cluster: TortureCluster, acknowledgedMs: () => number | null, log: (line: string) => void) {
    this.#cluster = cluster;
    this.#acknowledgedMs = acknowledgedMs;
    this.#log = log;
    this.#silent = performance.now();
    this.#timer = setInterval(() => {
      this.#look();
    }, lookEveryMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get crowding(): number {
    return this.#crowding;
  }

  #look(): void {
    const sight = sightOf(this.#cluster);
    this.sights.push(sight);
    this.#crowding = Math.max(this.#crowding, crowding());
    const majority = majorities(sight).length > 0;
    if (majority !== this.#majority) this.#log(majority ? 'a majority is well and connected' : 'no majority is well and connected');
    this.#majority = majority;
    const latest = this.#acknowledgedMs() ?? this.#silent;
    if (latest - this.#silent > silenceTold)
      this.#log(
        `silence: no write was acknowledged for ${Math.round(latest - this.#silent)} ms, until ${Math.round(sight.atMs - latest)} ms ago`,
      );
    this.#silent = latest;
  }
}

function sightOf(cluster: TortureCluster): Sight {
  const { etcd, stations, network } = cluster;
  const listening = listeningPorts(fs.readFileSync('/proc/net/tcp', 'utf8'));
  const good = (from: string, to: string): boolean => {
    const { cut, delayMs, breaksPermille } = network.link(from, to);
    return !cut && delayMs <= goodDelayMsMax && breaksPermille === 0;
  };
  const apart = new Set(stations.flatMap((a) => stations.flatMap((b) => (a === b || (good(a, b) && good(b, a)) ? [] : [`${a} ${b}`]))));
  return {
    atMs: performance.now(),
    ...(etcd === null
      ? replicasSeen(cluster, listening)
      : { members: etcdSeen(etcd, listening), servers: serversSeen(cluster, listening) }),
    connected: (a, b) => !apart.has(`${a} ${b}`),
  };
}

/** Servers that store objects themselves. */
function replicasSeen({ members, votes, badDisks }: TortureCluster, listening: ReadonlySet<number>): Pick<Sight, 'members'> {
  const ids = members.map(({ id }) => id);
  const seen = members.map((member): MemberSight => ({
    id: member.id,
    start: member.process.pid ?? 0,
    votes: votes.get(member.id) ?? 'no',
    well: listening.has(member.peerPort) && runs(member.process.pid) && !badDisks.has(member.id),
  }));
  // A lost member keeps its vote until it is removed.
  const gone = [...votes.keys()]
    .filter((id) => !ids.includes(id))
    .map((id): MemberSight => ({ id, start: 0, well: false, votes: votes.get(id) ?? 'no' }));
  return { members: [...seen, ...gone] };
}

const etcdSeen = ({ members }: EtcdGroup, listening: ReadonlySet<number>): MemberSight[] =>
  members.map(({ name, ports, process: { pid = null } }) => ({
    id: name,
    start: pid ?? 0,
    votes: 'yes',
    well: listening.has(ports.client) && listening.has(ports.peer) && runs(pid),
  }));

const serversSeen = ({ members }: TortureCluster, listening: ReadonlySet<number>): MemberSight[] =>
  members.map(({ id, securePort, process: { pid } }) => ({
    id,
    start: pid ?? 0,
    votes: 'no',
    well: listening.has(securePort) && runs(pid),
  }));

/** The process exists and is neither stopped nor ended. Its state follows the name in parentheses. */
function runs(pid: TortureMember['process']['pid']): boolean {
  if (pid === null) return false;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !'TtZX'.includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? 'X');
  } catch {
    return false;
  }
}

const listens = '0A';

/** Listening local ports of the kernel's table. Columns: number, local, remote, state. */
function listeningPorts(table: string): ReadonlySet<number> {
  return new Set(
    table
      .split('\n')
      .map((line) => line.trim().split(/\s+/, 4))
      .flatMap(([, local = '', , state]) => (state === listens ? [parseInt(local.split(':')[1] ?? '', 16)] : [])),
  );
}
