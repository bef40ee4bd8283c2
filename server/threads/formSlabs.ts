import type { FormNotes, MadeForm } from '../storage/commonForms.js';
import { Segment } from '../storage/segment.js';

/** Of memory that forms are put into one behind the other. */
export const slabBytes = 256 * 1024;
/** A form that is larger has memory of its own. */
const largeBytes = slabBytes / 4;
/** A slab stays as long as at least this part of it is in use: more than of other segments, since what moves is still there once for all threads. */
const usedPartMin = 1 / 2;
/** Entries begin at multiples of this. */
const alignment = 8;

/** Numbers in front of an entry, each of 32 bits. */
const head = { bytes: 0, versionLow: 1, versionHigh: 2, name: 3, namespace: 4, resource: 5, group: 6, form: 7, notes: 8 } as const;
const headWords = 12;
const headBytes = headWords * Int32Array.BYTES_PER_ELEMENT;
const asciiMax = 0x7f;

/**
 * Memory into which one thread puts forms, and from which all read. An entry is written once, before anybody is told of it, and never again:
 *
 *     head      lengths, version, notes
 *     key       name, namespace, resource, group and form: ASCII, one behind the other
 *     bytes     of the form
 *
 * So whoever holds a place of which a table has told him can check that it is what he looks for, in full.
 */
export class Slab {
  readonly #memory: SharedArrayBuffer;
  readonly #bytes: Buffer;
  readonly #words: Int32Array;
  #end = 0;

  /** What of it this thread needs. `onClear`: that is little, and about to move elsewhere. */
  readonly segment: Segment;

  constructor(
    readonly number: number,
    memory: SharedArrayBuffer,
    onClear: () => void,
  ) {
    this.#memory = memory;
    this.#bytes = Buffer.from(memory);
    this.#words = new Int32Array(memory, 0, Math.floor(memory.byteLength / Int32Array.BYTES_PER_ELEMENT));
    this.segment = new Segment(memory, { usedPartMin, onClear });
  }

  get memory(): SharedArrayBuffer {
    return this.#memory;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#end + bytes <= this.#memory.byteLength;
  }

  /** Where the entry begins, and the form as it lies there. Ask only while there is room; only the thread that made the slab may. Null for names that are not ASCII. */
  put({ texts, version }: FormName, { bytes, notes }: MadeForm): { readonly offset: number; readonly form: MadeForm } | null {
    const offset = this.#end;
    const word = offset / Int32Array.BYTES_PER_ELEMENT;
    const words = this.#words;
    let end = offset + headBytes;
    let isAscii = true;
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] ?? '';
      words[word + head.name + index] = text.length;
      for (let place = 0; place < text.length; place++) {
        const code = text.charCodeAt(place);
        if (code > asciiMax) isAscii = false;
        this.#bytes[end++] = code;
      }
    }
    if (!isAscii) return null;
    words[word + head.bytes] = bytes.length;
    words[word + head.versionLow] = lowOf(version);
    words[word + head.versionHigh] = highOf(version);
    for (let index = 0; index < notes.length; index++) words[word + head.notes + index] = notes[index] ?? 0;
    this.#bytes.set(bytes, end);
    this.#end = Math.ceil((end + bytes.length) / alignment) * alignment;
    return { offset, form: { bytes: Buffer.from(this.#memory, end, bytes.length), notes } };
  }

  /** The form at a place where an entry begins, if it is the one that is asked for. */
  at(offset: number, { texts, version }: FormName): MadeForm | null {
    const word = offset / Int32Array.BYTES_PER_ELEMENT;
    const words = this.#words;
    if (words[word + head.versionLow] !== lowOf(version) || words[word + head.versionHigh] !== highOf(version)) return null;
    let end = offset + headBytes;
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] ?? '';
      if (words[word + head.name + index] !== text.length || !this.#isAt(end, text)) return null;
      end += text.length;
    }
    return { bytes: Buffer.from(this.#memory, end, words[word + head.bytes]), notes: this.#notesAt(word + head.notes) };
  }

  #isAt(offset: number, text: string): boolean {
    for (let place = 0; place < text.length; place++) if (this.#bytes[offset + place] !== text.charCodeAt(place)) return false;
    return true;
  }

  #notesAt(word: number): FormNotes {
    const words = this.#words;
    return [words[word] ?? 0, words[word + 1] ?? 0, words[word + 2] ?? 0, words[word + 3] ?? 0];
  }
}

/** What names a form in full. */
export interface FormName {
  readonly version: number;
  /** Name, namespace, resource, group and form. */
  readonly texts: readonly string[];
}

/** Bytes that an entry takes. */
export function entryBytes({ texts }: FormName, { bytes }: MadeForm): number {
  let sum = headBytes + bytes.length;
  for (const text of texts) sum += text.length;
  return Math.ceil(sum / alignment) * alignment;
}

export const isLarge = (bytes: number): boolean => bytes > largeBytes;

const lowOf = (version: number): number => version | 0;
const highOf = (version: number): number => Math.floor(version / 2 ** 32);
