/**
 * A replica process that dies at the point in its environment: `victim.js SPEC`. Prints lines: `put KEY` for an acknowledged write, `member ID` for a
 * membership change; `delete KEY` before the request. Ends with status 0 if it did not reach the point.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startReplica } from '../../../raft/client.js';
import type { Replica, ReplicaAdministration } from '../../../raft/replicaApi.js';
import { createReplica } from '../../../raft/replica/local.js';
import { revision } from '../../../raft/types.js';
import { sayNow as say } from '../../fixtures/sayNow.js';
import { valueOf } from './victimSpec.js';
import type { VictimSpec } from './victimSpec.js';

const rounds = 40;
const writesPerRound = 40;
const writesAtOnce = 8;
/** Some ticks without writes, for housekeeping. */
const quietMs = 150;
const timeoutMs = 20_000;

const { options, limits, act, newcomer } = JSON.parse(process.argv[2] ?? '') as VictimSpec;
const replica: Replica & ReplicaAdministration = limits === null ? await startReplica(options) : await createReplica(options, { limits });
const acts: Readonly<Record<VictimSpec['act'], () => Promise<unknown>>> = { writes, adds, follows: () => delay(timeoutMs) };
await acts[act]();
process.exit(0);

async function writes(): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await write(round);
    if (round % 4 === 3) await forget(round);
    const copy = await replica.snapshot();
    if (copy.outcome === 'made') rmSync(copy.path);
  }
}

async function adds(): Promise<void> {
  for (let round = 0; round < 4; round += 1) await write(round);
  if (newcomer === null) throw new Error('nobody to add');
  const { outcome } = await replica.changeMembership({ type: 'addLearner', member: newcomer }, timeoutMs);
  if (outcome === 'applied') say(`member ${newcomer.id}`);
  await delay(timeoutMs);
}

async function write(round: number): Promise<void> {
  for (let at = 0; at < writesPerRound; at += writesAtOnce) {
    await Promise.all(
      Array.from({ length: writesAtOnce }, async (_, place) => {
        const key = `/key/${round}/${at + place}`;
        const { outcome } = await replica.write(
          { comparisons: [{ key, modRevision: revision(0) }], operations: [{ type: 'put', key, value: Buffer.from(valueOf(key)) }] },
          { timeoutMs },
        );
        if (outcome === 'applied') say(`put ${key}`);
      }),
    );
  }
}

/** Deletes most writes of the last rounds, and compacts. */
async function forget(round: number): Promise<void> {
  for (let past = round - 3; past < round; past += 1) {
    const keys = Array.from({ length: writesPerRound }, (_, place) => `/key/${past}/${place}`);
    for (const key of keys) say(`delete ${key}`);
    await replica.write({ comparisons: [], operations: keys.map((key) => ({ type: 'delete', key })) }, { timeoutMs });
  }
  await replica.compact((await replica.status()).revision, timeoutMs);
  await delay(quietMs);
}
