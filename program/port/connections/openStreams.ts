import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { types } from 'node:util';

const leastSlots = 8;
const free = -1;

/**
 * The open streams of a session. Node's `Map` replaces its table every few entries, and each old table holds its entries and the next table (see
 * `ExchangeList`). This one clears places of closed streams and keeps its table (Knuth, volume 3, 6.4, algorithm R).
 */
export class OpenStreams<T> implements Map<number, T> {
  readonly [Symbol.toStringTag] = 'OpenStreams';
  #ids = new Int32Array(leastSlots).fill(free);
  #streams: (T | undefined)[] = new Array<T | undefined>(leastSlots).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    return this.#streams[this.#placeOf(id)];
  }

  has(id: number): boolean {
    return this.#ids[this.#placeOf(id)] === id;
  }

  set(id: number, stream: T): this {
    let place = this.#placeOf(id);
    if (this.#ids[place] !== id) {
      if (2 * (this.#size + 1) > this.#ids.length) {
        this.#resize(2 * this.#ids.length);
        place = this.#placeOf(id);
      }
      this.#ids[place] = id;
      this.#size += 1;
    }
    this.#streams[place] = stream;
    return this;
  }

  delete(id: number): boolean {
    let left = this.#placeOf(id);
    if (this.#ids[left] !== id) return false;
    const mask = this.#ids.length - 1;
    for (let at = (left + 1) & mask; this.#ids[at] !== free; at = (at + 1) & mask) {
      const home = homeOf(this.#ids[at] as number, mask);
      if (((at - home) & mask) < ((at - left) & mask)) continue;
      this.#ids[left] = this.#ids[at] as number;
      this.#streams[left] = this.#streams[at];
      left = at;
    }
    this.#ids[left] = free;
    this.#streams[left] = undefined;
    this.#size -= 1;
    return true;
  }

  clear(): void {
    this.#ids.fill(free);
    this.#streams.fill(undefined);
    this.#size = 0;
  }

  entries(): MapIterator<[number, T]> {
    return [...this.#ids].flatMap((id, place): [number, T][] => (id === free ? [] : [[id, this.#streams[place] as T]])).values();
  }

  *keys(): MapIterator<number> {
    for (const [id] of this.entries()) yield id;
  }

  *values(): MapIterator<T> {
    for (const [, stream] of this.entries()) yield stream;
  }

  [Symbol.iterator](): MapIterator<[number, T]> {
    return this.entries();
  }

  forEach(action: (stream: T, id: number, all: Map<number, T>) => void): void {
    for (const [id, stream] of this.entries()) action(stream, id, this);
  }

  #placeOf(id: number): number {
    const mask = this.#ids.length - 1;
    let place = homeOf(id, mask);
    while (this.#ids[place] !== id && this.#ids[place] !== free) place = (place + 1) & mask;
    return place;
  }

  #resize(slots: number): void {
    const entries = [...this.entries()];
    this.#ids = new Int32Array(slots).fill(free);
    this.#streams = new Array<T | undefined>(slots).fill(undefined);
    this.#size = 0;
    for (const [id, stream] of entries) this.set(id, stream);
  }
}

const homeOf = (id: number, mask: number): number => (id >> 1) & mask;

/** Streams without a number yet. Node uses a `Set`, with the same cost. */
export class UnnumberedStreams<T> implements Set<T> {
  readonly [Symbol.toStringTag] = 'UnnumberedStreams';
  readonly #streams: T[] = [];

  get size(): number {
    return this.#streams.length;
  }

  has(stream: T): boolean {
    return this.#streams.includes(stream);
  }

  add(stream: T): this {
    if (!this.has(stream)) this.#streams.push(stream);
    return this;
  }

  delete(stream: T): boolean {
    const place = this.#streams.indexOf(stream);
    if (place >= 0) this.#streams.splice(place, 1);
    return place >= 0;
  }

  clear(): void {
    this.#streams.length = 0;
  }

  values(): SetIterator<T> {
    return [...this.#streams].values();
  }

  keys(): SetIterator<T> {
    return this.values();
  }

  [Symbol.iterator](): SetIterator<T> {
    return this.values();
  }

  *entries(): SetIterator<[T, T]> {
    for (const stream of this.values()) yield [stream, stream];
  }

  forEach(action: (stream: T, same: T, all: Set<T>) => void): void {
    for (const stream of this.values()) action(stream, stream, this);
  }
}

interface SessionState {
  streams: unknown;
  pendingStreams: unknown;
}

/** Not public: a session with streams, or unlike those of Node 20 to 24, stays unchanged. */
export function keepStreamsApart(session: ServerHttp2Session): boolean {
  const name = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state');
  const state = name === undefined ? undefined : (session as unknown as Record<symbol, Partial<SessionState> | undefined>)[name];
  if (state === undefined || !types.isMap(state.streams) || !types.isSet(state.pendingStreams)) return false;
  if (state.streams.size > 0 || state.pendingStreams.size > 0) return false;
  state.streams = new OpenStreams<ServerHttp2Stream>();
  state.pendingStreams = new UnnumberedStreams<ServerHttp2Stream>();
  return true;
}
