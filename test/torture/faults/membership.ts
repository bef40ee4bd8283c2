import { setTimeout as delay } from 'node:timers/promises';
import type { TortureCluster, TortureMember } from '../cluster/tortureCluster.js';

const requestTimeoutMs = 12_000;
const pauseMs = 200;

/** A membership change did not finish in its time, although faults leave a majority from time to time. */
export class ChangeTookTooLong extends Error {}

/** Adds a learner. */
export async function admit(cluster: TortureCluster, member: TortureMember, timeoutMs: number): Promise<void> {
  const body = { id: member.id, address: cluster.network.addressOf(member.id) };
  await change(cluster, `adding ${member.id}`, performance.now() + timeoutMs, 'POST', '/raft/v1/members', body, (roles) =>
    roles.has(member.id),
  );
}

/** Adds and starts a member, and makes it a voter after it has caught up. */
export async function join(cluster: TortureCluster, member: TortureMember, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  await admit(cluster, member, timeoutMs);
  member.process.start();
  cluster.votes.set(member.id, 'maybe');
  await change(
    cluster,
    `promoting ${member.id}`,
    deadline,
    'POST',
    `/raft/v1/members/${member.id}/promote`,
    undefined,
    (roles) => roles.get(member.id) === 'voter',
  );
  cluster.votes.set(member.id, 'yes');
}

export async function leave(cluster: TortureCluster, id: string, timeoutMs: number): Promise<void> {
  cluster.votes.set(id, 'maybe');
  await change(
    cluster,
    `removing ${id}`,
    performance.now() + timeoutMs,
    'DELETE',
    `/raft/v1/members/${id}`,
    undefined,
    (roles) => !roles.has(id),
  );
  cluster.votes.delete(id);
}

/** Asks one member after another until one accepts, or the leader's status shows the change. */
async function change(
  cluster: TortureCluster,
  what: string,
  deadline: number,
  method: string,
  path: string,
  body: object | undefined,
  done: (roles: ReadonlyMap<string, string>) => boolean,
): Promise<void> {
  let last = 'nobody answered';
  for (let turn = 0; performance.now() < deadline; turn++) {
    const member = cluster.members[turn % cluster.members.length];
    if (member === undefined) break;
    const answer = await member.client
      .request(method, path, { ...(body === undefined ? {} : { body }), timeoutMs: requestTimeoutMs })
      .catch(() => null);
    if (answer?.status === 200) return;
    if (answer !== null) last = `${member.id} answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
    // A repeated change is refused; only the leader's status shows whether the first one succeeded.
    const status = await cluster.status(member);
    if (answer?.status === 409 && status?.role === 'leader' && done(new Map(status.members.map(({ id, role }) => [id, role])))) return;
    await delay(pauseMs);
  }
  throw new ChangeTookTooLong(`${what}: ${last}`);
}
