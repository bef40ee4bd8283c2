import { createHash, type Hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Revision } from '../../raft/index.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import type { ObjectKey } from '../storage/contract.js';
import type { Change, EngineOperation, KeyValue, StoreEngine } from '../storage/engine.js';
import { keyAfter } from '../storage/keys.js';
import { unseal } from '../storage/seal.js';
import { carried, definitions, formOf, isBookkeeping, objectOf, type Side } from './side.js';

type Source = Pick<Side, 'keys'> & { readonly engine: Pick<StoreEngine, 'barrier' | 'range' | 'changesSince'> };

/** The hand-over of a source that still serves. */
export type HandOver =
  /** An operator stops its servers: no change for this many milliseconds. */
  | { readonly by: 'silence'; readonly quietMs: number }
  /** Seals the source against writes when the target is almost complete. Idempotent; resolves once sealed. */
  | { readonly by: 'seal'; readonly seal: () => Promise<void> };

export interface MigrationOptions {
  readonly from: Pick<Side, 'kind'> & Source;
  readonly to: Omit<Side, 'form'>;
  /** The target may hold objects of an interrupted or outdated copy. Those that the source lacks are removed. */
  readonly resume: boolean;
  /** The lifetime of events, for stores that expire them, in milliseconds. */
  readonly eventTtlMs: number;
  /** Revisions of the source beyond those that clients have seen; default 0. */
  readonly unseen?: number;
  /** The limit of empty writes that raise the target's revision. */
  readonly raiseMax?: number;
  readonly progress?: (line: string) => void;
  /** Follows changes after the copy while the source serves. Null: it is an error if the source still changes. */
  readonly handOver?: HandOver | null;
}

export interface MigrationReport {
  /** The number of objects per resource on both sides, and a digest of the target's keys and values. */
  readonly resources: readonly { readonly resource: string; readonly objects: number; readonly sha256: string }[];
  readonly written: number;
  readonly removed: number;
  /** Keys of the source that are not API objects, and stay. */
  readonly left: readonly string[];
  readonly sourceRevision: number;
  readonly targetRevision: number;
  /** Milliseconds for which the source was sealed before the target was complete; null without a seal. */
  readonly readOnlyMs: number | null;
}

/** The message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** This program's own keys, which no layout takes for objects. */
const ownPart = 'raftplane/';
const timeoutMs = 30_000;
const pageKeys = 500;
const pageBytes = 4 << 20;
const writesAtOnce = 32;
const raiseDefaultMax = 2_000_000;
/** Each pass copies the changes during the one before. */
const passesMax = 5;

/**
 * Copies all objects from one store to another. It writes differences in resource order, so it can be interrupted and repeated. First raises the target's
 * revision beyond the source's, so that no client sees a revision with two meanings. `handOver` handles later writes of the source; without it there are
 * further passes, and if they do not converge, the source's servers have to be stopped for the last one.
 */
export async function migrate(options: MigrationOptions): Promise<MigrationReport> {
  const { from, handOver = null } = options;
  const sourceRevision = await present(from.engine, 'source');
  await present(options.to.engine, 'target');
  if (!(await hasObjects(from)))
    throw new MigrationError(`the source holds no objects under ${from.keys.start}: is --etcd-prefix the one of its servers?`);
  if (!options.resume && (await hasObjects(options.to)))
    throw new MigrationError(
      'the target holds objects already: give --resume to replace them by those of the source, or another --etcd-prefix or directory',
    );
  const move = new Move(options, await kindsDefined(from));
  // It may have been a source before.
  await unseal(options.to.engine, `${options.to.keys.start}${ownPart}sealed`);
  await move.raise(sourceRevision);
  const end = await ways[handOver?.by ?? 'none'](move, handOver);
  const report = await compare(from, move.to, end);
  return {
    ...report,
    ...move.counts,
    sourceRevision,
    targetRevision: await present(options.to.engine, 'target'),
    readOnlyMs: end.readOnlyMs,
  };
}

interface End {
  readonly source: Revision | null;
  readonly target: Revision | null;
  readonly readOnlyMs: number | null;
}

const newestOfBoth: End = { source: null, target: null, readOnlyMs: null };

const ways: Readonly<Record<HandOver['by'] | 'none', (move: Move, handOver: HandOver | null) => Promise<End>>> = {
  none: async (move) => {
    for (let pass = 1; (await move.pass()).changed > 0; pass++)
      if (pass === passesMax)
        throw new MigrationError('the source is still being written to: stop its API servers, and run this again with --resume');
    await move.raise();
    return newestOfBoth;
  },
  silence: async (move, handOver) => {
    const quietMs = handOver?.by === 'silence' ? handOver.quietMs : 0;
    for (;;) {
      const { changed, at } = await move.pass();
      if (changed === 0) break;
      await move.follow(at, untilQuiet(quietMs));
    }
    // A key with many writes there had one write here.
    await move.raise();
    return newestOfBoth;
  },
  seal: async (move, handOver) => {
    let through: Revision | null = null;
    while (through === null) ({ through } = await move.follow((await move.pass()).at, untilCaughtUp));
    await move.raise();
    move.say(`the target has almost everything, up to revision ${through} of the source, which takes no writes from now on`);
    const since = performance.now();
    if (handOver?.by === 'seal') await handOver.seal();
    const source = await present(move.from.engine, 'source');
    const last = await move.follow(through, untilRevision(source));
    if (last.through === null) await move.pass(source);
    await move.raise();
    const target = await present(move.to.engine, 'target');
    const readOnlyMs = Math.round(performance.now() - since);
    move.say(`handed over after ${readOnlyMs} ms without writes: servers over the target can be started. Comparing both sides`);
    return { source, target, readOnlyMs };
  },
};

interface Look {
  /** The target has all changes up to here. */
  readonly through: Revision;
  /** The source's revision before the poll, at least. */
  readonly present: Revision;
  readonly changes: number;
  readonly quietMs: number;
}

interface Until {
  readonly holds: (look: Look) => boolean;
  readonly everyMs: number;
  /** Advice for the waiting operator. */
  readonly hint?: string;
}

/** The number of changes that are copied in a moment. */
const lagMax = 50;
const untilQuiet = (ms: number): Until => ({
  holds: ({ quietMs }) => quietMs >= ms,
  everyMs: Math.min(followEveryMs, ms),
  hint: '; stop the servers of the source when you are ready',
});
const untilCaughtUp: Until = { holds: ({ through, present: now, changes }) => through >= now && changes <= lagMax, everyMs: 20 };
const untilRevision = (wanted: Revision): Until => ({ holds: ({ through }) => through >= wanted, everyMs: 5 });

class Move {
  readonly #options: MigrationOptions;
  /** Extended by kinds that are defined meanwhile. */
  readonly #kinds: Map<string, string>;
  readonly from: Source;
  readonly to: Side;
  readonly counts = { written: 0, removed: 0 };
  #passes = 0;

  constructor(
    options: MigrationOptions,

    kinds: Map<string, string>,
  ) {
    this.#options = options;
    this.#kinds = kinds;
    this.from = options.from;
    this.to = { ...options.to, form: formOf(options.to.kind, kinds) };
  }

  say(line: string): void {
    this.#options.progress?.(line);
  }

  async raise(sourceRevision?: Revision): Promise<void> {
    const wanted = (sourceRevision ?? (await present(this.from.engine, 'source'))) - (this.#options.unseen ?? 0);
    await raise(this.to, wanted, this.#options.raiseMax ?? raiseDefaultMax, (line) => {
      this.say(line);
    });
  }

  /** Brings the target to the source's state at a revision, by default the latest. Compacted reads start again. */
  async pass(wanted?: Revision): Promise<{ readonly changed: number; readonly at: Revision }> {
    for (let attempt = 1; ; attempt++) {
      const at = wanted ?? (await present(this.from.engine, 'source'));
      for (const [name, kind] of await kindsDefined(this.from)) this.#kinds.set(name, kind);
      try {
        const done = await onePass(this.from, this.to, at, this.#options.eventTtlMs);
        this.#count(done);
        this.say(`pass ${++this.#passes}: ${done.written} written, ${done.removed} removed, up to revision ${at} of the source`);
        return { changed: done.written + done.removed, at };
      } catch (error) {
        if (!(error instanceof HistoryWent) || attempt === passesMax || wanted !== undefined) throw error;
        this.say(`history before revision ${at} of the source went while it was read: reading the newest state`);
      }
    }
  }

  /** Copies later changes of the source in order. `through` null: history is compacted, and another pass is needed. */
  async follow(after: Revision, until: Until): Promise<{ readonly through: Revision | null }> {
    let [through, changedAt, saidAt] = [after, performance.now(), performance.now()];
    const before = { ...this.counts };
    for (;;) {
      const now = await present(this.from.engine, 'source');
      const page = await this.from.engine.changesSince(through, followBytesMax);
      if (page.outcome === 'compacted') return { through: null };
      through = page.through;
      const changes = await this.#takeOver(page.changes);
      if (changes > 0) changedAt = performance.now();
      if (until.holds({ through, present: now, changes, quietMs: performance.now() - changedAt })) break;
      if (performance.now() - saidAt > followLineEveryMs) {
        saidAt = performance.now();
        this.say(`following: the target has what the source had at revision ${through}${until.hint ?? ''}`);
      }
      if (through >= now) await delay(until.everyMs);
    }
    const { written, removed } = this.counts;
    this.say(`followed up to revision ${through} of the source: ${written - before.written} written, ${removed - before.removed} removed`);
    return { through };
  }

  async #takeOver(changes: readonly Change[]): Promise<number> {
    const own = changes.flatMap((change) => {
      const key = objectKeyOf(this.from, change.key);
      return key === null ? [] : [{ key, change }];
    });
    for (const { key, change } of own) this.#learn(key, change);
    const writes = new Set<Promise<void>>();
    for (const { key, change } of new Map(own.map((each) => [each.change.key, each])).values()) {
      this.#count(change.value === null ? { written: 0, removed: 1 } : { written: 1, removed: 0 });
      await begin(writes, () =>
        demand(this.to.engine, { comparisons: [], operations: [operationOf(key, change, this.to, this.#options.eventTtlMs)] }),
      );
    }
    await Promise.all(writes);
    return own.length;
  }

  /** Objects may follow their definition at once. */
  #learn({ resource, name }: ObjectKey, { value, revision }: Change): void {
    if (value === null || qualifiedName(resource) !== qualifiedName(definitions)) return;
    const [qualified, kind] = kindDefined(name, { value, modRevision: revision });
    this.#kinds.set(qualified, kind);
  }

  #count({ written, removed }: { readonly written: number; readonly removed: number }): void {
    this.counts.written += written;
    this.counts.removed += removed;
  }
}

/** The revision to read has been compacted. */
class HistoryWent extends MigrationError {}

/** The latest revision, which includes all earlier writes. */
async function present(engine: Source['engine'], name: string): Promise<Revision> {
  const barrier = await engine.barrier(timeoutMs);
  if (barrier.outcome === 'unavailable') throw new MigrationError(`the ${name} cannot be read: ${barrier.reason}`);
  return barrier.revision;
}

interface Placed {
  readonly key: ObjectKey;
  readonly item: KeyValue;
}

/** Yields all objects of a side at a revision, in key order, and other keys. */
async function* objectsOf({ engine, keys }: Source, at: Revision | null, left: string[] = []): AsyncGenerator<Placed> {
  for (let start: string | null = keys.start; start !== null;) {
    const page = await engine.range({ start, end: keys.end, revision: at, limit: pageKeys, bytesMax: pageBytes, countRemaining: false });
    if (page.outcome !== 'found') throw new HistoryWent('history went while it was read: run this again with --resume');
    for (const item of page.items) {
      const key = objectKeyOf({ keys }, item.key);
      if (key !== null) yield { key, item };
      else if (!item.key.startsWith(`${keys.start}${ownPart}`)) left.push(item.key);
    }
    const last = page.items.at(-1);
    start = last === undefined || page.remaining === 0 ? null : keyAfter(last.key);
  }
}

async function hasObjects(side: Source): Promise<boolean> {
  for await (const _ of objectsOf(side, null)) return true;
  return false;
}

/** Kinds of custom resources by qualified name. */
async function kindsDefined(side: Source): Promise<Map<string, string>> {
  const kinds = new Map<string, string>();
  const { start, end } = side.keys.rangeOf(definitions, null);
  const page = await side.engine.range({ start, end, revision: null, limit: null });
  if (page.outcome !== 'found') throw new MigrationError('the definitions of custom resources cannot be read');
  for (const item of page.items) {
    const parsed = side.keys.parse(item.key);
    if (parsed !== null) kinds.set(...kindDefined(parsed.name, item));
  }
  return kinds;
}

function kindDefined(name: string, item: Pick<KeyValue, 'value' | 'modRevision'>): readonly [qualifiedName: string, kind: string] {
  const { spec } = objectOf({ resource: definitions, namespace: '', name }, item) as {
    readonly spec?: { readonly group?: string; readonly names?: { readonly plural?: string; readonly kind?: string } };
  };
  return [qualifiedName({ group: spec?.group ?? '', resource: spec?.names?.plural ?? '' }), spec?.names?.kind ?? ''];
}

/** Writes until the target's revision reaches the source's. */
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

async function onePass(
  from: Source,
  to: Side,
  at: Revision,
  eventTtlMs: number,
): Promise<{ readonly written: number; readonly removed: number }> {
  const before = new Map<string, Buffer>();
  // Digests replace values, since both sides would be too large.
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

const followEveryMs = 200;
const followBytesMax = 4 << 20;
const followLineEveryMs = 5_000;

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

/** Null for a key outside the API's objects. */
function objectKeyOf({ keys }: Pick<Side, 'keys'>, key: string): ObjectKey | null {
  const parsed = keys.parse(key);
  if (parsed === null || isBookkeeping(parsed)) return null;
  const { group, resource, namespace, name } = parsed;
  return { resource: { group, resource }, namespace, name };
}

async function begin(writes: Set<Promise<void>>, write: () => Promise<void>): Promise<void> {
  while (writes.size >= writesAtOnce) await Promise.race(writes);
  const working: Promise<void> = write().finally(() => writes.delete(working));
  // The next waiter reports it.
  working.catch(() => undefined);
  writes.add(working);
}

const isEvent = ({ group, resource }: GroupResource): boolean => group === '' && resource === 'events';
const digestOf = (value: Uint8Array): Buffer => createHash('sha256').update(value).digest();

interface Tally {
  objects: number;
  readonly hash: Hash;
}

async function compare(from: Source, to: Side, at: End): Promise<Pick<MigrationReport, 'resources' | 'left'>> {
  const left: string[] = [];
  const [wanted, found] = [new Map<string, Tally>(), new Map<string, Tally>()];
  for await (const { key, item } of objectsOf(from, at.source, left)) {
    const { key: place, value } = carried(item, key, to);
    count(wanted, key.resource, place, value);
  }
  for await (const { key, item } of objectsOf(to, at.target)) count(found, key.resource, item.key, item.value);
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
  // Within a resource, names have the same order on both sides.
  tally.hash.update(`${place} ${value.byteLength}\n`).update(value);
}
