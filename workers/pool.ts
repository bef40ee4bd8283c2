import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { DecodeResult, EncodingName } from './codecs/contract.js';
import type { JsonMembers } from './codecs/value.js';
import { decodeObject, type DecodeObjectRequest, type DecodeObjectResult } from './decode.js';
import { runDecode, runEncode, type DecodeJob, type EncodeJob, type EncodeResult, type Job } from './job.js';
import { putTogether } from './pieces.js';
import type { PiecedResult } from './task.js';

export interface WorkersOptions {
  /** Bodies up to this size are handled inline, without a promise, in every encoding; `inlineBytesMax` if not given. */
  readonly inlineBytesMax?: number;
  /** Most threads; they start with the first large body and end when idle. */
  readonly threads?: number;
  /** Most bodies waiting for a thread; further ones are refused. */
  readonly queueMax?: number;
}

/** Why the pool did not do the work; nothing is known of the body. */
export interface PoolFailure {
  readonly ok: false;
  readonly refused: 'overloaded' | 'cancelled' | 'failed';
  readonly message: string;
}

/** A value that is there at once when the work was done inline. Awaiting it is always right. */
export type Eventually<T> = T | Promise<T>;

/** Who waits for an answer. Most work is done inline, and then nobody asks for the signal, which need not exist before. */
export interface Waiter {
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export interface Workers {
  /** Bytes to values. The bytes stay the caller's. Never rejects. */
  decode(job: DecodeJob, waiter?: Waiter): Eventually<DecodeResult | PoolFailure>;
  /** Bytes of a request to an object of the expected kind, checked. Never rejects. */
  decodeObject(request: DecodeObjectRequest, waiter?: Waiter): Eventually<DecodeObjectResult | PoolFailure>;
  /** Values to bytes. `sizeHint` is the caller's guess of the encoded size, for instance that of the request. Never rejects. */
  encode(job: EncodeJob, sizeHint?: number, waiter?: Waiter): Eventually<EncodeResult | PoolFailure>;
  /** Ends the threads; work under way comes back as cancelled. */
  close(): Promise<void>;
}

/**
 * The break-even by encoding, as `test/bench/codecs.ts` shows it: below, the event loop is held up for less time by doing the work
 * than by passing the object between threads, or at least for no more than a few milliseconds.
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
/** Memory of one thread; a body that needs more ends its thread and is refused, and the others go on. */
const threadHeapMb = 512;

/** The compiled entry point stands beside this file, in whatever directory the compiler wrote both. */
const taskFile = fileURLToPath(new URL('./task.js', import.meta.url));

export const createWorkers = (options: WorkersOptions = {}): Workers => {
  const inlineMax = (encoding: EncodingName): number => options.inlineBytesMax ?? inlineBytesMax[encoding];
  const isInline = ({ bytes, encoding }: { bytes: Uint8Array; encoding: EncodingName }): boolean => bytes.byteLength <= inlineMax(encoding);
  const pool = new LazyPool(options.threads ?? defaultThreads(), { queueMax: options.queueMax ?? queueMax });
  return {
    decode: (job, waiter) => (isInline(job) ? runDecode(job) : pool.decode(job, waiter?.signal)),
    decodeObject: (request, waiter) => (isInline(request) ? decodeObject(request) : pool.decodeObject(request, waiter?.signal)),
    encode: (job, sizeHint = 0, waiter) => (sizeHint <= inlineMax(job.encoding) ? runEncode(job) : pool.encode(job, waiter?.signal)),
    close: () => pool.close(),
  };
};

/** One thread is left to the event loop. */
const defaultThreads = (): number => Math.max(1, Math.min(threadsMax, availableParallelism() - 1));

/** Threads cost memory and start-up time, so there are none until the first large body. */
class LazyPool {
  private pool: Piscina<Job, unknown> | undefined;
  private closed = false;

  private readonly queueMax: number;

  constructor(
    private readonly threads: number,
    { queueMax }: { readonly queueMax: number },
  ) {
    this.queueMax = queueMax;
  }

  async decode(job: DecodeJob, signal: AbortSignal | undefined): Promise<DecodeResult | PoolFailure> {
    const bytes = ownBytes(job.bytes);
    const answer = await this.run<PiecedResult<DecodeResult>>({ verb: 'decode', job: { ...job, bytes } }, [bytes.buffer], signal);
    if (!('result' in answer)) return answer;
    return answer.pieces === undefined || !answer.result.ok ? answer.result : { ...answer.result, value: await putTogether(answer.pieces) };
  }

  async decodeObject(job: DecodeObjectRequest, signal: AbortSignal | undefined): Promise<DecodeObjectResult | PoolFailure> {
    const bytes = ownBytes(job.bytes);
    const answer = await this.run<PiecedResult<DecodeObjectResult>>(
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
    const result = await this.run<EncodeResult>({ verb: 'encode', job }, [], signal);
    if (!result.ok) return result;
    const { buffer, byteOffset, byteLength } = result.bytes;
    return { ok: true, bytes: Buffer.from(buffer, byteOffset, byteLength) };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.pool?.destroy();
  }

  /** A method, because closing may happen at every await. */
  private isClosed(): boolean {
    return this.closed;
  }

  private async run<T>(job: Job, transferList: ArrayBuffer[], signal: AbortSignal | undefined): Promise<T | PoolFailure> {
    if (this.isClosed() || signal?.aborted) return cancelled;
    const pool = this.started();
    if (pool.queueSize >= this.queueMax) return overloaded;
    try {
      return (await pool.run(job, { transferList, signal: signal ?? null })) as T;
    } catch (error) {
      return this.isClosed() || signal?.aborted ? cancelled : refusal(error);
    }
  }

  private started(): Piscina<Job, unknown> {
    this.pool ??= new Piscina<Job, unknown>({
      filename: taskFile,
      minThreads: 0,
      maxThreads: this.threads,
      maxQueue: this.queueMax,
      idleTimeout: idleTimeoutMs,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
    });
    return this.pool;
  }
}

/** A copy to give away: the bytes stay the caller's. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.prototype.slice.call(bytes) as Uint8Array<ArrayBuffer>;

const cancelled: PoolFailure = { ok: false, refused: 'cancelled', message: 'the request was cancelled' };
const overloaded: PoolFailure = { ok: false, refused: 'overloaded', message: 'too many large bodies are being processed' };

/** A thread that ran out of memory, or a value that cannot be passed between threads. */
const refusal = (error: unknown): PoolFailure => {
  const message = error instanceof Error ? error.message : String(error);
  return message === 'Task queue is at limit' ? overloaded : { ok: false, refused: 'failed', message };
};
