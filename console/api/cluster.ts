import { buckets, parseMetrics, total, type Samples } from '../model/metrics.js';
import type { ApiClient } from './client.js';

/** What the console asks of servers and of the launcher beside the API. */

export interface KnownServer {
  readonly name: string;
  readonly memberId: string | null;
  readonly address: string;
  readonly own: boolean;
  readonly renewedAt: number | null;
}
export interface RaftStatus {
  readonly memberId: string;
  readonly leaderId: string | null;
  readonly role: string;
  readonly term: number;
  readonly commitIndex: number;
  readonly appliedIndex: number;
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly revision: number;
  readonly members: readonly {
    readonly id: string;
    readonly role: string;
    readonly progress: { readonly match: number; readonly state: string; readonly active: boolean } | null;
  }[];
  readonly figures: { readonly snapshotsInstalled: number };
}
export interface ProgramState {
  readonly name: string;
  readonly role: string;
  readonly state: 'running' | 'paused' | 'partitioned' | 'down';
}

export const servers = (
  client: ApiClient,
  signal: AbortSignal,
): Promise<{ readonly servers: readonly KnownServer[]; readonly launcher: boolean }> => client.json('/console/v1/servers', { signal });

const at = (path: string, server: string): string => `/console/v1/${path}?server=${encodeURIComponent(server)}`;

export const statusOf = (client: ApiClient, server: string, signal: AbortSignal): Promise<RaftStatus> =>
  client.json(at('status', server), { signal });

export const requestsOf = at.bind(null, 'requests');

export const programs = async (client: ApiClient, signal: AbortSignal): Promise<readonly ProgramState[]> =>
  (await client.json<{ readonly programs: readonly ProgramState[] }>('/console/v1/launcher', { signal })).programs;

export type MemberCommand = 'kill' | 'pause' | 'resume' | 'partition' | 'heal' | 'restart';

export const order = (client: ApiClient, command: MemberCommand | 'managers', target?: string): Promise<unknown> =>
  client.json('/console/v1/launcher', { method: 'POST', body: { command, ...(target === undefined ? {} : { target }) } });

/** What the page reads of a server's metrics. */
export interface Figures {
  readonly at: number;
  readonly requests: number;
  readonly latency: ReadonlyMap<number, number>;
  readonly watches: number;
  readonly connections: number;
  readonly loopSeconds: number;
  readonly commitIndex: number;
  readonly logBytes: number;
  readonly storeBytes: number;
  readonly objects: number;
}

const names: ReadonlySet<string> = new Set([
  'apiserver_request_total',
  'apiserver_request_duration_seconds_bucket',
  'apiserver_longrunning_requests',
  'nodejs_active_resources',
  'nodejs_eventloop_lag_p99_seconds',
  'raftplane_raft_commit_index',
  'raftplane_raft_log_bytes',
  'apiserver_storage_size_bytes',
  'apiserver_resource_objects',
]);
const longRunning: ReadonlySet<string> = new Set(['WATCH', 'CONNECT']);

export async function figuresOf(client: ApiClient, server: string, signal: AbortSignal): Promise<Figures> {
  const text = await client.text(at('metrics', server), { signal });
  return figuresIn(parseMetrics(text, names), performance.now());
}

/** `at` in milliseconds of `performance.now()`. */
function figuresIn(samples: Samples, at: number): Figures {
  return {
    at,
    requests: total(samples, 'apiserver_request_total'),
    latency: buckets(samples, 'apiserver_request_duration_seconds', ({ verb }) => !longRunning.has(verb ?? '')),
    watches: total(samples, 'apiserver_longrunning_requests', ({ verb }) => verb === 'WATCH'),
    connections: total(samples, 'nodejs_active_resources', ({ type }) => type === 'TCPSocketWrap'),
    loopSeconds: total(samples, 'nodejs_eventloop_lag_p99_seconds'),
    commitIndex: total(samples, 'raftplane_raft_commit_index'),
    logBytes: total(samples, 'raftplane_raft_log_bytes'),
    storeBytes: total(samples, 'apiserver_storage_size_bytes'),
    objects: total(samples, 'apiserver_resource_objects'),
  };
}
