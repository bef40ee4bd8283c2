import type { MessagePort } from 'node:worker_threads';
import type { CommonForm, CommonForms, FormSubject, MadeForm } from '../storage/commonForms.js';
import { entryBytes, isLarge, Slab, slabBytes, type FormName } from './formSlabs.js';
import { FormTable, type Claim, type FormKey, type Standing } from './formTable.js';

/** Capacity of the table, 20 bytes each; beyond it, threads make some forms separately. */
const tableEntries = 128 * 1024;
/** Longest wait for a form in progress, as its thread may lack a processor. */
const waitDefaultMs = 1;
const attemptsMax = 10;

type Notice = { readonly slab: number; readonly memory: SharedArrayBuffer } | { readonly slab: number; readonly memory: null };

export interface SharedFormsOptions {
  /** Shared by all threads, of `SharedForms.tableBytes`. */
  readonly table: SharedArrayBuffer;
  readonly thread: number;
  readonly threads: number;
  readonly peers: readonly MessagePort[];
  readonly waitMs?: number;
}

export interface FormCounts {
  /** Made here and shared. */
  made: number;
  /** Found, made by any thread. */
  found: number;
  waited: number;
  /** Made for this thread alone, for lack of room or after too long a wait. */
  own: number;
}

/**
 * The forms that a process's serving threads share. Each thread puts its forms into its own slabs, announces a slab before its first use, and enters each form
 * in the table; readers read it in place.
 *
 *     thread 0 ──put──▶ slab, slab, slab …  ◀──read── threads 1, 2
 *         └──enter──▶ table ◀──look────────────────────┘
 *
 * A slab is kept while its maker uses half of it (`Segment`). Then the rest moves to the newest slab, on other threads too. Memory is freed when the last
 * thread releases it.
 */
export class SharedForms implements CommonForms {
  static readonly tableBytes = FormTable.bytesFor(tableEntries);

  readonly counts: FormCounts = { made: 0, found: 0, waited: 0, own: 0 };
  readonly #table: FormTable;
  readonly #slabs = new Map<number, Slab>();
  readonly #peers: readonly MessagePort[];
  readonly #waitMs: number;
  readonly #threads: number;
  #lastNumber: number;
  #current: Slab;
  /** Already announced when the current one is full. */
  #next: Slab;
  /** Full slabs, whose last form may not be counted yet. */
  #full: Slab[] = [];

  constructor({ table, thread, threads, peers, waitMs = waitDefaultMs }: SharedFormsOptions) {
    this.#table = new FormTable(table);
    this.#peers = peers;
    this.#waitMs = waitMs;
    this.#threads = threads;
    this.#lastNumber = thread + 1 - threads;
    for (const peer of peers) {
      peer.on('message', (notice: Notice) => {
        this.#hear(notice);
      });
      peer.unref();
    }
    this.#current = this.#open(slabBytes);
    this.#next = this.#open(slabBytes);
  }

  /** Memory that this thread keeps, whichever thread made it. */
  get slabs(): { readonly count: number; readonly bytes: number } {
    let bytes = 0;
    for (const { memory } of this.#slabs.values()) bytes += memory.byteLength;
    return { count: this.#slabs.size, bytes };
  }

  of(subject: FormSubject, form: string, make: () => MadeForm): CommonForm {
    const key = keyOf(subject, form);
    let claim: Claim = 'contended';
    for (let attempts = 0; claim === 'contended' && attempts < attemptsMax; attempts++) {
      const standing = this.#table.look(key);
      const found = this.#found(standing, key);
      if (found !== null) return found;
      // The entry is useless: its slab is unknown here, or it takes too long.
      claim = standing.state === 'absent' ? this.#table.claim(key) : 'noRoom';
    }
    let common: CommonForm | null = null;
    try {
      return (common = this.#put(key, make()));
    } finally {
      if (claim === 'claimed' && (common?.segment ?? null) === null) this.#table.giveUp(key);
    }
  }

  put(subject: FormSubject, form: string, made: MadeForm): CommonForm {
    return this.#put(keyOf(subject, form), made);
  }

  close(): void {
    for (const peer of this.#peers) peer.close();
  }

  /** Returns another thread's form, perhaps after a wait. */
  #found(standing: Standing, key: NamedForm): CommonForm | null {
    if (standing.state !== 'beingMade') return this.#read(standing, key);
    this.#table.wait(standing, this.#waitMs);
    const found = this.#read(this.#table.look(key), key);
    if (found !== null) this.counts.waited++;
    return found;
  }

  #read(standing: Standing, key: NamedForm): CommonForm | null {
    const slab = standing.state === 'published' ? this.#slabs.get(standing.slab) : undefined;
    if (standing.state !== 'published' || slab === undefined) return null;
    const found = slab.at(standing.offset, key);
    if (found === null) return null;
    this.counts.found++;
    return { bytes: found.bytes, notes: found.notes, segment: slab.segment };
  }

  /** Another thread may have been faster. */
  #put(key: NamedForm, made: MadeForm): CommonForm {
    return this.#read(this.#table.look(key), key) ?? this.#publish(key, made);
  }

  #publish(key: NamedForm, made: MadeForm): CommonForm {
    const bytes = entryBytes(key, made);
    const slab = isLarge(bytes) ? this.#openFor(bytes) : this.#withRoomFor(bytes);
    const put = slab.put(key, made);
    if (put === null || !this.#table.publish(key, { slab: slab.number, offset: put.offset })) {
      this.counts.own++;
      return { bytes: made.bytes, notes: made.notes, segment: null };
    }
    this.counts.made++;
    return { bytes: put.form.bytes, notes: made.notes, segment: slab.segment };
  }

  #withRoomFor(bytes: number): Slab {
    const full = this.#full.splice(0);
    for (const { segment } of full) segment.close();
    if (this.#current.hasRoomFor(bytes)) return this.#current;
    this.#full.push(this.#current);
    this.#current = this.#next;
    this.#next = this.#open(slabBytes);
    return this.#current;
  }

  #openFor(bytes: number): Slab {
    const slab = this.#open(bytes);
    this.#full.push(slab);
    return slab;
  }

  #open(bytes: number): Slab {
    const number = (this.#lastNumber += this.#threads);
    const memory = new SharedArrayBuffer(bytes);
    const slab = new Slab(number, memory, () => {
      if (this.#slabs.delete(number)) this.#tell({ slab: number, memory: null });
    });
    this.#slabs.set(number, slab);
    this.#tell({ slab: number, memory });
    return slab;
  }

  #tell(notice: Notice): void {
    for (const peer of this.#peers) peer.postMessage(notice);
  }

  #hear({ slab: number, memory }: Notice): void {
    if (memory !== null) {
      this.#slabs.set(number, new Slab(number, memory, () => undefined));
      return;
    }
    const slab = this.#slabs.get(number);
    this.#slabs.delete(number);
    slab?.segment.close();
  }
}

interface NamedForm extends FormKey, FormName {}

function keyOf({ facts: { resource }, namespace, name, version }: FormSubject, form: string): NamedForm {
  const texts = [name, namespace, resource.resource, resource.group, form];
  let hash = 0x811c9dc5 | 0;
  for (const text of texts) {
    for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
    hash = Math.imul(hash ^ text.length, 0x01000193);
  }
  return { hash: hash ^ (hash >>> 15), version, texts };
}
