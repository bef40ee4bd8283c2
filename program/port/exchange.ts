import type { Request, Response, Upgrade } from './message.js';
import type { Status } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { DocumentForms } from './documentForms.js';
import type { RequestInfo } from '../../api/requestInfo.js';
import { answerStream, bodyStream } from './streams.js';
import { BodyBudget } from './connections/bodyBudget.js';
import { BodyReading, type BodySender } from './connections/bodyReading.js';
import { unsentOf } from './connections/boundedWrites.js';
import type { Connection } from './connections/connection.js';
import type { Share } from './connections/shares.js';
import { ownerOf, type Slots } from './connections/slots.js';
import { noParameters } from './target.js';
import { turns } from './connections/turns.js';

const nobody: User = { name: '', uid: '', groups: [], extra: {} };

/**
 * A request on its way through the filters, with its response. Filters fill in their results. Work and exchange end in any order: `workEnded` (the handler has
 * settled) frees the slot, and `close` (nobody reads the response any more) all else. Streams do not always report the latter (after a protocol error of their
 * session), so the connection does as well.
 */
export class Exchange implements BodySender {
  user: User = nobody;
  encoders?: DocumentForms;
  deadline = Number.POSITIVE_INFINITY;
  readonly warnings: string[] = [];
  readonly startedAt = performance.now();
  closed = false;
  /** The server gives it up to protect itself. */
  terminated = false;
  place = -1;
  seat = -1;
  lingersSince: number | null = null;
  lingeringBytes = 0;
  bodyShared = false;
  /** Counted bytes of the complete response and the exchange's memory. */
  #waitingBytes = 0;
  #streams = false;
  #controller: AbortController | null = null;
  #reason: Error | null = null;
  #body: BodyReading | null = null;
  #slots: Slots | null = null;
  #slotOwner = '';
  #slot: Share | null = null;
  #held: HeldSeat | null = null;
  /** It has left its place, or never had one. */
  #left = false;
  #content: Promise<Buffer> | null = null;
  #onClose: (() => void)[] = [];
  #onSwitch: (() => void)[] | null = null;
  switched = false;
  #onAbort: (() => void)[] | null = null;

  // Made once for each request, from what the listener has at hand: an object to pass them in would be thrown away at once.
  // oxlint-disable-next-line max-params
  constructor(
    readonly request: Request,
    readonly response: Response,
    readonly auditId: string,
    readonly info: RequestInfo,
    public query: URLSearchParams,
    readonly upgrade: Upgrade | null = null,
    readonly connection: Connection | null = null,
  ) {
    const stream = answerStream(response);
    stream.on('close', () => {
      this.close();
    });
    if (stream.destroyed) this.close();
    if ('stream' in response) return;
    // Resets must never end the process; the response's `close` follows.
    stream.on('error', ignore);
    bodyStream(request).on('error', ignore);
  }

  refused(_status: Status): void {}

  turn(): Promise<void> | undefined {
    return turns.goOn(this.user.name);
  }

  get method(): string {
    return this.request.method ?? '';
  }

  get bodyBytes(): number | null {
    return this.#body?.bytesRead ?? null;
  }

  get address(): string | undefined {
    return this.connection?.address ?? this.request.socket?.remoteAddress;
  }

  /** True for watches, proxies and streams, which outlive the request timeout and are not in flight. */
  get longRunning(): boolean {
    const { info } = this;
    if (!info.isResource) return longPaths.has(info.path);
    return info.verb === 'watch' || info.verb === 'proxy' || streamingSubresources.has(info.subresource);
  }

  get brings(): 'answer' | 'stream' | 'relay' {
    const { info } = this;
    if (info.isResource && (info.verb === 'proxy' || streamingSubresources.has(info.subresource))) return 'relay';
    return this.longRunning || this.upgrade !== null ? 'stream' : 'answer';
  }

  get unsentBytes(): number {
    const { response } = this;
    return 'stream' in response || response.socket === null ? unsentOf(answerStream(response)) : unsentOf(response.socket);
  }

  get over(): boolean {
    return this.closed || this.response.headersSent;
  }

  /** Made on first use: most requests never use it. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#reason !== null;
  }

  onAbort(action: () => void): void {
    if (this.aborted) action();
    else (this.#onAbort ??= []).push(action);
  }

  /** The first reason stays. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#body?.stop(reason);
    this.#controller?.abort(this.#reason);
    const actions = this.#onAbort ?? [];
    this.#onAbort = null;
    for (const action of actions) action();
  }

  /** Actions must not throw. */
  onClose(action: () => void): void {
    if (this.closed) action();
    else this.#onClose.push(action);
  }

  onSwitch(action: () => void): void {
    (this.#onSwitch ??= []).push(action);
  }

  switchedProtocols(): void {
    this.switched = true;
    for (const action of this.#onSwitch ?? []) action();
    this.#onSwitch = null;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (!this.response.writableEnded) this.abort(gone());
    else this.#body?.stop();
    if (this.#waitingBytes > 0) this.connection?.answerOver(this.#waitingBytes);
    this.#waitingBytes = 0;
    if (this.connection !== null) turns.answered(this.connection);
    for (const action of this.#onClose) action();
    this.#onClose.length = 0;
  }

  cut(): void {
    this.response.destroy();
    this.close();
  }

  takeSlot(slots: Slots, owner: string): void {
    try {
      this.#slot = slots.enter(owner, this.user);
    } catch (error) {
      this.foundNoRoom();
      throw error;
    }
    this.#slots = slots;
    this.#slotOwner = owner;
  }

  /** Further requests of its client would find no room either. */
  foundNoRoom(): void {
    this.#left = true;
    if (this.connection !== null) turns.refused(this.connection);
  }

  #leavePlace(): void {
    if (!this.#left && this.connection !== null) turns.left(this.connection);
    this.#left = true;
  }

  holdSeat(seat: HeldSeat): void {
    this.#held = seat;
  }

  /** Keeps only what the end needs: the rest is cheap but long, for thousands of exchanges. */
  begun(): void {
    this.#held?.release();
    this.#held = null;
    this.#leavePlace();
    if ('stream' in this.request) this.request.forgetHead?.();
    if ('stream' in this.response) this.response.forgetHead?.();
    if (!this.query.has('fieldValidation')) this.query = noParameters;
    this.#onClose = this.#onClose.slice();
    this.#onAbort = this.#onAbort?.slice() ?? null;
    anyText.test(this.auditId);
  }

  #leaveSlot(): void {
    if (this.#slot !== null) this.#slots?.leave(this.#slot);
    this.#slot = null;
  }

  /** The client may still be taking the response, without a slot. */
  workEnded(): void {
    this.#leaveSlot();
    this.#slots = null;
    this.#held?.release();
    this.#held = null;
    this.#leavePlace();
    if (this.response.writableEnded) this.#countWaiting();
    else this.#streams = true;
  }

  answered(): void {
    if (this.#streams) this.#countWaiting();
    this.#streams = false;
  }

  #countWaiting(): void {
    if (this.closed || this.connection === null) return;
    this.#waitingBytes = exchangeBytes + (this.bodyShared ? 0 : answerStream(this.response).writableLength);
    this.connection.answerWaits(this.#waitingBytes);
  }

  /** A request holds no slot while its client sends. Rejects when none is free afterwards. */
  body(): Promise<Buffer> {
    if (this.#content !== null) return this.#content;
    const { bytes } = (this.#body ??= this.#readBody());
    const held = this.#held;
    if (held === null) return bytes;
    held.pause();
    this.#content = bytes.then(async (content) => {
      await held.resume();
      return content;
    });
    return this.#content;
  }

  #readBody(): BodyReading {
    this.#leaveSlot();
    const reading = new BodyReading(
      bodyStream(this.request),
      this.request.headers['content-length'],
      this,
      this.connection?.memory.bodies ?? new BodyBudget(),
    );
    if (this.closed) reading.stop();
    return reading;
  }

  get bodyOwner(): string {
    return ownerOf(this.user, this.address);
  }

  bodyComplete(): void {
    if (this.#slots !== null) this.takeSlot(this.#slots, this.#slotOwner);
  }
}

export interface HeldSeat {
  release(): void;
  pause(): void;
  /** Rejects when there is no room. */
  resume(): Promise<void>;
}

const exchangeBytes = 8 * 1024;
const longPaths: ReadonlySet<string> = new Set([
  '/debug/pprof/profile',
  '/debug/pprof/heap',
  '/debug/pprof/allocs',
  '/debug/pprof/trace',
  '/raft/v1/backup',
  '/raft/v1/digest',
  '/console/v1/requests',
]);
const streamingSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);
/** Matching a pattern flattens the text; a new id is a chain of fifteen pieces, each as large as the flat text. */
const anyText = /^/;
const ignore = (): void => {};
const gone = (): Error => new Error('the client went away');
