import { randomBytes } from 'node:crypto';
import { readFileIfPresent, writeFileAtomically } from './files.js';
import { findFreePorts, portIsFree } from './ports.js';

/** Settings in a data directory, by which the next start continues the same cluster. */
export interface ClusterSettings {
  /** Replicas of different clusters never mix, even on the same ports. */
  readonly token: string;
  readonly members: readonly MemberSettings[];
  /** The object store: the API servers (default), an etcd of the cluster, or an external one. */
  readonly store?: StoreKind;
  readonly flags?: ProgramFlags;
}

export interface ProgramFlags {
  readonly apiserver: readonly string[];
  readonly manager: readonly string[];
}

/** Null where there is no cluster yet. */
export const rememberedFlags = (file: string): ProgramFlags | null => readSettings(file)?.flags ?? null;

/** Returns each program's flags: the given ones, else the previous ones. */
export const flagsAfter = (before: ProgramFlags | null, given: ProgramFlags): ProgramFlags => ({
  apiserver: given.apiserver.length > 0 ? given.apiserver : (before?.apiserver ?? []),
  manager: given.manager.length > 0 ? given.manager : (before?.manager ?? []),
});

export const storeKinds = ['raft', 'etcd'] as const;
export type StoreKind = (typeof storeKinds)[number] | 'etcd-servers';

export interface MemberSettings {
  readonly id: string;
  /** HTTPS port; replaced when another program listens there. */
  readonly securePort: number;
  /** Port for the other replicas, which know it: fixed for the cluster's life. */
  readonly peerPort: number;
}

export const replicaCounts = [1, 3, 5] as const;
export type ReplicaCount = (typeof replicaCounts)[number];
const defaultReplicas: ReplicaCount = 3;

export interface Wanted {
  readonly replicas?: ReplicaCount | undefined;
  readonly store?: StoreKind | undefined;
  /** The flags to remember; without these, the previous ones stay. */
  readonly flags?: ProgramFlags | undefined;
}

/** Reads the settings, or makes and saves new ones. `replicas` must agree with an existing cluster. */
export async function loadSettings(file: string, { replicas, store, flags }: Wanted): Promise<ClusterSettings> {
  const existing = readSettings(file);
  if (existing && replicas !== undefined && existing.members.length !== replicas) {
    throw new Error(
      `the data directory holds a cluster of ${existing.members.length} replicas: start it with --replicas ${existing.members.length}, or start empty with --fresh`,
    );
  }
  if (existing) demandSameStore(existing, store);
  const found = existing
    ? await withFreePorts(existing)
    : { ...(await newSettings(replicas ?? defaultReplicas)), ...(store ? { store } : {}) };
  const settings = flags === undefined ? found : { ...found, flags };
  writeFileAtomically(file, JSON.stringify(settings, null, 2) + '\n');
  return settings;
}

/** All objects would seem lost in another store. */
function demandSameStore({ store = 'raft' }: ClusterSettings, wanted: StoreKind | undefined): void {
  if (wanted === store || (wanted === undefined && store !== 'etcd-servers')) return;
  const before = store === 'etcd-servers' ? 'with --etcd-servers' : `with --store ${store}`;
  throw new Error(`the objects of this data directory's cluster are elsewhere: start it ${before}, as before, or start empty with --fresh`);
}

async function newSettings(replicas: ReplicaCount): Promise<ClusterSettings> {
  const ports = await findFreePorts(2 * replicas);
  const members = Array.from({ length: replicas }, (_, i) => ({
    id: `r${i + 1}`,
    securePort: ports[2 * i] ?? 0,
    peerPort: ports[2 * i + 1] ?? 0,
  }));
  return { token: randomBytes(8).toString('hex'), members };
}

async function withFreePorts(settings: ClusterSettings): Promise<ClusterSettings> {
  const members: MemberSettings[] = [];
  for (const member of settings.members) {
    if (!(await portIsFree(member.peerPort))) {
      throw new Error(
        `port ${member.peerPort} on 127.0.0.1, on which replica ${member.id} must listen for its peers, is in use by another program`,
      );
    }
    const securePort = (await portIsFree(member.securePort)) ? member.securePort : ((await findFreePorts(1))[0] ?? 0);
    members.push({ ...member, securePort });
  }
  return { ...settings, members };
}

function readSettings(file: string): ClusterSettings | null {
  const text = readFileIfPresent(file);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (isSettings(value)) return value;
  } catch {
    // The error below covers this and well-formed JSON of another shape.
  }
  throw new Error(`${file} is damaged: restore it, or start empty with --fresh`);
}

function isSettings(value: unknown): value is ClusterSettings {
  if (!isRecord(value) || typeof value['token'] !== 'string' || !Array.isArray(value['members'])) return false;
  const members: readonly unknown[] = value['members'];
  if (value['flags'] !== undefined && !isFlags(value['flags'])) return false;
  return (
    members.length > 0 &&
    members.every(
      (member) => isRecord(member) && typeof member['id'] === 'string' && isPort(member['securePort']) && isPort(member['peerPort']),
    )
  );
}

const isFlags = (value: unknown): boolean =>
  isRecord(value) &&
  [value['apiserver'], value['manager']].every((list) => Array.isArray(list) && list.every((flag) => typeof flag === 'string'));
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) <= 65_535;
