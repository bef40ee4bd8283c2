import type { ReplicaStatus } from '../../raft/replica-api.js';
import type { Servers } from './connection.js';

type Members = ReplicaStatus['members'];

const columns = ['MEMBER', 'ROLE', 'ADDRESS', 'STATE', 'MATCH'] as const;

/** Members as a table. What the leader knows of the others is shown where the leader has answered. */
export function membersTable({ members, leaderId }: Pick<ReplicaStatus, 'members' | 'leaderId'>): string {
  const rows = members.map(({ id, role, address, progress }) => [
    id, role, address, id === leaderId ? 'leads' : progress === null ? '' : progress.active ? progress.state : 'silent', progress === null ? '' : String(progress.match),
  ]);
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)));
  return [columns, ...rows].map((row) => row.map((cell, index) => cell.padEnd(widths[index]!)).join('   ').trimEnd()).join('\n');
}

/** The status of the leader if it is found among the servers, else of one that answers. */
export async function listMembers(servers: Servers): Promise<ReplicaStatus> {
  let last: ReplicaStatus | null = null;
  let failure: unknown = null;
  for (let attempt = 0; attempt < tries; attempt++) {
    for (const address of servers.addresses) {
      try {
        last = await servers.ask(address, 'GET', '/raft/v1/status') as ReplicaStatus;
        if (last.role === 'leader') return last;
      } catch (error) {
        failure = error;
      }
    }
  }
  if (last === null) throw failure;
  return last;
}

const tries = 6;

export const addMember = async (servers: Servers, id: string, address: string): Promise<Members> =>
  (await servers.askLeader('POST', '/raft/v1/members', { id, address }) as { readonly members: Members }).members;

export const promoteMember = async (servers: Servers, id: string): Promise<Members> =>
  (await servers.askLeader('POST', `/raft/v1/members/${encodeURIComponent(id)}/promote`) as { readonly members: Members }).members;

export const removeMember = async (servers: Servers, id: string): Promise<Members> =>
  (await servers.askLeader('DELETE', `/raft/v1/members/${encodeURIComponent(id)}`) as { readonly members: Members }).members;
