import type { FormNotes, MadeForm } from '../storage/commonForms.js';
import { Segment } from '../storage/segment.js';

export const slabBytes = 256 * 1024;
const largeBytes = slabBytes / 4;
/** A slab is kept while this part is in use: more than of other segments, since all threads share it. */
const usedPartMin = 1 / 2;
const alignment = 8;

/** The 32-bit numbers that precede an entry. */
const head = { bytes: 0, versionLow: 1, versionHigh: 2, name: 3, namespace: 4, resource: 5, group: 6, form: 7, notes: 8 } as const;
const headWords = 12;
const headBytes = headWords * Int32Array.BYTES_PER_ELEMENT;
const asciiMax = 0x7f;

/**
 * Memory that one thread fills with forms and all threads read. An entry is written once, before it is announced:
 *
 *     head      lengths, version, notes
 *     key       name, namespace, resource, group and form in ASCII, concatenated
 *     bytes     of the form
 *
 * So a reader with a place from the table can fully verify that it is the right form.
 */
export class Slab {
  readonly #memory: SharedArrayBuffer;
  readonly #bytes: Buffer;
  readonly #words: Int32Array;
  #end = 0;

  /** `onClear` is called when little is left, about to move. */
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

  /** Called only by the creating thread, while there is room. Null for names beyond ASCII. */
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

export interface FormName {
  readonly version: number;
  readonly texts: readonly string[];
}

export function entryBytes({ texts }: FormName, { bytes }: MadeForm): number {
  let sum = headBytes + bytes.length;
  for (const text of texts) sum += text.length;
  return Math.ceil(sum / alignment) * alignment;
}

export const isLarge = (bytes: number): boolean => bytes > largeBytes;

const lowOf = (version: number): number => version | 0;
const highOf = (version: number): number => Math.floor(version / 2 ** 32);
