import type { Certificate } from '../model/certificates.js';
import type { ManagerReading } from '../model/queues.js';
import type { Sample } from '../model/history.js';
import type { ApiClient } from './client.js';

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
    readonly progress: {
      readonly match: number;
      readonly state: string;
      readonly active: boolean;
      readonly snapshot: { readonly sentBytes: number; readonly bytes: number } | null;
    } | null;
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

/** Returns the certificates that a server shows or trusts. */
export const certificatesOf = async (client: ApiClient, server: string, signal: AbortSignal): Promise<readonly Certificate[]> =>
  (await client.json<{ readonly certificates: readonly Certificate[] }>(at('certificates', server), { signal })).certificates;

export const requestsOf = at.bind(null, 'requests');

export const programs = async (client: ApiClient, signal: AbortSignal): Promise<readonly ProgramState[]> =>
  (await client.json<{ readonly programs: readonly ProgramState[] }>('/console/v1/launcher', { signal })).programs;

export type MemberCommand = 'kill' | 'pause' | 'resume' | 'partition' | 'heal' | 'restart';

const ask = <T>(client: ApiClient, command: MemberCommand | 'managers', target?: string): Promise<T> =>
  client.json<T>('/console/v1/launcher', { method: 'POST', body: { command, ...(target === undefined ? {} : { target }) } });

export const order = (client: ApiClient, command: MemberCommand, target: string): Promise<unknown> => ask(client, command, target);

export const managersOf = async (client: ApiClient): Promise<readonly ManagerReading[]> =>
  (await ask<{ readonly managers: readonly ManagerReading[] }>(client, 'managers')).managers;

/** Returns a server's samples of the last minutes, after `since` (milliseconds since 1970), oldest first. */
export const samplesOf = async (client: ApiClient, server: string, since: number, signal: AbortSignal): Promise<readonly Sample[]> =>
  (await client.json<{ readonly samples: readonly Sample[] }>(`${at('samples', server)}&since=${since}`, { signal })).samples;
