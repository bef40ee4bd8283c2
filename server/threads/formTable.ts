/** Entries that a key may stand in: as many as are looked at for it. */
const ways = 4;
const wordsPerEntry = 5;
/** Words of an entry. */
const sequenceWord = 0;
const versionWord = 1;
const hashWord = 2;
const slabWord = 3;
const offsetWord = 4;
/** In place of a slab: a thread is making it. Slabs are numbered from 1. */
const noSlab = 0;
/** Looks at an entry that others are changing: a write is four words, and over before so many looks unless its thread has lost its processor. */
const readsMax = 200;
/** Looks for room while others change the set. */
const looksMax = 10;
/** Looks at an entry that is being made, before the thread sleeps: some microseconds, which is what a short form takes. */
const spinsMax = 400;

/** What stands in the table for a key: where it lies, that a thread is making it, or nothing. */
export type Standing =
  | { readonly state: 'published'; readonly slab: number; readonly offset: number }
  | { readonly state: 'beingMade'; readonly entry: number; readonly sequence: number }
  | { readonly state: 'absent' };

const absent: Standing = { state: 'absent' };

/** What a form is looked for by. */
export interface FormKey {
  /** Of everything that names it but the version. */
  readonly hash: number;
  readonly version: number;
}

interface Place {
  readonly slab: number;
  readonly offset: number;
}

/** `contended`: another thread has just written something there, perhaps the same. */
export type Claim = 'claimed' | 'noRoom' | 'contended';

/** An entry, and how often it had been changed when it was looked at. */
interface Looked {
  readonly entry: number;
  readonly sequence: number;
}

/** One to be written to, unless it has changed since. */
interface Room extends Looked {
  readonly age: number;
  /** The form stands there already, or is being made. */
  readonly isTaken: boolean;
}

/**
 * Where forms lie, in memory that all threads share and without a lock that any of them waits for. Four entries make a set, and a key stands in the set that
 * its hash names:
 *
 *     sequence  odd while somebody changes the entry: who reads sees the same even number before and after, or looks again
 *     version   low 32 bits; 0 for an empty entry
 *     hash      of the key, all 32 bits
 *     slab      in which the form lies; 0 while it is being made
 *     offset    in the slab
 *
 * It says where something may lie, not that it is what was asked for: hashes collide, so the form itself names its key in full. It forgets what has no
 * room: of one key the older versions first, then whatever is oldest in the set. Who finds nothing makes the form himself.
 */
export class FormTable {
  readonly #words: Int32Array;
  readonly #sets: number;

  /** `entries`: a power of two. */
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

  /** Says that this thread is about to make the form, of which nothing stands here. Where there is no room to say so, nobody waits for it. */
  claim(key: FormKey): Claim {
    const room = this.#roomFor(key);
    if (room === 'none') return 'noRoom';
    if (room === 'busy' || room.isTaken) return 'contended';
    return this.#write(room, key, { slab: noSlab, offset: 0 }) ? 'claimed' : 'contended';
  }

  /** False where it found no room, or others were changing what stands there. */
  publish(key: FormKey, place: Place): boolean {
    for (let looks = 0; looks < looksMax; looks++) {
      const room = this.#roomFor(key);
      if (room === 'none') return false;
      if (room !== 'busy' && this.#write(room, key, place)) return true;
    }
    return false;
  }

  /** What was claimed will not be made. */
  giveUp(key: FormKey): void {
    const standing = this.look(key);
    if (standing.state !== 'beingMade' || !this.#lock(standing)) return;
    Atomics.store(this.#words, standing.entry + versionWord, 0);
    this.#unlock(standing);
  }

  /** Waits until something happens to an entry, or the time is over. */
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
    // Taken for other forms, or for this one, since the room was found.
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
   * The entry of the same form, else an empty one, else that of an older version of it, else the oldest; none where a newer version has come. While another
   * thread is writing to the set, nobody knows what will stand there.
   */
  #roomFor(key: FormKey): Room | 'none' | 'busy' {
    const { hash } = key;
    const version = key.version | 0;
    // What a version of 0 would stand for is an empty entry.
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

/** How many versions one is older than another, of both only the low 32 bits. */
const age = (standing: number, version: number): number => (version - standing) | 0;
