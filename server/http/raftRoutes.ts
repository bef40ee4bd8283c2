import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Router } from 'express';
import { memberId, revision, type Revision } from '../../raft/index.js';
import type { KeyValue, MembershipChange, MembershipOutcome, Replica, ReplicaAdministration, ReplicaStatus } from '../../raft/index.js';
import { turns } from '../../workers/turns/turns.js';
import { badRequest, StatusError, timeout, unavailable } from '../../api/status.js';
import type { Request } from '../../program/port/message.js';
import { writableOf } from '../../program/port/streams.js';
import type { ApiObject } from '../../api/object.js';
import { ExpiredError } from '../registry/failures.js';
import type { WriteOutcome } from '../storage/engine.js';
import { seal, unseal } from '../storage/seal.js';
import { changesToJson, rangeToJson } from '../storage/wire.js';
import type { KeyedObject } from '../storage/raft.js';
import { writeJson } from '../../program/port/errors.js';
import type { Exchange } from './exchange.js';

export type OperatorReplica = Pick<Replica, 'status' | 'range' | 'changesSince' | 'write' | 'barrier' | 'transferLeadership' | 'compact'> &
  ReplicaAdministration;

const changeTimeoutMs = 10_000;
const transferTimeoutMs = 5_000;
const compactTimeoutMs = 10_000;
/** Limit of the time that a client can hold a copy of the store. */
const backupTimeoutMs = 60 * 60 * 1000;
const keysTimeoutMs = 10_000;
const changedAtOnce = 2_000;
/** The store takes some while the next are encoded. */
const putAtOnce = 250;
const pageBytesMax = 8 << 20;
const pageKeysMax = 10_000;
const digestPageBytes = 1 << 20;
const digestPageKeys = 1_000;

/** Stores objects unchanged (`RaftStorage.putAll`), and updates dependent data. */
export type PutObjects = (objects: readonly KeyedObject[], terms: { readonly timeoutMs: number }) => Promise<WriteOutcome>;

/** The work ends when it settles, even if the client does not read the response. */
export type Serve = (
  handler: (exchange: Exchange, params: Readonly<Record<string, unknown>>) => Promise<void>,
) => (request: Request) => Promise<void>;

interface Own {
  readonly put: PutObjects | null;
  readonly sealKey: string;
}

type Handler = (exchange: Exchange, replica: OperatorReplica, id: string, own: Own) => Promise<void>;

/** Handlers by method and path below `/raft/v1/`; `:id` is a member. */
const handlers: Readonly<Record<string, Handler>> = {
  'GET status': async (exchange, replica) => {
    writeJson(exchange, 200, await statusOf(replica));
  },
  'GET members': async (exchange, replica) => {
    writeJson(exchange, 200, { members: (await statusOf(replica)).members });
  },
  'POST members': async (exchange, replica) => {
    const { id, address } = await bodyOf(exchange, ['id', 'address']);
    await change(exchange, replica, { type: 'addLearner', member: { id: idOf(id!), role: 'learner', address: address! } });
  },
  'POST members/:id/promote': (exchange, replica, id) => change(exchange, replica, { type: 'promote', id: idOf(id) }),
  'DELETE members/:id': async (exchange, replica, id) => {
    await handOverFirst(replica, id);
    await change(exchange, replica, { type: 'remove', id: idOf(id) });
  },
  'POST transfer': async (exchange, replica) => {
    await replica.transferLeadership(transferTimeoutMs);
    writeJson(exchange, 200, { leaderId: (await statusOf(replica)).leaderId });
  },
  // A client that resumes from before the revision gets 410.
  'POST compact': async (exchange, replica) => {
    const { revision: current } = await statusOf(replica);
    const upTo = (wholeNumber(exchange.query, 'revision') ?? current) as Revision;
    if (upTo > current) throw badRequest(`revision ${upTo} is in the future; the current one is ${current}`);
    const { outcome } = await replica.compact(upTo, compactTimeoutMs);
    // Another caller was faster, and with a later revision.
    if (outcome !== 'applied' && outcome !== 'compacted') throw timeout(`the compaction ended with "${outcome}"; it may still happen`, 1);
    writeJson(exchange, 200, { compactedRevision: upTo });
  },
  'GET backup': sendBackup,
  // Tests reset clusters by this and the next handlers.
  'GET keys': async (exchange, replica) => {
    writeJson(exchange, 200, await keysMadeAfter(replica, wholeNumber(exchange.query, 'after') ?? 0, exchange.signal));
  },
  // Deletes without admission, finalizers or grace period. Watchers see deletions.
  'DELETE keys': async (exchange, replica) => {
    const { keys } = await jsonBodyOf(exchange);
    if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string'))
      throw badRequest('the body must have "keys" as a list of texts');
    await removeKeys(replica, [...new Set(keys)]);
    writeJson(exchange, 200, { revision: (await statusOf(replica)).revision });
  },
  // Restores objects: each store has its own form.
  'PUT objects': async (exchange, replica, _id, { put }) => {
    if (put === null) throw unavailable('this server puts no objects into its store');
    const { objects } = await jsonBodyOf(exchange);
    const keyed = keyedObjects(objects);
    const puts: Promise<WriteOutcome>[] = [];
    for (let at = 0; at < keyed.length; at += putAtOnce) puts.push(put(keyed.slice(at, at + putAtOnce), { timeoutMs: keysTimeoutMs }));
    for (const outcome of await Promise.all(puts)) assertWritten(outcome);
    writeJson(exchange, 200, { revision: (await statusOf(replica)).revision });
  },
  'GET revision': async (exchange, replica) => {
    writeJson(exchange, 200, { revision: await presentOf(replica) });
  },
  'GET range': async (exchange, replica) => {
    const { query } = exchange;
    const result = await replica.range({
      start: query.get('start') ?? '',
      end: query.get('end'),
      revision: revision(wholeNumber(query, 'revision') ?? (await presentOf(replica))),
      limit: Math.min(wholeNumber(query, 'limit') ?? pageKeysMax, pageKeysMax),
      bytesMax: Math.min(wholeNumber(query, 'bytes') ?? pageBytesMax, pageBytesMax),
      countRemaining: false,
    });
    writeJson(exchange, 200, rangeToJson(result));
  },
  'GET changes': async (exchange, replica) => {
    await presentOf(replica);
    const bytesMax = Math.min(wholeNumber(exchange.query, 'bytes') ?? pageBytesMax, pageBytesMax);
    const after = revision(wholeNumber(exchange.query, 'after') ?? 0);
    writeJson(exchange, 200, changesToJson(await replica.changesSince(after, bytesMax)));
  },
  // Servers of this store write nothing until the seal is removed.
  'PUT seal': async (exchange, replica, _id, { sealKey }) => {
    const { reason } = await bodyOf(exchange, ['reason']);
    assertWritten(await seal(replica, sealKey, reason!));
    writeJson(exchange, 200, { revision: await presentOf(replica) });
  },
  'DELETE seal': async (exchange, replica, _id, { sealKey }) => {
    assertWritten(await unseal(replica, sealKey));
    writeJson(exchange, 200, { revision: await presentOf(replica) });
  },
  'GET digest': async (exchange, replica) => {
    const at = wholeNumber(exchange.query, 'revision');
    writeJson(exchange, 200, await digestOf(replica, at === null ? null : revision(at), exchange.signal));
  },
};

const pathsOf = (): ReadonlyMap<string, readonly string[]> => {
  const methods = new Map<string, string[]>();
  for (const route of Object.keys(handlers)) {
    const [method, path] = route.split(' ') as [string, string];
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
};

/** Only administrators have the permission for `/raft/` by default. */
export function addRaftRoutes(
  router: Router,
  {
    replica,
    put,
    sealKey,
    serve,
    notFound,
  }: {
    readonly replica: OperatorReplica | null;
    readonly put: PutObjects | null;
    readonly sealKey: string;
    readonly serve: Serve;
    readonly notFound: (exchange: Exchange) => void;
  },
): void {
  for (const [path, methods] of pathsOf()) {
    router.all(
      `/raft/v1/${path}`,
      serve(async (exchange, params) => {
        if (replica === null) return notFound(exchange);
        const handler = handlers[`${exchange.method} ${path}`];
        if (handler === undefined)
          throw new StatusError(405, 'MethodNotAllowed', `${exchange.method} is not served here, only ${methods.join(', ')}`, {});
        await handler(exchange, replica, String(params['id'] ?? ''), { put, sealKey });
      }),
    );
  }
}

function statusOf(replica: OperatorReplica): Promise<ReplicaStatus> {
  return replica.status().catch((cause: unknown) => {
    throw Object.assign(unavailable('the replica does not answer'), { cause });
  });
}

/** The newest committed revision, which this replica has reached. */
async function presentOf(replica: Pick<Replica, 'barrier'>): Promise<Revision> {
  const barrier = await replica.barrier(keysTimeoutMs);
  if (barrier.outcome !== 'reached') throw unavailable(barrier.reason);
  return barrier.revision;
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text !== null && !/^\d{1,15}$/.test(text)) throw badRequest(`${name} must be a whole number, not ${JSON.stringify(text)}`);
  return text === null ? null : Number(text);
}

function idOf(text: string): ReturnType<typeof memberId> {
  try {
    return memberId(text);
  } catch (cause) {
    throw badRequest((cause as Error).message, cause);
  }
}

async function bodyOf(exchange: Exchange, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const members = await jsonBodyOf(exchange);
  for (const name of names)
    if (typeof members[name] !== 'string' || members[name] === '') throw badRequest(`the body must have ${JSON.stringify(name)} as a text`);
  return members as Readonly<Record<string, string>>;
}

async function jsonBodyOf(exchange: Exchange): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = JSON.parse((await exchange.body()).toString('utf8'));
    return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch (cause) {
    throw cause instanceof StatusError ? cause : badRequest('the body must be JSON', cause);
  }
}

async function change(exchange: Exchange, replica: OperatorReplica, wanted: MembershipChange): Promise<void> {
  const outcome = await replica.changeMembership(wanted, changeTimeoutMs);
  if (outcome.outcome !== 'applied') throw changeFailure(outcome);
  writeJson(exchange, 200, { members: (await statusOf(replica)).members });
}

/** A leader that removed itself could not answer. */
async function handOverFirst(replica: OperatorReplica, id: string): Promise<void> {
  if ((await statusOf(replica)).memberId === id) await replica.transferLeadership(transferTimeoutMs);
}

function changeFailure(outcome: Exclude<MembershipOutcome, { readonly outcome: 'applied' }>): StatusError {
  switch (outcome.outcome) {
    case 'notLeader':
      return new StatusError(503, 'NotLeader', outcome.leader === null ? 'nobody leads at the moment' : `${outcome.leader} leads; ask it`, {
        name: outcome.leader ?? '',
        retryAfterSeconds: 1,
      });
    case 'refused':
      return new StatusError(409, 'Conflict', outcome.reason, {});
    case 'unavailable':
      return unavailable(outcome.reason);
    case 'unknown':
      return timeout(`${outcome.reason}; it may still happen`, 1);
  }
}

/** A header has a revision included in the copy. */
async function sendBackup(exchange: Exchange, replica: OperatorReplica): Promise<void> {
  const made = await replica.snapshot();
  if (made.outcome === 'busy')
    throw new StatusError(409, 'Conflict', 'another copy of this replica is under way; try again', { retryAfterSeconds: 1 });
  if (made.outcome === 'failed') throw unavailable(`the copy could not be made: ${made.reason}`);
  const { response } = exchange;
  try {
    response.setHeader('content-type', 'application/octet-stream');
    response.setHeader('content-length', (await stat(made.path)).size);
    response.setHeader('x-raft-index', made.index);
    response.setHeader('x-raft-revision', made.revision);
    await pipeline(createReadStream(made.path), writableOf(response), {
      signal: AbortSignal.any([exchange.signal, AbortSignal.timeout(backupTimeoutMs)]),
    });
  } catch (error) {
    // Readers notice an incomplete backup by its missing end mark.
    if (!response.headersSent) throw error;
    response.destroy();
  } finally {
    await rm(made.path, { force: true });
  }
}

export interface Digest {
  readonly revision: number;
  readonly keys: number;
  readonly sha256: string;
}

/** Includes everything written before the call. */
async function keysMadeAfter(
  replica: Pick<Replica, 'range' | 'barrier'>,
  after: number,
  signal: AbortSignal,
): Promise<{ readonly revision: number; readonly keys: readonly string[] }> {
  const present = await presentOf(replica);
  const keys: string[] = [];
  for await (const page of pagesAt(replica, present, signal))
    for (const { key, createRevision } of page) if (createRevision > after) keys.push(key);
  return { revision: present, keys };
}

async function removeKeys(replica: Pick<Replica, 'write'>, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += changedAtOnce) {
    const operations = keys.slice(at, at + changedAtOnce).map((key) => ({ type: 'delete', key }) as const);
    assertWritten(await replica.write({ comparisons: [], operations }, { timeoutMs: keysTimeoutMs }));
  }
}

function assertWritten(written: WriteOutcome): void {
  if (written.outcome === 'unavailable') throw unavailable(written.reason);
  if (written.outcome !== 'applied') throw timeout(`the change ended with "${written.outcome}"; it may still happen`, 1);
}

/** Parses `[{ group, resource, object }]`. Throws 400 for anything else. */
function keyedObjects(value: unknown): KeyedObject[] {
  const refuse = (): never => {
    throw badRequest('the body must have "objects" as a list of {"group", "resource", "object"}');
  };
  if (!Array.isArray(value)) return refuse();
  return value.map((entry: unknown): KeyedObject => {
    const { group, resource, object } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const { metadata } = (object ?? {}) as { readonly metadata?: Readonly<Record<string, unknown>> };
    const { name, namespace = '' } = metadata ?? {};
    if (typeof group !== 'string' || !isPathPart(resource) || !isPathPart(name) || (namespace !== '' && !isPathPart(namespace)))
      return refuse();
    return { key: { resource: { group, resource }, namespace: namespace as string, name }, object: object as ApiObject };
  });
}

const isPathPart = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('/');

/** Equal replicas have equal ones. */
async function digestOf(replica: OperatorReplica, wanted: Revision | null, signal?: AbortSignal): Promise<Digest> {
  const hash = createHash('sha256');
  let keys = 0;
  const at = wanted ?? revision((await statusOf(replica)).revision);
  for await (const page of pagesAt(replica, at, signal)) {
    for (const { key, value, createRevision, modRevision, version } of page) {
      hash
        .update(`${Buffer.byteLength(key)} ${value.byteLength} ${createRevision} ${modRevision} ${version}\n`)
        .update(key)
        .update(value);
    }
    keys += page.length;
  }
  return { revision: at, keys, sha256: hash.digest('hex') };
}

/** Reads a page per turn of the event loop. */
async function* pagesAt(
  replica: Pick<Replica, 'range'>,
  at: Revision,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly KeyValue[]> {
  for (let start: string | null = ''; start !== null;) {
    const page = await replica.range({
      start,
      end: null,
      revision: at,
      limit: digestPageKeys,
      bytesMax: digestPageBytes,
      countRemaining: false,
    });
    if (page.outcome === 'compacted') throw new ExpiredError('Compacted', `revision ${at} is compacted; the oldest is ${page.compacted}`);
    if (page.outcome === 'future')
      throw new StatusError(504, 'Timeout', `revision ${at} has not come here yet; the newest is ${page.revision}`, {});
    yield page.items;
    start = page.remaining === 0 || page.items.length === 0 ? null : `${page.items.at(-1)!.key}\0`;
    await turns.next();
    signal?.throwIfAborted();
  }
}
