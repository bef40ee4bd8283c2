import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeBatch, Replica, ReplicaAdministration, ReplicaOptions, WriteOutcome } from '../../../../raft/replicaApi.js';
import type { ReadDisk } from '../../../../raft/replica.js';
import type { ReplicaLimits } from '../../../../raft/replica/limits.js';
import { createReplica } from '../../../../raft/replica/local.js';
import type { LogLine } from '../../../../raft/replica/port.js';
import type { Change } from '../../../../raft/store/contract.js';
import { memberId, revision } from '../../../../raft/types.js';
import type { Member, MemberId } from '../../../../raft/types.js';
import { findFreePorts } from '../../../../deploy/ports.js';
import { createAuthority } from '../../../fixtures/certificates.js';
import type { TestAuthority } from '../../../fixtures/certificates.js';

/** Long enough for a busy machine. */
export const timeoutMs = 20_000;

type Gap = Pick<ChangeBatch, 'revision' | 'compacted'>;

export interface Running {
  readonly id: MemberId;
  readonly replica: Replica & ReplicaAdministration;
  readonly changes: Change[];
  /** Gaps in its changes: the state at the time, and where history continues. */
  readonly gaps: Gap[];
  readonly lines: LogLine[];
  readonly failure: Promise<Error>;
  readonly process: BusyProcess;
}

/** Processes its replica's events, except while held. */
export class BusyProcess {
  unreadBytes = 0;
  #waiting: (() => void)[] | null = null;

  readonly deliver = (take: () => void, bytes: number): void => {
    if (this.#waiting === null) return take();
    this.unreadBytes += bytes;
    this.#waiting.push(take);
  };

  hold(): void {
    this.#waiting ??= [];
  }

  release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.unreadBytes = 0;
    for (const take of waiting) take();
  }
}

/** Replicas in this process, with real disks and TLS on the loopback interface. */
export class TestCluster {
  readonly directory = mkdtempSync(join(tmpdir(), 'raft-replica-'));
  readonly running = new Map<string, Running>();
  members: Member[] = [];
  authority!: TestAuthority;

  async prepare(...names: string[]): Promise<void> {
    this.authority = await createAuthority(this.directory);
    for (const name of names) this.members.push(await this.member(name));
  }

  async member(name: string, role: Member['role'] = 'voter'): Promise<Member> {
    return { id: memberId(name), role, address: `127.0.0.1:${(await findFreePorts(1))[0]}` };
  }

  async start(
    name: string,
    overrides: Partial<ReplicaOptions> = {},
    limits: Partial<ReplicaLimits> = {},
    disk: ReadDisk | undefined = undefined,
  ): Promise<Running> {
    const changes: Change[] = [];
    const gaps: Gap[] = [];
    const lines: LogLine[] = [];
    const id = memberId(name);
    const process = new BusyProcess();
    const replica = await createReplica(
      {
        memberId: id,
        dataDirectory: join(this.directory, name),
        initialMembers: this.members,
        clusterToken: 'test',
        listenAddress: this.members.find((member) => member.id === id)?.address ?? null,
        tls: await this.authority.issuePeer(name),
        // Long, because three disks in one thread stall on a busy machine; elections after a loss do not wait for it.
        heartbeatIntervalMs: 50,
        electionTimeoutMs: 1000,
        logEntriesKept: 1000,
        ...overrides,
      },
      { log: (line) => lines.push(line), limits, deliver: process.deliver, ...(disk === undefined ? {} : { disk }) },
    );
    const failure = new Promise<Error>((resolve) => void replica.onFailure(resolve));
    replica.onChanges(({ changes: reported, revision, compacted, gap }) => {
      if (gap) gaps.push({ revision, compacted });
      changes.push(...reported.map((change) => ({ ...change, value: change.value === null ? null : Buffer.from(change.value) })));
    });
    const running = { id, replica, changes, gaps, lines, failure, process };
    this.running.set(name, running);
    return running;
  }

  get(name: string): Running {
    const running = this.running.get(name);
    if (running === undefined) throw new Error(`${name} does not run`);
    return running;
  }

  async leader(): Promise<Running> {
    for (const attempt of [...this.running.values(), ...this.running.values()]) {
      await attempt.replica.barrier(timeoutMs);
      const { leaderId } = await attempt.replica.status();
      const leader = leaderId === null ? undefined : this.running.get(leaderId);
      if (leader !== undefined && (await leader.replica.status()).role === 'leader') return leader;
    }
    throw new Error('nobody leads');
  }

  async follower(): Promise<Running> {
    const leader = await this.leader();
    return [...this.running.values()].find((running) => running !== leader) as Running;
  }

  async stop(name: string): Promise<void> {
    await this.get(name).replica.stop();
    this.running.delete(name);
  }

  wipe(name: string): void {
    rmSync(join(this.directory, name), { recursive: true });
  }

  async end(): Promise<void> {
    for (const { process } of this.running.values()) process.release();
    await Promise.all([...this.running.keys()].map((name) => this.stop(name)));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function create(running: Running, key: string, value = 'value'): Promise<WriteOutcome> {
  return running.replica.write(
    { comparisons: [{ key, modRevision: revision(0) }], operations: [{ type: 'put', key, value: Buffer.from(value) }] },
    { timeoutMs },
  );
}

export async function created(running: Running, key: string, value = 'value'): Promise<void> {
  expect(await create(running, key, value)).to.include({ outcome: 'applied' });
}

/** All keys and values of this replica, after everything committed so far. */
export async function contents(running: Running): Promise<Record<string, string>> {
  expect(await running.replica.barrier(timeoutMs)).to.include({ outcome: 'reached' });
  const result = await running.replica.range({ start: '', end: null, revision: null, limit: null });
  if (result.outcome !== 'found') throw new Error(result.outcome);
  return Object.fromEntries(result.items.map(({ key, value }) => [key, Buffer.from(value).toString()]));
}

/** Calls `probe` until it returns a result, without a time limit. */
export async function eventually<T>(probe: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const result = await probe();
    if (result !== null) return result;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
