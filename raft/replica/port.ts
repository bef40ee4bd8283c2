import type { MembershipChange } from '../core/contract.js';
import type {
  BarrierOutcome,
  ChangeBatch,
  MembershipOutcome,
  ReplicaStatus,
  SnapshotOutcome,
  SpaceUse,
  WriteOutcome,
} from '../replicaApi.js';
import type { Change, ChangesResult, KeyValue, RangeOptions, RangeResult } from '../store/contract.js';
import { ByteReader, ByteWriter, DecodeError } from '../transport/bytes.js';
import { revision } from '../types.js';
import type { Revision } from '../types.js';
import type { ReplicaSink } from './sink.js';

/** Batches are transferred ArrayBuffers: structured clone costs more than the consensus itself. Rare messages are JSON. */

const requestCodes = {
  propose: 1,
  barrier: 2,
  range: 3,
  status: 4,
  transfer: 5,
  membership: 6,
  stop: 7,
  changesSince: 8,
  snapshot: 9,
} as const;

const spaceUses = ['growing', 'essential', 'freeing'] as const satisfies readonly SpaceUse[];

export class RequestWriter {
  readonly #writer = new ByteWriter();

  get isEmpty(): boolean {
    return this.#writer.length === 0;
  }

  take(): Buffer<ArrayBuffer> {
    return this.#writer.take();
  }

  propose({ sequence, timeoutMs, use, data }: ProposeRequest): void {
    this.#head(requestCodes.propose, sequence, timeoutMs);
    this.#writer.u8(spaceUses.indexOf(use));
    this.#writer.bytes(data);
  }

  barrier(id: number, timeoutMs: number): void {
    this.#head(requestCodes.barrier, id, timeoutMs);
  }

  range(id: number, options: RangeOptions): void {
    this.#head(requestCodes.range, id, 0);
    this.#writer.string(options.start);
    writeOptional(this.#writer, options.end, (end) => this.#writer.string(end));
    writeOptional(this.#writer, options.revision, (at) => this.#writer.uint(at));
    writeOptional(this.#writer, options.limit, (limit) => this.#writer.uint(limit));
    writeOptional(this.#writer, options.bytesMax ?? null, (bytesMax) => this.#writer.uint(bytesMax));
    this.#writer.flag(options.countRemaining ?? true);
  }

  changesSince(id: number, after: Revision, bytesMax: number): void {
    this.#head(requestCodes.changesSince, id, 0);
    this.#writer.uint(after);
    this.#writer.uint(bytesMax);
  }

  status(id: number): void {
    this.#head(requestCodes.status, id, 0);
  }

  transfer(id: number, timeoutMs: number): void {
    this.#head(requestCodes.transfer, id, timeoutMs);
  }

  membership(id: number, timeoutMs: number, change: MembershipChange): void {
    this.#head(requestCodes.membership, id, timeoutMs);
    this.#writer.string(JSON.stringify(change));
  }

  snapshot(id: number): void {
    this.#head(requestCodes.snapshot, id, 0);
  }

  stop(id: number): void {
    this.#head(requestCodes.stop, id, 0);
  }

  #head(code: number, id: number, timeoutMs: number): void {
    this.#writer.u8(code);
    this.#writer.uint(id);
    this.#writer.uint(Math.ceil(timeoutMs));
  }
}

export interface ProposeRequest {
  readonly sequence: number;
  readonly timeoutMs: number;
  readonly use: SpaceUse;
  readonly data: Uint8Array;
}

/** Carries out requests: the replica's engine, and the thread's shutdown. */
export interface RequestReceiver {
  propose(proposal: ProposeRequest): void;
  barrier(id: number, timeoutMs: number): void;
  range(id: number, options: RangeOptions): void;
  changesSince(id: number, after: Revision, bytesMax: number): void;
  status(id: number): void;
  transferLeadership(id: number, timeoutMs: number): void;
  changeMembership(id: number, change: MembershipChange, timeoutMs: number): void;
  snapshot(id: number): void;
  stop(id: number): void;
}

type RequestReaders = Readonly<Record<number, (receiver: RequestReceiver, id: number, timeoutMs: number, reader: ByteReader) => void>>;

const requestReaders: RequestReaders = {
  [requestCodes.propose]: (receiver, sequence, timeoutMs, reader) => {
    const use = spaceUses[reader.u8()];
    if (use === undefined) throw new DecodeError('unknown use of space');
    receiver.propose({ sequence, timeoutMs, use, data: reader.bytes() });
  },
  [requestCodes.barrier]: (receiver, id, timeoutMs) => receiver.barrier(id, timeoutMs),
  [requestCodes.range]: (receiver, id, _timeoutMs, reader) => receiver.range(id, readRangeOptions(reader)),
  [requestCodes.changesSince]: (receiver, id, _timeoutMs, reader) => receiver.changesSince(id, revision(reader.uint()), reader.uint()),
  [requestCodes.status]: (receiver, id) => receiver.status(id),
  [requestCodes.transfer]: (receiver, id, timeoutMs) => receiver.transferLeadership(id, timeoutMs),
  [requestCodes.membership]: (receiver, id, timeoutMs, reader) =>
    receiver.changeMembership(id, JSON.parse(reader.string()) as MembershipChange, timeoutMs),
  [requestCodes.snapshot]: (receiver, id) => receiver.snapshot(id),
  [requestCodes.stop]: (receiver, id) => receiver.stop(id),
};

/** Data of proposals are views into the batch. */
export function readRequests(batch: ArrayBuffer, receiver: RequestReceiver): void {
  const reader = new ByteReader(new Uint8Array(batch));
  while (reader.remaining > 0) {
    const code = reader.u8();
    const read = requestReaders[code];
    if (read === undefined) throw new DecodeError(`no request has the code ${code}`);
    read(receiver, reader.uint(), reader.uint(), reader);
  }
}

function readRangeOptions(reader: ByteReader): RangeOptions {
  const start = reader.string();
  const end = readOptional(reader, () => reader.string());
  const at = readOptional(reader, () => revision(reader.uint()));
  const limit = readOptional(reader, () => reader.uint());
  const bytesMax = readOptional(reader, () => reader.uint());
  return {
    start,
    end,
    revision: at,
    limit,
    ...(bytesMax === null ? {} : { bytesMax }),
    ...(reader.flag() ? {} : { countRemaining: false }),
  };
}

const answerCodes = {
  changes: 1,
  written: 2,
  barrier: 3,
  range: 4,
  status: 5,
  membership: 6,
  done: 7,
  log: 8,
  failed: 9,
  changesSince: 10,
  snapshot: 11,
} as const;
const writeOutcomes = [
  'applied',
  'conflict',
  'compacted',
  'unavailable',
  'unknown',
  'noSpace',
] as const satisfies readonly WriteOutcome['outcome'][];
const rangeOutcomes = ['found', 'compacted', 'future'] as const satisfies readonly RangeResult['outcome'][];

export class AnswerWriter {
  readonly #writer = new ByteWriter();

  get length(): number {
    return this.#writer.length;
  }

  take(): Buffer<ArrayBuffer> {
    return this.#writer.take();
  }

  takeShared(): SharedArrayBuffer {
    return this.#writer.takeShared();
  }

  changes(
    changes: readonly Change[],
    at: Revision,
    { compacted, gap = false }: { readonly compacted: Revision; readonly gap?: boolean },
  ): void {
    const writer = this.#writer;
    writer.u8(answerCodes.changes);
    const lengthAt = writer.skipU32();
    const start = writer.length;
    writer.uint(at);
    writer.uint(compacted);
    writer.flag(gap);
    writeChanges(writer, changes);
    writer.patchU32(lengthAt, writer.length - start);
  }

  written(sequence: number, outcome: WriteOutcome): void {
    const writer = this.#writer;
    this.#head(answerCodes.written, sequence);
    writer.u8(writeOutcomes.indexOf(outcome.outcome));
    if ('reason' in outcome) writer.string(outcome.reason);
    else writer.uint(outcome.revision);
    if (outcome.outcome !== 'conflict') return;
    writer.uint(outcome.current.length);
    for (const item of outcome.current) writeOptional(writer, item, (keyValue) => writeKeyValue(writer, keyValue));
  }

  barrier(id: number, outcome: BarrierOutcome): void {
    this.#head(answerCodes.barrier, id);
    this.#writer.flag(outcome.outcome === 'reached');
    if (outcome.outcome === 'reached') this.#writer.uint(outcome.revision);
    else this.#writer.string(outcome.reason);
  }

  range(id: number, result: RangeResult): void {
    const writer = this.#writer;
    this.#head(answerCodes.range, id);
    writer.u8(rangeOutcomes.indexOf(result.outcome));
    if (result.outcome === 'compacted') {
      writer.uint(result.compacted);
      return;
    }
    writer.uint(result.revision);
    if (result.outcome === 'future') return;
    writer.uint(result.remaining);
    writer.uint(result.items.length);
    for (const item of result.items) writeKeyValue(writer, item);
  }

  changesSince(id: number, result: ChangesResult): void {
    this.#head(answerCodes.changesSince, id);
    this.#writer.flag(result.outcome === 'found');
    this.#writer.uint(result.outcome === 'found' ? result.through : result.compacted);
    if (result.outcome === 'found') writeChanges(this.#writer, result.changes);
  }

  status(id: number, status: ReplicaStatus): void {
    this.#json(answerCodes.status, id, status);
  }

  membership(id: number, outcome: MembershipOutcome): void {
    this.#json(answerCodes.membership, id, outcome);
  }

  snapshot(id: number, outcome: SnapshotOutcome): void {
    this.#json(answerCodes.snapshot, id, outcome);
  }

  done(id: number): void {
    this.#head(answerCodes.done, id);
  }

  log(line: LogLine): void {
    this.#json(answerCodes.log, 0, line);
  }

  failed(error: Error): void {
    this.#json(answerCodes.failed, 0, flattenError(error));
  }

  #head(code: number, id: number): void {
    this.#writer.u8(code);
    this.#writer.uint(id);
  }

  #json(code: number, id: number, value: unknown): void {
    this.#head(code, id);
    this.#writer.string(JSON.stringify(value));
  }
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

export interface AnswerReceiver extends Omit<ReplicaSink, 'changes' | 'gap' | 'log' | 'unreadBytes' | 'flush'> {
  /** `encoded` is for `readChanges`. */
  changes(encoded: Buffer): void;
  log(line: LogLine): void;
}

type AnswerReaders = Readonly<Record<number, (receiver: AnswerReceiver, id: number, reader: ByteReader) => void>>;

const answerReaders: AnswerReaders = {
  [answerCodes.written]: (receiver, sequence, reader) => receiver.written(sequence, readWriteOutcome(reader)),
  [answerCodes.barrier]: (receiver, id, reader) => receiver.barrier(id, readBarrierOutcome(reader)),
  [answerCodes.range]: (receiver, id, reader) => receiver.range(id, readRangeResult(reader)),
  [answerCodes.changesSince]: (receiver, id, reader) => receiver.changesSince(id, readChangesResult(reader)),
  [answerCodes.status]: (receiver, id, reader) => receiver.status(id, JSON.parse(reader.string()) as ReplicaStatus),
  [answerCodes.membership]: (receiver, id, reader) => receiver.membership(id, JSON.parse(reader.string()) as MembershipOutcome),
  [answerCodes.snapshot]: (receiver, id, reader) => receiver.snapshot(id, JSON.parse(reader.string()) as SnapshotOutcome),
  [answerCodes.done]: (receiver, id) => receiver.done(id),
  [answerCodes.log]: (receiver, _id, reader) => receiver.log(JSON.parse(reader.string()) as LogLine),
  [answerCodes.failed]: (receiver, _id, reader) => receiver.failed(restoreError(JSON.parse(reader.string()) as FlatError)),
};

/** Values are views into the batch. */
export function readAnswers(batch: ArrayBufferLike, receiver: AnswerReceiver): void {
  const reader = new ByteReader(new Uint8Array(batch));
  while (reader.remaining > 0) {
    const code = reader.u8();
    if (code === answerCodes.changes) {
      receiver.changes(reader.taken(reader.u32()));
      continue;
    }
    const read = answerReaders[code];
    if (read === undefined) throw new DecodeError(`no answer has the code ${code}`);
    read(receiver, reader.uint(), reader);
  }
}

export function headOfChanges(encoded: Buffer): Omit<ChangeBatch, 'changes'> {
  return readHead(new ByteReader(encoded));
}

export function readChanges(encoded: Buffer): Change[] {
  const reader = new ByteReader(encoded);
  readHead(reader);
  return readChangeList(reader);
}

const readHead = (reader: ByteReader): Omit<ChangeBatch, 'changes'> => ({
  revision: revision(reader.uint()),
  compacted: revision(reader.uint()),
  gap: reader.flag(),
});

function readChangesResult(reader: ByteReader): ChangesResult {
  const found = reader.flag();
  const at = revision(reader.uint());
  return found ? { outcome: 'found', through: at, changes: readChangeList(reader) } : { outcome: 'compacted', compacted: at };
}

function writeChanges(writer: ByteWriter, changes: readonly Change[]): void {
  writer.uint(changes.length);
  for (const change of changes) {
    writer.uint(change.revision);
    writer.uint(change.createRevision);
    writer.string(change.key);
    writeOptional(writer, change.value, (value) => writer.bytes(value));
  }
}

function readChangeList(reader: ByteReader): Change[] {
  const changes: Change[] = [];
  for (let left = reader.count(4); left > 0; left -= 1) {
    const at = reader.uint() as Revision;
    const createRevision = reader.uint() as Revision;
    changes.push({ revision: at, createRevision, key: reader.string(), value: readOptional(reader, () => reader.bytes()) });
  }
  return changes;
}

function readWriteOutcome(reader: ByteReader): WriteOutcome {
  const outcome = writeOutcomes[reader.u8()];
  if (outcome === undefined) throw new DecodeError('unknown outcome of a write');
  if (outcome === 'unavailable' || outcome === 'unknown' || outcome === 'noSpace') return { outcome, reason: reader.string() };
  const at = revision(reader.uint());
  if (outcome !== 'conflict') return { outcome, revision: at };
  const current: (KeyValue | null)[] = [];
  for (let left = reader.count(1); left > 0; left -= 1) current.push(readOptional(reader, () => readKeyValue(reader)));
  return { outcome, revision: at, current };
}

function readBarrierOutcome(reader: ByteReader): BarrierOutcome {
  return reader.flag() ? { outcome: 'reached', revision: revision(reader.uint()) } : { outcome: 'unavailable', reason: reader.string() };
}

function readRangeResult(reader: ByteReader): RangeResult {
  const outcome = rangeOutcomes[reader.u8()];
  const at = revision(reader.uint());
  if (outcome === 'compacted') return { outcome, compacted: at };
  if (outcome === 'future') return { outcome, revision: at };
  if (outcome === undefined) throw new DecodeError('unknown outcome of a range');
  const remaining = reader.uint();
  const items: KeyValue[] = [];
  for (let left = reader.count(5); left > 0; left -= 1) items.push(readKeyValue(reader));
  return { outcome, revision: at, items, remaining };
}

function writeKeyValue(writer: ByteWriter, item: KeyValue): void {
  writer.string(item.key);
  writer.bytes(item.value);
  writer.uint(item.createRevision);
  writer.uint(item.modRevision);
  writer.uint(item.version);
}

function readKeyValue(reader: ByteReader): KeyValue {
  return {
    key: reader.string(),
    value: reader.bytes(),
    createRevision: revision(reader.uint()),
    modRevision: revision(reader.uint()),
    version: reader.uint(),
  };
}

function writeOptional<T>(writer: ByteWriter, value: T | null, write: (value: T) => void): void {
  writer.flag(value !== null);
  if (value !== null) write(value);
}

function readOptional<T>(reader: ByteReader, read: () => T): T | null {
  return reader.flag() ? read() : null;
}

/** Structured clone loses names, codes and causes. */
export interface FlatError {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly stack: string;
  readonly cause: FlatError | null;
}

const causesMax = 8;

export function flattenError(error: unknown, depth = 0): FlatError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: null, stack: '', cause: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const cause = error.cause === undefined || depth >= causesMax ? null : flattenError(error.cause, depth + 1);
  return { name: error.name, message: error.message, code, stack: error.stack ?? '', cause };
}

export function restoreError(flat: FlatError): Error {
  const error = new Error(flat.message, flat.cause === null ? undefined : { cause: restoreError(flat.cause) });
  error.stack = flat.stack;
  return Object.assign(error, { name: flat.name }, flat.code === null ? {} : { code: flat.code });
}
