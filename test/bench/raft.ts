import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startReplica } from '../../raft/client.js';
import type { Replica, ReplicaOptions } from '../../raft/replicaApi.js';
import { memberId, revision } from '../../raft/types.js';
import { findFreePorts } from '../../deploy/ports.js';
import { createAuthority } from '../fixtures/certificates.js';

/**
 * Measures writes a second through raft/client.ts with one replica, then three processes. Run: node dist/test/bench/raft.js [seconds] [writers] [value bytes]
 */
const [seconds = 3, writers = 32, valueBytes = 256] = process.argv.slice(2).map(Number);

const common = { clusterToken: 'bench', heartbeatIntervalMs: 100, electionTimeoutMs: 1000, logEntriesKept: 5000 };

interface Outcome {
  readonly label: string;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'raft-bench-'));
  try {
    const outcomes = [await single(directory)];
    if (process.env['SINGLE'] === undefined) outcomes.push(...(await three(directory)));
    console.table(Object.fromEntries(outcomes.map(({ label, ...figures }) => [label, figures])));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function single(directory: string): Promise<Outcome> {
  const id = memberId('only');
  const replica = await startReplica({
    ...common,
    memberId: id,
    dataDirectory: join(directory, 'only'),
    listenAddress: null,
    tls: null,
    initialMembers: [{ id, role: 'voter', address: '127.0.0.1:1' }],
  });
  const outcome = await load('one replica', replica);
  await replica.stop();
  return outcome;
}

async function three(directory: string): Promise<Outcome[]> {
  const authority = await createAuthority(directory);
  const members = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => ({
      id: memberId(name),
      role: 'voter' as const,
      address: `127.0.0.1:${(await findFreePorts(1))[0]}`,
    })),
  );
  const children: ChildProcess[] = [];
  for (const { id, address } of members) {
    const process = fork(fileURLToPath(import.meta.url), [String(seconds), String(writers), String(valueBytes)]);
    const options: ReplicaOptions = {
      ...common,
      memberId: id,
      dataDirectory: join(directory, id),
      listenAddress: address,
      tls: await authority.issuePeer(id),
      initialMembers: members,
    };
    process.send({ options });
    children.push(process);
  }
  const roles = await Promise.all(children.map(async (process) => (await reply(process)) as string));
  const outcomes: Outcome[] = [];
  for (const role of ['leader', 'follower']) {
    const process = children[roles.indexOf(role)] as ChildProcess;
    process.send({ load: `three replicas, through the ${role}` });
    outcomes.push((await reply(process)) as Outcome);
  }
  for (const process of children) {
    process.send({ stop: true });
    await new Promise((resolve) => process.once('exit', resolve));
  }
  return outcomes;
}

function child(): void {
  let replica: Replica | null = null;
  process.on('message', (message: { options?: ReplicaOptions; load?: string; stop?: boolean }) => {
    const act = async (): Promise<void> => {
      if (message.options !== undefined) {
        replica = await startReplica(message.options);
        replica.onFailure((error) => console.error(error));
        await replica.barrier(10_000);
        process.send?.((await replica.status()).role);
      } else if (message.load !== undefined && replica !== null) {
        process.send?.(await load(message.load, replica));
      } else {
        await replica?.stop();
        process.exit(0);
      }
    };
    act().catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
}

async function load(label: string, replica: Replica): Promise<Outcome> {
  let changes = 0;
  replica.onChanges((batch) => {
    changes += batch.changes.length;
  });
  const reached = await replica.barrier(10_000);
  if (reached.outcome !== 'reached') throw new Error(reached.reason);
  const latencies: number[] = [];
  const value = Buffer.alloc(valueBytes, 'x');
  const started = performance.now();
  const end = started + seconds * 1000;
  const writer = async (name: number): Promise<void> => {
    for (let count = 0; performance.now() < end; count += 1) {
      const at = performance.now();
      const key = `/bench/${label}/${name}/${count}`;
      const result = await replica.write(
        { comparisons: [{ key, modRevision: revision(0) }], operations: [{ type: 'put', key, value }] },
        { timeoutMs: 5_000 },
      );
      if (result.outcome !== 'applied') throw new Error(JSON.stringify(result));
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, name) => writer(name)));
  const elapsed = (performance.now() - started) / 1000;
  if (changes < latencies.length) throw new Error(`${latencies.length} writes, but only ${changes} changes`);
  latencies.sort((a, b) => a - b);
  const at = (part: number): number => Math.round((latencies[Math.floor(latencies.length * part)] ?? 0) * 100) / 100;
  return { label, perSecond: Math.round(latencies.length / elapsed), p50Ms: at(0.5), p99Ms: at(0.99) };
}

function reply(process: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    process.once('message', resolve);
    process.once('exit', (code) => reject(new Error(`a replica's process ended with ${code}`)));
  });
}

if (process.send === undefined) await main();
else child();
