const ways = 4;
const wordsPerEntry = 5;
const sequenceWord = 0;
const versionWord = 1;
const hashWord = 2;
const slabWord = 3;
const offsetWord = 4;
/** Replaces a slab number, from 1, while a thread makes the form. */
const noSlab = 0;
/** A write ends sooner unless its thread lost its processor. */
const readsMax = 200;
const attemptsMax = 10;
/** Reads of an unfinished entry before the thread sleeps: some microseconds. */
const spinsMax = 400;

/** A key's state: the form's place, in progress on a thread, or absent. */
export type Standing =
  | { readonly state: 'published'; readonly slab: number; readonly offset: number }
  | { readonly state: 'beingMade'; readonly entry: number; readonly sequence: number }
  | { readonly state: 'absent' };

const absent: Standing = { state: 'absent' };

export interface FormKey {
  /** Covers the full name without the version. */
  readonly hash: number;
  readonly version: number;
}

interface Place {
  readonly slab: number;
  readonly offset: number;
}

/** `contended`: another thread has just written there, perhaps the same form. */
export type Claim = 'claimed' | 'noRoom' | 'contended';

interface Looked {
  readonly entry: number;
  readonly sequence: number;
}

interface Room extends Looked {
  readonly age: number;
  /** The form exists or is in progress. */
  readonly isTaken: boolean;
}

/**
 * Places of forms in memory that all threads share without locks. Four entries are a set, which a key's hash selects:
 *
 *     sequence  odd during a change: a reader sees the same even number before and after, or reads again
 *     version   low 32 bits; 0 for an empty entry
 *     hash      of the key, all 32 bits
 *     slab      of the form; 0 while it is being made
 *     offset    in the slab
 *
 * An entry is only a hint: hashes collide, so the form contains its full name. A full set drops a key's older versions first, then its oldest entry. A thread
 * that finds nothing makes the form itself.
 */
export class FormTable {
  readonly #words: Int32Array;
  readonly #sets: number;

  /** `entries` is a power of two. */
  static bytesFor(entries: number): number {
    return entries * wordsPerEntry * Int32Array.BYTES_PER_ELEMENT;
  }

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#sets = this.#words.length / wordsPerEntry / ways;
    if (!Number.isInteger(Math.log2(this.#sets))) throw new RangeError(`a table of ${this.#sets} sets: not a power of two`);
  }

  look(key: FormKey): Standing {
    const first = this.#setOf(key);
    for (let entry = first; entry < first + ways * wordsPerEntry; entry += wordsPerEntry) {
      const standing = this.#read(entry, key);
      if (standing.state !== 'absent') return standing;
    }
    return absent;
  }

  /** Announces that this thread makes an absent form. Without room, others do not wait for it. */
  claim(key: FormKey): Claim {
    const room = this.#roomFor(key);
    if (room === 'none') return 'noRoom';
    if (room === 'busy' || room.isTaken) return 'contended';
    return this.#write(room, key, { slab: noSlab, offset: 0 }) ? 'claimed' : 'contended';
  }

  /** Returns false without room, or while others change the entry. */
  publish(key: FormKey, place: Place): boolean {
    for (let attempts = 0; attempts < attemptsMax; attempts++) {
      const room = this.#roomFor(key);
      if (room === 'none') return false;
      if (room !== 'busy' && this.#write(room, key, place)) return true;
    }
    return false;
  }

  /** The announced form will not be made. */
  giveUp(key: FormKey): void {
    const standing = this.look(key);
    if (standing.state !== 'beingMade' || !this.#lock(standing)) return;
    Atomics.store(this.#words, standing.entry + versionWord, 0);
    this.#unlock(standing);
  }

  wait({ entry, sequence }: Looked, timeoutMs: number): void {
    for (let spins = 0; spins < spinsMax; spins++) if (Atomics.load(this.#words, entry + sequenceWord) !== sequence) return;
    Atomics.wait(this.#words, entry + sequenceWord, sequence, timeoutMs);
  }

  #setOf({ hash }: FormKey): number {
    return (hash & (this.#sets - 1)) * ways * wordsPerEntry;
  }

  #read(entry: number, { hash, version }: FormKey): Standing {
    const words = this.#words;
    for (let reads = 0; reads < readsMax; reads++) {
      const sequence = Atomics.load(words, entry + sequenceWord);
      if (Atomics.load(words, entry + versionWord) !== (version | 0) || Atomics.load(words, entry + hashWord) !== hash) return absent;
      const slab = Atomics.load(words, entry + slabWord);
      const offset = Atomics.load(words, entry + offsetWord);
      if ((sequence & 1) !== 0 || Atomics.load(words, entry + sequenceWord) !== sequence) continue;
      return slab === noSlab ? { state: 'beingMade', entry, sequence } : { state: 'published', slab, offset };
    }
    return absent;
  }

  #write(room: Room, { hash, version }: FormKey, { slab, offset }: Place): boolean {
    // The room was taken in the meantime.
    if (!this.#lock(room)) return false;
    const words = this.#words;
    const { entry } = room;
    Atomics.store(words, entry + versionWord, version | 0);
    Atomics.store(words, entry + hashWord, hash);
    Atomics.store(words, entry + slabWord, slab);
    Atomics.store(words, entry + offsetWord, offset);
    this.#unlock(room);
    return true;
  }

  /**
   * Returns the form's entry, else an empty one, an older version's, or the oldest; none if a newer version exists. The result is unknown while another thread
   * writes to the set.
   */
  #roomFor(key: FormKey): Room | 'none' | 'busy' {
    const { hash } = key;
    const version = key.version | 0;
    // Version 0 marks an empty entry.
    if (version === 0) return 'none';
    const words = this.#words;
    const first = this.#setOf(key);
    let empty: Room | null = null;
    let older: Room | null = null;
    let oldest: Room | null = null;
    let isOutdated = false;
    for (let entry = first; entry < first + ways * wordsPerEntry; entry += wordsPerEntry) {
      const sequence = Atomics.load(words, entry + sequenceWord);
      if ((sequence & 1) !== 0) return 'busy';
      const standing = Atomics.load(words, entry + versionWord);
      const room: Room = { entry, sequence, age: age(standing, version), isTaken: false };
      if (standing === 0) {
        empty ??= room;
        continue;
      }
      if (oldest === null || room.age > oldest.age) oldest = room;
      if (Atomics.load(words, entry + hashWord) !== hash) continue;
      if (standing === version) return { ...room, isTaken: true };
      if (room.age < 0) isOutdated = true;
      else if (older === null || room.age > older.age) older = room;
    }
    return empty ?? older ?? (isOutdated ? 'none' : (oldest ?? 'none'));
  }

  #lock({ entry, sequence }: Looked): boolean {
    return (sequence & 1) === 0 && Atomics.compareExchange(this.#words, entry + sequenceWord, sequence, (sequence + 1) | 0) === sequence;
  }

  #unlock({ entry, sequence }: Looked): void {
    Atomics.store(this.#words, entry + sequenceWord, (sequence + 2) | 0);
    Atomics.notify(this.#words, entry + sequenceWord);
  }
}

/** Returns the difference of two versions from their low 32 bits. */
const age = (standing: number, version: number): number => (version - standing) | 0;
