import { revision } from '../types.js';
import { ByteReader, ByteWriter, utf8Bytes, varintBytes } from './binary.js';
import type { Command, Comparison, Operation, Transaction } from './contract.js';

/**
 * The form of a proposal in messages and in the log:
 *
 *     version=1 | session text | sequence | type | body
 *     transaction (1):  count (key modRevision)*  count (operation)*     put = 1 key value,  delete = 2 key
 *     compact (2):      revision
 *
 * A reader throws at an unknown version or type: a replica that guessed would differ from the others for ever.
 */
const formatVersion = 1;
const commandTypes = { transaction: 1, compact: 2 } as const;
const operationTypes = { put: 1, delete: 2 } as const;

/** Bounds a whole proposal, well above the largest request body of an API server. */
export const proposalBytesMax = 8 * 1024 * 1024;
export const sessionBytesMax = 64;
export const keyBytesMax = 4096;
export const comparisonsMax = 4096;
/** A revision's changes are numbered in 10 bits (raft/store/schema.ts). */
export const operationsMax = 1024;

/** The bytes are no proposal of a known version, or exceed a bound. */
export class MalformedCommandError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MalformedCommandError';
  }
}

/** `sequence` grows by one for each proposal of `session`. */
export interface ProposalId {
  readonly session: string;
  readonly sequence: number;
}

/** Throws MalformedCommandError: its output always decodes. */
export function encodeProposal(session: string, sequence: number, command: Command): Uint8Array {
  const parts = new Parts();
  parts.byte(formatVersion);
  parts.text(session, sessionBytesMax, 'session');
  parts.number(sequence, 'sequence');
  if (command.type === 'compact') {
    parts.byte(commandTypes.compact);
    parts.number(command.revision, 'revision');
  } else {
    parts.byte(commandTypes.transaction);
    addTransaction(parts, command.transaction);
  }
  return parts.join();
}

/** Throws MalformedCommandError. */
export function readProposalId(bytes: Uint8Array): ProposalId {
  return reading(() => readHeader(new ByteReader(bytes)));
}

/** Throws MalformedCommandError. */
export function renumbered(proposal: Uint8Array, sequence: number): Uint8Array {
  return reading(() => {
    const reader = new ByteReader(proposal);
    const { session } = readHeader(reader);
    const rest = proposal.subarray(proposal.length - reader.remaining);
    const parts = new Parts();
    parts.byte(formatVersion);
    parts.text(session, sessionBytesMax, 'session');
    parts.number(sequence, 'sequence');
    parts.raw(rest);
    return parts.join();
  });
}

/** Values are views into `bytes`. Throws MalformedCommandError. */
export function decodeCommand(bytes: Uint8Array): Command {
  return reading(() => {
    if (bytes.length > proposalBytesMax) throw new RangeError(`has ${bytes.length} bytes, more than the ${proposalBytesMax} allowed`);
    const reader = new ByteReader(bytes);
    readHeader(reader);
    const command = readCommand(reader);
    reader.end();
    return command;
  });
}

class Parts {
  readonly #writes: ((writer: ByteWriter) => void)[] = [];
  #size = 0;

  byte(value: number): void {
    this.#add(1, (writer) => writer.byte(value));
  }

  number(value: number, what: string): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new MalformedCommandError(`${what} ${value} is not a whole number from 0 to 2^53 - 1`);
    this.#add(varintBytes(value), (writer) => writer.varint(value));
  }

  data(value: Uint8Array): void {
    this.#add(varintBytes(value.length) + value.length, (writer) => writer.data(value));
  }

  raw(value: Uint8Array): void {
    this.#add(value.length, (writer) => writer.raw(value));
  }

  text(value: string, bytesMax: number, what: string): void {
    const bytes = utf8Bytes(value);
    if (bytes === null) throw new MalformedCommandError(`${what} ${JSON.stringify(value)} holds half a surrogate pair`);
    if (bytes.length > bytesMax) throw new MalformedCommandError(`${what} has ${bytes.length} bytes, more than the ${bytesMax} allowed`);
    this.data(bytes);
  }

  join(): Uint8Array {
    if (this.#size > proposalBytesMax)
      throw new MalformedCommandError(`the command has ${this.#size} bytes, more than the ${proposalBytesMax} allowed`);
    const writer = new ByteWriter(this.#size);
    for (const write of this.#writes) write(writer);
    return writer.bytes;
  }

  #add(size: number, write: (writer: ByteWriter) => void): void {
    this.#size += size;
    this.#writes.push(write);
  }
}

function addTransaction(parts: Parts, { comparisons, operations }: Transaction): void {
  checkCounts(comparisons.length, operations.length);
  checkDistinct(operations);
  parts.number(comparisons.length, 'count');
  for (const { key, modRevision } of comparisons) {
    parts.text(key, keyBytesMax, 'key');
    parts.number(modRevision, 'modRevision');
  }
  parts.number(operations.length, 'count');
  for (const operation of operations) {
    parts.byte(operationTypes[operation.type]);
    parts.text(operation.key, keyBytesMax, 'key');
    if (operation.type === 'put') parts.data(operation.value);
  }
}

function readHeader(reader: ByteReader): ProposalId {
  const version = reader.byte();
  if (version !== formatVersion) throw new RangeError(`has version ${version}; this program reads version ${formatVersion}`);
  return { session: reader.text(sessionBytesMax), sequence: reader.varint() };
}

function readCommand(reader: ByteReader): Command {
  const type = reader.byte();
  if (type === commandTypes.transaction) return { type: 'transaction', transaction: readTransaction(reader) };
  if (type === commandTypes.compact) return { type: 'compact', revision: revision(reader.varint()) };
  throw new RangeError(`has unknown command type ${type}`);
}

function readTransaction(reader: ByteReader): Transaction {
  const comparisons = readList(reader, comparisonsMax, readComparison);
  const operations = readList(reader, operationsMax, readOperation);
  checkDistinct(operations);
  return { comparisons, operations };
}

function readComparison(reader: ByteReader): Comparison {
  return { key: reader.text(keyBytesMax), modRevision: revision(reader.varint()) };
}

function readOperation(reader: ByteReader): Operation {
  const type = reader.byte();
  const key = reader.text(keyBytesMax);
  if (type === operationTypes.put) return { type: 'put', key, value: reader.data(proposalBytesMax) };
  if (type === operationTypes.delete) return { type: 'delete', key };
  throw new RangeError(`has unknown operation type ${type}`);
}

function readList<T>(reader: ByteReader, countMax: number, readItem: (reader: ByteReader) => T): T[] {
  const count = reader.varint();
  if (count > countMax) throw new RangeError(`lists ${count} items, more than the ${countMax} allowed`);
  return Array.from({ length: count }, () => readItem(reader));
}

function checkCounts(comparisons: number, operations: number): void {
  if (comparisons > comparisonsMax)
    throw new MalformedCommandError(`${comparisons} comparisons are more than the ${comparisonsMax} allowed`);
  if (operations > operationsMax) throw new MalformedCommandError(`${operations} operations are more than the ${operationsMax} allowed`);
}

/** One revision changes a key at most once. */
function checkDistinct(operations: readonly Operation[]): void {
  if (operations.length < 2) return;
  const keys = new Set<string>();
  for (const { key } of operations) {
    if (keys.has(key)) throw new MalformedCommandError(`key ${JSON.stringify(key)} is changed twice in one transaction`);
    keys.add(key);
  }
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError)
      throw new MalformedCommandError(`the command cannot be read: ${error.message}`, error);
    throw error;
  }
}
