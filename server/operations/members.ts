import type { ReplicaStatus } from '../../raft/index.js';
import type { Servers } from './connection.js';

type Members = ReplicaStatus['members'];

const columns = ['MEMBER', 'ROLE', 'ADDRESS', 'STATE', 'MATCH'] as const;

/** Includes the leader's view of others if the leader has responded. */
export function membersTable({ members, leaderId }: Pick<ReplicaStatus, 'members' | 'leaderId'>): string {
  const rows = members.map(({ id, role, address, progress }) => [
    id,
    role,
    address,
    id === leaderId ? 'leads' : progress === null ? '' : progress.active ? progress.state : 'silent',
    progress === null ? '' : String(progress.match),
  ]);
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)));
  return [columns, ...rows]
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns the leader's status, if among the servers, else any that responds. */
export const listMembers = (servers: Servers): Promise<ReplicaStatus> =>
  servers.askUntil<ReplicaStatus>('/raft/v1/status', ({ role }) => role === 'leader');

export const addMember = async (servers: Servers, id: string, address: string): Promise<Members> =>
  ((await servers.askLeader('POST', '/raft/v1/members', { id, address })) as { readonly members: Members }).members;

export const promoteMember = async (servers: Servers, id: string): Promise<Members> =>
  ((await servers.askLeader('POST', `/raft/v1/members/${encodeURIComponent(id)}/promote`)) as { readonly members: Members }).members;

export const removeMember = async (servers: Servers, id: string): Promise<Members> =>
  ((await servers.askLeader('DELETE', `/raft/v1/members/${encodeURIComponent(id)}`)) as { readonly members: Members }).members;
