import { setTimeout as delay } from 'node:timers/promises';
import type { WatchEvent, WatchStream } from '../../fixtures/apiClient.js';
import { shownTo, type ShownChange, type WatchHistory } from '../checks/watchPromises.js';
import { recordExpired, type Actor } from './actor.js';
import { last, listedIn, pathOf, versionOf } from './place.js';

const pauseAfterFailureMs = 50;
const listTimeoutMs = 5_000;
const awayMs = { min: 8_000, max: 20_000 };
/** Short and varied, so that there are many versions to resume from. */
const watchSeconds = { min: 3, max: 5 };
const gone = 410;

/** A growing history. */
export class Segment implements WatchHistory {
  readonly changes: ShownChange[] = [];
  readonly bookmarks: { readonly version: number; readonly after: number }[] = [];
  readonly expired: string[] = [];

  constructor(
    readonly watcher: string,
    readonly from: number,
  ) {}

  /** False when the event reports compacted history. */
  show({ type, object }: WatchEvent): boolean {
    if (type === 'ERROR') {
      if (object.code !== gone) this.expired.push(JSON.stringify(object));
      return object.code !== gone;
    }
    if (type === 'BOOKMARK') this.bookmarks.push({ version: versionOf(object), after: this.changes.length });
    else
      this.changes.push({
        type,
        key: object.metadata.name,
        version: versionOf(object),
        halves: [object.data?.['left'] ?? '', object.data?.['right'] ?? ''],
      });
    return true;
  }
}

/** Watches at one address for the whole round, resumes ended watches, and lists again after a 410, with a new history. One that pauses misses compactions. */
export class Watcher {
  readonly #actor: Actor;
  readonly #awayPermille: number;
  readonly histories: Segment[];
  readonly endings: string[] = [];
  readonly #away = new AbortController();
  readonly #running: Promise<void>;
  #stopped = false;
  #stream: WatchStream | null = null;
  #sawLast = false;

  /** Of 1,000 watches, this many are followed by a pause. */
  constructor(actor: Actor, from: number, awayPermille: number) {
    this.#actor = actor;
    this.#awayPermille = awayPermille;
    this.histories = [new Segment(actor.name, from)];
    this.#running = this.#run();
  }

  /** True once it has shown the last write. */
  get complete(): boolean {
    return this.#sawLast;
  }

  /** Ends the pause. */
  rouse(): void {
    this.#away.abort();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.rouse();
    this.#stream?.close();
    await this.#running;
  }

  get #segment(): Segment {
    return this.histories.at(-1)!;
  }

  async #run(): Promise<void> {
    const { server, place, prng } = this.#actor;
    while (!this.#stopped) {
      const seconds = prng.between(watchSeconds.min, watchSeconds.max);
      const version = shownTo(this.#segment);
      const stream = (this.#stream = server.watch(
        `${pathOf(place)}?watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${version}`,
      ));
      if (!(await this.#take(stream))) await this.#listAgain(version);
      else if (prng.chance(this.#awayPermille))
        await delay(prng.between(awayMs.min, awayMs.max), undefined, { signal: this.#away.signal }).catch(() => undefined);
      if (stream.events.length === 0 && !this.#stopped) await delay(pauseAfterFailureMs);
    }
  }

  async #take(stream: WatchStream): Promise<boolean> {
    let taken = 0;
    let kept = true;
    const takeNew = (): boolean => {
      for (const event of stream.events.slice(taken)) kept = this.#show(event) && kept;
      taken = stream.events.length;
      return !kept;
    };
    try {
      await stream.opened;
    } catch {
      return true;
    }
    await stream.until(takeNew).catch(takeNew);
    stream.close();
    if (!this.#stopped) this.endings.push(stream.ended ?? '');
    return kept;
  }

  #show(event: WatchEvent): boolean {
    if (event.object.metadata?.name === last) this.#sawLast = true;
    return this.#segment.show(event);
  }

  async #listAgain(version: number): Promise<void> {
    const { name, server, place, recorder } = this.#actor;
    await recordExpired(this.#actor, 'watch', version, null);
    while (!this.#stopped) {
      const answer = await server.request('GET', pathOf(place), { timeoutMs: listTimeoutMs }).catch(() => null);
      if (answer?.status === 200) {
        const listed = listedIn(name, 'list after 410', answer.body as Parameters<typeof listedIn>[2]);
        recorder.lists.push(listed);
        if (listed.items.has(last)) this.#sawLast = true;
        this.histories.push(new Segment(`${name}, after list ${this.histories.length}`, listed.version));
        return;
      }
      await delay(pauseAfterFailureMs);
    }
  }
}
