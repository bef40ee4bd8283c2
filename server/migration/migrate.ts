import { createHash, type Hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Revision } from '../../raft/types.js';
import { qualifiedName, type GroupResource } from '../api/resource.js';
import type { ObjectKey } from '../storage/contract.js';
import type { Change, EngineOperation, KeyValue, StoreEngine } from '../storage/engine.js';
import { keyAfter } from '../storage/keys.js';
import { carried, definitions, formOf, isBookkeeping, objectOf, type Side } from './side.js';

export interface MigrationOptions {
  readonly from: Omit<Side, 'form'>;
  readonly to: Omit<Side, 'form'>;
  /** The target may hold objects: those of an attempt that was broken off, or that the source has changed since. What the source does not have is removed. */
  readonly resume: boolean;
  /** How long events are kept in a store that removes them by itself, in milliseconds. */
  readonly eventTtlMs: number;
  /** By so many revisions the source is ahead of what anybody has ever seen of it; 0 unless told. */
  readonly unseen?: number;
  /** Revisions that are passed over with empty writes at most, so that they do not go back. */
  readonly raiseMax?: number;
  readonly progress?: (line: string) => void;
  /**
   * Goes on after the copy with what changes in the source, for as long as its servers serve: until nothing has changed for so long, in milliseconds, because
   * they were stopped. Null: a source that is still being written to is an error.
   */
  readonly followQuietMs?: number | null;
}

export interface MigrationReport {
  /** For each resource: how many objects both sides have, and a digest of their keys and values as the target has them. */
  readonly resources: readonly { readonly resource: string; readonly objects: number; readonly sha256: string }[];
  readonly written: number;
  readonly removed: number;
  /** Keys of the source that are no objects of the API, and stay there. */
  readonly left: readonly string[];
  readonly sourceRevision: number;
  readonly targetRevision: number;
}

/** Why a move cannot be done or is not complete; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Keys of this program's own, which no layout takes for an object's. */
const ownPart = 'raftplane/';
const timeoutMs = 30_000;
const pageKeys = 500;
const pageBytes = 4 << 20;
const writesAtOnce = 32;
const raiseDefaultMax = 2_000_000;
/** The source may be written to meanwhile; each pass takes over what has changed during the one before. */
const passesMax = 5;

/**
 * Takes all objects from one store to another. It reads both sides in order of resources and writes what differs, so it can be broken off and begun again
 * at any time, and a second run takes over only what has changed. Revisions of the target are first brought beyond those of the source: whoever has seen a
 * revision there will not meet it again here with another meaning.
 *
 * Objects of which the source makes new ones while this runs are taken over in further passes; when those do not come to an end, the source's servers have
 * to be stopped for the last of them.
 */
export async function migrate(options: MigrationOptions): Promise<MigrationReport> {
  const { from, progress = () => undefined } = options;
  const sourceRevision = await present(from.engine, 'source');
  const target = options.to.engine;
  await present(target, 'target');
  if (!options.resume && (await hasObjects(options.to)))
    throw new MigrationError(
      'the target holds objects already: give --resume to replace them by those of the source, or another --etcd-prefix or directory',
    );
  const definedKinds = await kindsDefined(from);
  const to: Side = { ...options.to, form: formOf(options.to.kind, definedKinds) };
  await raise(options.to, sourceRevision - (options.unseen ?? 0), options.raiseMax ?? raiseDefaultMax, progress);
  let [written, removed] = [0, 0];
  const followQuietMs = options.followQuietMs ?? null;
  for (let pass = 1; ; pass++) {
    let at = await present(from.engine, 'source');
    const done = await onePass(from, to, at, options.eventTtlMs);
    written += done.written;
    removed += done.removed;
    progress(`pass ${pass}: ${done.written} written, ${done.removed} removed, up to revision ${at} of the source`);
    if (done.written + done.removed === 0) break;
    if (followQuietMs !== null) {
      const followed = await follow(from, to, { after: at, quietMs: followQuietMs, eventTtlMs: options.eventTtlMs, progress });
      written += followed.written;
      removed += followed.removed;
      at = followed.through;
    } else if (pass === passesMax)
      throw new MigrationError('the source is still being written to: stop its API servers, and run this again with --resume');
  }
  // A key that was written often there was written once here.
  await raise(options.to, (await present(from.engine, 'source')) - (options.unseen ?? 0), options.raiseMax ?? raiseDefaultMax, progress);
  const report = await compare(from, to);
  return { ...report, written, removed, sourceRevision, targetRevision: await present(target, 'target') };
}

/** The newest revision; all that was written before is then read. */
async function present(engine: StoreEngine, name: string): Promise<Revision> {
  const barrier = await engine.barrier({ timeoutMs });
  if (barrier.outcome === 'unavailable') throw new MigrationError(`the ${name} cannot be read: ${barrier.reason}`);
  return barrier.revision;
}

interface Placed {
  readonly key: ObjectKey;
  readonly item: KeyValue;
}

/** All objects of a side at a revision, in the order of its keys, and the keys that are none. */
async function* objectsOf(
  { engine, keys }: Pick<Side, 'engine' | 'keys'>,
  at: Revision | null,
  left: string[] = [],
): AsyncGenerator<Placed> {
  for (let start: string | null = keys.start; start !== null;) {
    const page = await engine.range({ start, end: keys.end, revision: at, limit: pageKeys, bytesMax: pageBytes, countRemaining: false });
    if (page.outcome !== 'found') throw new MigrationError('history went while it was read: run this again with --resume');
    for (const item of page.items) {
      const key = objectKeyOf({ keys }, item.key);
      if (key !== null) yield { key, item };
      else if (!item.key.startsWith(`${keys.start}${ownPart}`)) left.push(item.key);
    }
    const last = page.items.at(-1);
    start = last === undefined || page.remaining === 0 ? null : keyAfter(last.key);
  }
}

async function hasObjects(side: Pick<Side, 'engine' | 'keys'>): Promise<boolean> {
  for await (const _ of objectsOf(side, null)) return true;
  return false;
}

/** Kinds of custom resources by their qualified names. */
async function kindsDefined(side: Pick<Side, 'engine' | 'keys'>): Promise<ReadonlyMap<string, string>> {
  const kinds = new Map<string, string>();
  const { start, end } = side.keys.rangeOf(definitions, null);
  const page = await side.engine.range({ start, end, revision: null, limit: null });
  if (page.outcome !== 'found') throw new MigrationError('the definitions of custom resources cannot be read');
  for (const item of page.items) {
    const parsed = side.keys.parse(item.key);
    if (parsed === null) continue;
    const { spec } = objectOf({ resource: definitions, namespace: '', name: parsed.name }, item) as {
      readonly spec?: { readonly group?: string; readonly names?: { readonly plural?: string; readonly kind?: string } };
    };
    kinds.set(qualifiedName({ group: spec?.group ?? '', resource: spec?.names?.plural ?? '' }), spec?.names?.kind ?? '');
  }
  return kinds;
}

/** Passes over revisions until the target has got as far as the source. */
async function raise(
  { engine, keys }: Pick<Side, 'engine' | 'keys'>,
  wanted: number,
  most: number,
  progress: (line: string) => void,
): Promise<void> {
  const key = `${keys.start}${ownPart}migration`;
  const now = await present(engine, 'target');
  const missing = wanted - now;
  if (missing <= 0) return;
  if (missing > most)
    throw new MigrationError(
      `the target is at revision ${now} and the source at ${wanted}: so many revisions cannot be passed over. Restore the target from a snapshot with its revision raised, and run this again`,
    );
  progress(`passing over ${missing} revisions`);
  let left = missing;
  const write = async (): Promise<void> => {
    while (left-- > 0) await demand(engine, { comparisons: [], operations: [{ type: 'put', key, value: Buffer.alloc(0) }] });
  };
  await Promise.all(Array.from({ length: writesAtOnce }, write));
  await demand(engine, { comparisons: [], operations: [{ type: 'delete', key }] });
}

async function demand(engine: StoreEngine, transaction: Parameters<StoreEngine['write']>[0]): Promise<void> {
  const outcome = await engine.write(transaction, { timeoutMs });
  if (outcome.outcome !== 'applied')
    throw new MigrationError(
      `the target did not take a write (${outcome.outcome}${'reason' in outcome ? `: ${outcome.reason}` : ''}): run this again with --resume`,
    );
}

/** Brings the target to the state of the source at a revision. */
async function onePass(
  from: Pick<Side, 'engine' | 'keys'>,
  to: Side,
  at: Revision,
  eventTtlMs: number,
): Promise<{ readonly written: number; readonly removed: number }> {
  const before = new Map<string, Buffer>();
  // Digests stand for the values: both sides whole would be too much.
  for await (const { item } of objectsOf(to, null)) before.set(item.key, digestOf(item.value));
  let written = 0;
  const writes = new Set<Promise<void>>();
  const wanted = new Set<string>();
  for await (const { key, item } of objectsOf(from, at)) {
    const { key: place, value } = carried(item, key, to);
    wanted.add(place);
    if (before.get(place)?.equals(digestOf(value)) === true) continue;
    written++;
    await begin(writes, () =>
      demand(to.engine, {
        comparisons: [],
        operations: [{ type: 'put', key: place, value, ...(isEvent(key.resource) ? { ttlMs: eventTtlMs } : {}) }],
      }),
    );
  }
  const gone = [...before.keys()].filter((key) => !wanted.has(key));
  for (const key of gone) await begin(writes, () => demand(to.engine, { comparisons: [], operations: [{ type: 'delete', key }] }));
  await Promise.all(writes);
  return { written, removed: gone.length };
}

interface Following {
  readonly after: Revision;
  readonly quietMs: number;
  readonly eventTtlMs: number;
  readonly progress: (line: string) => void;
}

/** How often the source is asked for what is new. */
const followEveryMs = 200;
const followBytesMax = 4 << 20;
const followLineEveryMs = 5_000;

/**
 * Takes over what changes in the source, in order, until nothing has changed for a while, or until history is gone. What it may have missed, as objects of
 * a kind that was defined meanwhile, the pass after it brings.
 */
async function follow(
  from: Pick<Side, 'engine' | 'keys'>,
  to: Side,
  { after, quietMs, eventTtlMs, progress }: Following,
): Promise<{ readonly written: number; readonly removed: number; readonly through: Revision }> {
  let [written, removed, through] = [0, 0, after];
  let [changedAt, saidAt] = [performance.now(), Number.NEGATIVE_INFINITY];
  while (performance.now() - changedAt < quietMs) {
    await present(from.engine, 'source');
    const page = await from.engine.changesSince(through, { bytesMax: followBytesMax });
    if (page.outcome === 'compacted') break;
    through = page.through;
    // Of several changes to an object the last one counts.
    const last = new Map(page.changes.map((change) => [change.key, change]));
    const writes = new Set<Promise<void>>();
    for (const change of last.values()) {
      const key = objectKeyOf(from, change.key);
      if (key === null) continue;
      changedAt = performance.now();
      if (change.value === null) removed++;
      else written++;
      await begin(writes, () => demand(to.engine, { comparisons: [], operations: [operationOf(key, change, to, eventTtlMs)] }));
    }
    await Promise.all(writes);
    if (performance.now() - saidAt > followLineEveryMs) {
      saidAt = performance.now();
      progress(`following: the target has what the source had at revision ${through}; stop the servers of the source when you are ready`);
    }
    if (page.changes.length === 0) await delay(Math.min(followEveryMs, quietMs));
  }
  progress(`followed up to revision ${through} of the source: ${written} written, ${removed} removed`);
  return { written, removed, through };
}

function operationOf(key: ObjectKey, change: Change, to: Side, eventTtlMs: number): EngineOperation {
  if (change.value === null) return { type: 'delete', key: to.keys.keyOf(key) };
  const item: KeyValue = {
    key: change.key,
    value: change.value,
    createRevision: change.createRevision,
    modRevision: change.revision,
    version: 1,
  };
  const { key: place, value } = carried(item, key, to);
  return { type: 'put', key: place, value, ...(isEvent(key.resource) ? { ttlMs: eventTtlMs } : {}) };
}

/** Null for a key that is no object's of the API. */
function objectKeyOf({ keys }: Pick<Side, 'keys'>, key: string): ObjectKey | null {
  const parsed = keys.parse(key);
  if (parsed === null || isBookkeeping(parsed)) return null;
  const { group, resource, namespace, name } = parsed;
  return { resource: { group, resource }, namespace, name };
}

/** Waits for room among the writes that are under way. */
async function begin(writes: Set<Promise<void>>, write: () => Promise<void>): Promise<void> {
  while (writes.size >= writesAtOnce) await Promise.race(writes);
  const working: Promise<void> = write().finally(() => writes.delete(working));
  // Told by whoever waits next.
  working.catch(() => undefined);
  writes.add(working);
}

const isEvent = ({ group, resource }: GroupResource): boolean => group === '' && resource === 'events';
const digestOf = (value: Uint8Array): Buffer => createHash('sha256').update(value).digest();

interface Tally {
  objects: number;
  readonly hash: Hash;
}

/** Reads both sides once more and compares them, resource by resource. */
async function compare(from: Pick<Side, 'engine' | 'keys'>, to: Side): Promise<Pick<MigrationReport, 'resources' | 'left'>> {
  const left: string[] = [];
  const [wanted, found] = [new Map<string, Tally>(), new Map<string, Tally>()];
  for await (const { key, item } of objectsOf(from, null, left)) {
    const { key: place, value } = carried(item, key, to);
    count(wanted, key.resource, place, value);
  }
  for await (const { key, item } of objectsOf(to, null)) count(found, key.resource, item.key, item.value);
  const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  const resources = names.map((resource) => {
    const [one, other] = [wanted.get(resource), found.get(resource)].map((tally) => ({
      objects: tally?.objects ?? 0,
      sha256: tally?.hash.digest('hex') ?? '',
    }));
    if (one?.objects !== other?.objects || one?.sha256 !== other?.sha256)
      throw new MigrationError(
        `${resource}: the source has ${one?.objects} objects and the target ${other?.objects}, or others. If the source is still being written to, stop its API servers; then run this again with --resume`,
      );
    return { resource, objects: one?.objects ?? 0, sha256: one?.sha256 ?? '' };
  });
  return { resources, left };
}

function count(tallies: Map<string, Tally>, resource: GroupResource, place: string, value: Uint8Array): void {
  const name = qualifiedName(resource);
  const tally = tallies.get(name) ?? { objects: 0, hash: createHash('sha256') };
  tallies.set(name, tally);
  tally.objects++;
  // Within a resource both sides have the same order of names.
  tally.hash.update(`${place} ${value.byteLength}\n`).update(value);
}
