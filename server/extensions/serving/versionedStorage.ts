import type { ApiObject } from '../../../api/object.js';
import { transientInTurns } from '../../registry/transient.js';
import { SharedEvent } from '../../storage/cache/change.js';
import type {
  Consistency,
  Failure,
  GetResult,
  ListRequest,
  ListResult,
  ObjectKey,
  Storage,
  Version,
  Watch,
  WatchEvent,
  WatchRequest,
  WatchSink,
  WriteResult,
  WriteTerms,
} from '../../storage/contract.js';
import type { Presenter } from './presenter.js';
import { listSelected, ownFields, SelectedEvents, withoutOwnFields } from './selectedFields.js';
import { errorText } from '../../../api/errorText.js';

/** Storage of a custom resource in one version: reads convert from any stored version, writes to the stored one. */
export function versionedStorage(storage: Storage, presenter: Presenter): Storage {
  return {
    ready: () => storage.ready(),
    get: (key, consistency) => get(storage, presenter, key, consistency),
    list: (request) => list(storage, presenter, request),
    watch: (request, sink) => watch(storage, presenter, request, sink),
    create: async (key, object, terms) => shown(presenter, await storage.create(key, await presenter.written(object), terms)),
    update: (key, object, expected, terms) => update(storage, presenter, { key, object, expected, terms }),
    delete: async (key, expected, terms) => shown(presenter, await storage.delete(key, expected, terms)),
    rehearse: async (object, version) => presenter.one(await transientInTurns(await presenter.written(object), version)),
    async isStale(key) {
      const result = await storage.get(key, { at: 'any' });
      return result.outcome === 'found' && (presenter.isStale(result.object, await presenter.one(result.object)) || storage.isStale(key));
    },
  };
}

async function get(storage: Storage, presenter: Presenter, key: ObjectKey, consistency: Consistency): Promise<GetResult> {
  const result = await storage.get(key, consistency);
  return result.outcome === 'found' ? { ...result, object: await presenter.one(result.object) } : result;
}

async function list(storage: Storage, presenter: Presenter, request: ListRequest): Promise<ListResult> {
  if (ownFields(presenter, request.fields).length > 0) return listSelected(storage, presenter, request);
  const result = await storage.list(request);
  if (result.outcome !== 'found') return result;
  const items = await presenter.all(result.items);
  return items === result.items ? result : { ...result, items };
}

interface Update {
  readonly key: ObjectKey;
  readonly object: ApiObject;
  readonly expected: Version;
  readonly terms: WriteTerms;
}

const update = async (storage: Storage, presenter: Presenter, { key, object, expected, terms }: Update): Promise<WriteResult> =>
  shown(presenter, await storage.update(key, await presenter.written(object), expected, terms));

async function shown(presenter: Presenter, result: WriteResult): Promise<WriteResult> {
  if (result.outcome === 'applied') return { ...result, object: await presenter.one(result.object) };
  return result.outcome === 'conflict' && result.current !== null ? { ...result, current: await presenter.one(result.current) } : result;
}

/** Events of one version, whose watchers share their encoding. */
const sharedEvents = new WeakMap<Presenter, WeakMap<WatchEvent, WatchEvent>>();

function eventOf(presenter: Presenter, event: WatchEvent, object: WatchEvent['object']): WatchEvent {
  if (object === event.object) return event;
  let events = sharedEvents.get(presenter);
  if (events === undefined) sharedEvents.set(presenter, (events = new WeakMap()));
  let own = events.get(event);
  if (own === undefined) events.set(event, (own = new SharedEvent(event.type, object)));
  return own;
}

function watch(storage: Storage, presenter: Presenter, request: WatchRequest, sink: WatchSink): Watch {
  const selected = ownFields(presenter, request.fields).length === 0 ? null : new SelectedEvents(storage, presenter, request);
  const queue = new PresentedEvents(presenter, sink, selected);
  const raw = storage.watch(selected === null ? request : withoutOwnFields(request), queue);
  queue.onFailure = () => {
    raw.stop();
  };
  return {
    get version() {
      return queue.isBehind ? queue.shown : raw.version;
    },
    fallBehind() {
      raw.fallBehind();
    },
    stop() {
      queue.stop();
      raw.stop();
    },
  };
}

/** Calls that wait for the conversion of an earlier event. */
const waitingMax = 10_000;

/**
 * Delivers events in order. Nearly all can be presented at once; when one needs a converter, later ones wait:
 *
 *     event ──▶ [waiting for the converter] ──▶ event, event, synced …
 */
class PresentedEvents implements WatchSink {
  readonly #presenter: Presenter;
  readonly #sink: WatchSink;
  readonly #selected: SelectedEvents | null;
  onFailure: () => void = () => {};
  /** The version of the last delivered event. */
  shown: Version = 0;
  readonly #waiting: (() => Promise<void> | void)[] = [];
  #working = false;
  #over = false;

  constructor(
    presenter: Presenter,
    sink: WatchSink,

    selected: SelectedEvents | null,
  ) {
    this.#presenter = presenter;
    this.#sink = sink;
    this.#selected = selected;
    const begun = selected?.begin() ?? null;
    // Events wait until the client's objects are known.
    if (begun !== null)
      this.#wait(async () => {
        const failure = await begun;
        if (failure !== null) this.#finish(failure);
      });
  }

  get isBehind(): boolean {
    return this.#working;
  }

  event(event: WatchEvent): void {
    if (this.#over) return;
    if (this.#working) return this.#wait(() => this.#handOver(event));
    const object = this.#presentNow(event);
    if (object === 'failed') return;
    if (object !== null) this.#emit(event, object);
    else this.#wait(() => this.#handOver(event));
  }

  synced(version: Version): void {
    this.#inTurn(() => {
      this.#sink.synced(version);
    });
  }

  end(reason: Failure): void {
    this.#inTurn(() => {
      this.#over = true;
      this.#sink.end(reason);
    });
  }

  /** The initial state waits as well. */
  drained(): Promise<void> | null {
    if (!this.#working) return this.#sink.drained?.() ?? null;
    return new Promise((resolve) => {
      this.#waiting.push(async () => {
        resolve((await this.#sink.drained?.()) ?? undefined);
      });
    });
  }

  stop(): void {
    this.#over = true;
    for (const next of this.#waiting.splice(0)) void next();
  }

  #inTurn(step: () => void): void {
    if (this.#over) return;
    if (this.#working)
      this.#wait(() => {
        if (!this.#over) step();
      });
    else step();
  }

  /** Failures must not stop storage, which is notifying all watchers. */
  #presentNow(event: WatchEvent): WatchEvent['object'] | null | 'failed' {
    try {
      return this.#presenter.now(event.object);
    } catch (error) {
      this.#fail(error);
      return 'failed';
    }
  }

  #emit(event: WatchEvent, object: WatchEvent['object']): void {
    this.shown = event.version;
    if (this.#selected === null) return this.#sink.event(eventOf(this.#presenter, event, object));
    const seen = this.#selected.seen(event, object);
    if (seen === null) return;
    this.#sink.event(seen.type === event.type ? eventOf(this.#presenter, event, seen.object) : new SharedEvent(seen.type, seen.object));
  }

  async #handOver(event: WatchEvent): Promise<void> {
    if (this.#over) return;
    const object = await this.#presenter.one(event.object);
    if (!this.#isOver()) this.#emit(event, object);
  }

  /** A method, because it may change at every await. */
  #isOver(): boolean {
    return this.#over;
  }

  #wait(step: () => Promise<void> | void): void {
    if (this.#waiting.length >= waitingMax)
      return this.#fail(new Error('the client would be too far behind: conversion takes longer than changes do'));
    this.#waiting.push(step);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await next();
    } catch (error) {
      this.#fail(error);
    }
    this.#working = false;
  }

  #fail(error: unknown): void {
    this.#finish({ outcome: 'unavailable', reason: errorText(error) });
  }

  #finish(reason: Failure): void {
    if (this.#over) return;
    this.stop();
    this.onFailure();
    this.#sink.end(reason);
  }
}
