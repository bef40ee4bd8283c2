import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { DecodeResult, EncodingName } from './codecs/contract.js';
import type { JsonMembers } from './codecs/value.js';
import { decodeObject, type DecodeObjectRequest, type DecodeObjectResult } from './decode.js';
import { runDecode, runEncode, type DecodeJob, type EncodeJob, type EncodeResult, type Job } from './job.js';
import { putTogether } from './pieces.js';
import type { PiecedResult } from './task.js';
import { errorText } from '../api/errorText.js';

export interface WorkersOptions {
  /** Smaller bodies are handled inline, without a promise. Default: `inlineBytesMax`. */
  readonly inlineBytesMax?: number;
  /** Threads start with the first large body and end when idle. */
  readonly threads?: number;
  /** Bounds waiting bodies; further ones are refused. */
  readonly queueMax?: number;
}

export interface PoolFailure {
  readonly ok: false;
  readonly refused: 'overloaded' | 'cancelled' | 'failed';
  readonly message: string;
}

/** An immediate value if the work was done inline. Awaiting it is always correct. */
export type Eventually<T> = T | Promise<T>;

/** A result's recipient. The signal may be created lazily, as inline work never reads it. */
export interface Waiter {
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
}

export interface Workers {
  /** The bytes stay the caller's. Never rejects. */
  decode(job: DecodeJob, waiter?: Waiter): Eventually<DecodeResult | PoolFailure>;
  /** Never rejects. */
  decodeObject(request: DecodeObjectRequest, waiter?: Waiter): Eventually<DecodeObjectResult | PoolFailure>;
  /** `sizeHint` estimates the encoded size, for example as the size of the request. Never rejects. */
  encode(job: EncodeJob, sizeHint?: number, waiter?: Waiter): Eventually<EncodeResult | PoolFailure>;
  /** Work in progress returns as cancelled. */
  close(): Promise<void>;
}

/**
 * The break-even by encoding, measured by `test/bench/codecs.ts`: below it, inline work hardly blocks the event loop longer than passing the object between
 * threads.
 */
const inlineBytesMax: Readonly<Record<EncodingName, number>> = {
  json: 256 * 1024,
  protobuf: 128 * 1024,
  cbor: 64 * 1024,
  yaml: 8 * 1024,
};
const queueMax = 256;
const idleTimeoutMs = 10_000;
const threadsMax = 4;
/** A body that needs more ends its thread, and is refused. */
const threadHeapMb = 512;

const taskFile = fileURLToPath(new URL('./task.js', import.meta.url));

export const createWorkers = (options: WorkersOptions = {}): Workers => {
  const inlineMax = (encoding: EncodingName): number => options.inlineBytesMax ?? inlineBytesMax[encoding];
  const isInline = ({ bytes, encoding }: { bytes: Uint8Array; encoding: EncodingName }): boolean => bytes.byteLength <= inlineMax(encoding);
  const pool = new LazyPool(options.threads ?? defaultThreads(), options.queueMax ?? queueMax);
  return {
    decode: (job, waiter) => (isInline(job) ? runDecode(job) : pool.decode(job, waiter?.signal)),
    decodeObject: (request, waiter) => (isInline(request) ? decodeObject(request) : pool.decodeObject(request, waiter?.signal)),
    encode: (job, sizeHint = 0, waiter) => (sizeHint <= inlineMax(job.encoding) ? runEncode(job) : pool.encode(job, waiter?.signal)),
    close: () => pool.close(),
  };
};

/** One processor is left to the event loop. */
const defaultThreads = (): number => Math.max(1, Math.min(threadsMax, availableParallelism() - 1));

/** Threads cost memory and time, so the first large body starts them. */
class LazyPool {
  readonly #threads: number;
  #pool: Piscina<Job, unknown> | undefined;
  #closed = false;

  readonly #queueMax: number;

  constructor(threads: number, queueMax: number) {
    this.#threads = threads;
    this.#queueMax = queueMax;
  }

  async decode(job: DecodeJob, signal: AbortSignal | undefined): Promise<DecodeResult | PoolFailure> {
    const bytes = ownBytes(job.bytes);
    const answer = await this.#run<PiecedResult<DecodeResult>>({ verb: 'decode', job: { ...job, bytes } }, [bytes.buffer], signal);
    if (!('result' in answer)) return answer;
    return answer.pieces === undefined || !answer.result.ok ? answer.result : { ...answer.result, value: await putTogether(answer.pieces) };
  }

  async decodeObject(job: DecodeObjectRequest, signal: AbortSignal | undefined): Promise<DecodeObjectResult | PoolFailure> {
    const bytes = ownBytes(job.bytes);
    const answer = await this.#run<PiecedResult<DecodeObjectResult>>(
      { verb: 'decodeObject', job: { ...job, bytes } },
      [bytes.buffer],
      signal,
    );
    if (!('result' in answer)) return answer;
    return answer.pieces === undefined || !answer.result.ok
      ? answer.result
      : { ...answer.result, object: (await putTogether(answer.pieces)) as JsonMembers };
  }

  async encode(job: EncodeJob, signal: AbortSignal | undefined): Promise<EncodeResult | PoolFailure> {
    const result = await this.#run<EncodeResult>({ verb: 'encode', job }, [], signal);
    if (!result.ok) return result;
    const { buffer, byteOffset, byteLength } = result.bytes;
    return { ok: true, bytes: Buffer.from(buffer, byteOffset, byteLength) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
  }

  /** A method, because closing may happen at every await. */
  #isClosed(): boolean {
    return this.#closed;
  }

  async #run<T>(job: Job, transferList: ArrayBuffer[], signal: AbortSignal | undefined): Promise<T | PoolFailure> {
    if (this.#isClosed() || signal?.aborted) return cancelled;
    const pool = this.#started();
    if (pool.queueSize >= this.#queueMax) return overloaded;
    try {
      return (await pool.run(job, { transferList, signal: signal ?? null })) as T;
    } catch (error) {
      return this.#isClosed() || signal?.aborted ? cancelled : refusal(error);
    }
  }

  #started(): Piscina<Job, unknown> {
    this.#pool ??= new Piscina<Job, unknown>({
      filename: taskFile,
      minThreads: 0,
      maxThreads: this.#threads,
      maxQueue: this.#queueMax,
      idleTimeout: idleTimeoutMs,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
    });
    return this.#pool;
  }
}

/** Copies the bytes, because they stay the caller's. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.prototype.slice.call(bytes) as Uint8Array<ArrayBuffer>;

const cancelled: PoolFailure = { ok: false, refused: 'cancelled', message: 'the request was cancelled' };
const overloaded: PoolFailure = { ok: false, refused: 'overloaded', message: 'too many large bodies are being processed' };

/** The thread ran out of memory, or the value cannot be cloned. */
const refusal = (error: unknown): PoolFailure => {
  const message = errorText(error);
  return message === 'Task queue is at limit' ? overloaded : { ok: false, refused: 'failed', message };
};
