import { diskOf, openReplica } from '../replica.js';
import type { OpenOptions } from '../replica.js';
import type { SpaceStatus } from '../replicaApi.js';
import { isDiskFull } from '../sqlite/errors.js';
import { readDataDirectory } from './dataDirectory.js';
import type { Engine } from './engine.js';
import type { ProposeRequest, RequestReceiver } from './port.js';
import type { AttemptCounter } from './proposals.js';
import { diskLevel, isBelow, reserveOf } from './space.js';
import { DeliveredChanges } from './deliveredChanges.js';
import { WaitingReplica } from './waiting.js';
import { errorText } from '../errorText.js';

export interface ReopeningOptions extends Omit<OpenOptions, 'attempts' | 'deliveredThrough'> {
  readonly stopped: () => void;
}

/** Doubles while opening fails although there seems to be room. */
const lookMs = 1_000;
const lookMostMs = 10_000;

type Answering = Omit<RequestReceiver, 'stop'>;

/**
 * A replica that survives a full disk. After a failed write its memory is unreliable: it closes everything, and reopens its files once there is room. Until
 * then it serves reads only.
 *
 *     opening ──▶ running ──(disk full)──▶ waiting ──(room)──▶ opening
 *        └──────────────────(disk full)──────▲
 *
 * Later proposals have higher sequences and attempts of the same session, so they never collide with what a leader remembers; and it cannot lead an earlier
 * term again, since its log has that term (see `raft/DESIGN.md`).
 */
export class ReopeningReplica implements RequestReceiver {
  readonly #options: ReopeningOptions;
  readonly #sink: DeliveredChanges;
  readonly #attempts: AttemptCounter = { last: 0 };
  #engine: Engine | null = null;
  #waiting: WaitingReplica | null = null;
  #held: ((answering: Answering) => void)[] = [];
  #timer: NodeJS.Timeout | null = null;
  #waitMs = lookMs;
  #stopping = false;
  #wasAlone = false;

  private constructor(options: ReopeningOptions) {
    this.#options = options;
    this.#sink = new DeliveredChanges(options.sink, (error) => this.#failed(error));
  }

  /** Waits for a full disk only with a readable store. */
  static async open(options: ReopeningOptions): Promise<ReopeningReplica> {
    const replica = new ReopeningReplica(options);
    try {
      await replica.#open();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      replica.#wait(error);
    }
    return replica;
  }

  propose(request: ProposeRequest): void {
    this.#answer((answering) => answering.propose(request));
  }

  barrier(...request: Parameters<RequestReceiver['barrier']>): void {
    this.#answer((answering) => answering.barrier(...request));
  }

  range(...request: Parameters<RequestReceiver['range']>): void {
    this.#answer((answering) => answering.range(...request));
  }

  changesSince(...request: Parameters<RequestReceiver['changesSince']>): void {
    this.#answer((answering) => answering.changesSince(...request));
  }

  status(...request: Parameters<RequestReceiver['status']>): void {
    this.#answer((answering) => answering.status(...request));
  }

  transferLeadership(...request: Parameters<RequestReceiver['transferLeadership']>): void {
    this.#answer((answering) => answering.transferLeadership(...request));
  }

  changeMembership(...request: Parameters<RequestReceiver['changeMembership']>): void {
    this.#answer((answering) => answering.changeMembership(...request));
  }

  snapshot(...request: Parameters<RequestReceiver['snapshot']>): void {
    this.#answer((answering) => answering.snapshot(...request));
  }

  stop(id: number): void {
    this.#stopping = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting?.close();
    void (this.#engine?.stop() ?? Promise.resolve()).then(() => {
      this.#options.sink.done(id);
      this.#options.sink.flush();
      this.#options.stopped();
    });
  }

  #answer(request: (answering: Answering) => void): void {
    const answering = this.#waiting ?? this.#engine;
    if (answering === null) {
      this.#held.push(request);
      return;
    }
    try {
      request(answering);
    } catch (error) {
      this.#end(error);
    }
  }

  async #open(): Promise<void> {
    const engine = await openReplica({
      ...this.#options,
      sink: this.#sink,
      attempts: this.#attempts,
      deliveredThrough: this.#sink.through,
    });
    this.#sink.begin(engine.revision);
    this.#engine = engine;
    this.#waitMs = lookMs;
    if (this.#stopping) await engine.stop();
  }

  #failed(error: Error): void {
    const engine = this.#engine;
    this.#engine = null;
    if (this.#stopping || engine === null || !isDiskFull(error)) return this.#end(error);
    this.#wasAlone = engine.isAlone;
    try {
      this.#wait(error);
    } catch (cause) {
      this.#end(cause);
    }
  }

  #wait(error: unknown): void {
    const { options, sink } = this.#options;
    const reason = errorText(error);
    const store = readDataDirectory(options.dataDirectory);
    this.#sink.begin(store.revision);
    sink.log('error', 'the disk is full: the replica takes no part until there is room, and only its store is read', { reason });
    this.#waiting = new WaitingReplica({
      options,
      store,
      sink,
      reason: `the disk of ${options.memberId} is full: ${reason}`,
      delivered: this.#sink.through ?? store.revision,
      isCurrent: this.#wasAlone,
      space: () => this.#space(store.usedBytes),
    });
    this.#answerHeld(this.#waiting);
    this.#lookLater();
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#waitMs);
    this.#waitMs = Math.min(lookMostMs, 2 * this.#waitMs);
  }

  async #look(): Promise<void> {
    if (isBelow(this.#space(0).level, 'low')) {
      this.#waitMs = lookMs;
      return this.#lookLater();
    }
    this.#waiting?.close();
    this.#waiting = null;
    try {
      await this.#open();
      this.#options.sink.log('info', 'there is room on the disk again: the replica goes on', {});
    } catch (error) {
      if (this.#stopping || !isDiskFull(error)) return this.#end(error);
      return this.#waitAgain(error);
    }
    if (this.#engine !== null) this.#answerHeld(this.#engine);
  }

  #waitAgain(error: unknown): void {
    try {
      this.#wait(error);
    } catch (cause) {
      this.#end(cause);
    }
  }

  #answerHeld(answering: Answering): void {
    for (const request of this.#held.splice(0)) request(answering);
  }

  #space(storeBytes: number): SpaceStatus {
    const { options, disk = diskOf } = this.#options;
    const { freeBytes, fileSystemBytes } = disk(options.dataDirectory);
    const reserveBytes = reserveOf(options.diskReserveBytes ?? null, fileSystemBytes);
    const level = diskLevel(freeBytes, { reserveBytes, before: 'low' });
    return {
      freeBytes,
      reserveBytes,
      storeBytes,
      quotaBytes: options.quotaBytes ?? 0,
      level,
      alarm: 'disk',
      shortMembers: [options.memberId],
    };
  }

  #end(cause: unknown): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting?.close();
    this.#waiting = null;
    this.#options.sink.failed(cause instanceof Error ? cause : new Error(String(cause)));
  }
}
