import type { StoredObject } from '../storage/contract.js';
import type { EncodedList } from './encoders/encoder.js';

/** Shorter lists are joined each time, which costs little. */
const bodyBytesMin = 128 * 1024;
/** Joining longer lists would block other requests. */
const bodyBytesMax = 4 << 20;
const bytesMax = 16 << 20;

interface Body {
  /** Null until the second request, and again without room. */
  bytes: Buffer | null;
}

/** Caches list bodies: clients read the same lists after a restart. While no object changes, storage returns the same array, joined once. */
export class ListBodies {
  readonly #bodies = new WeakMap<readonly StoredObject[], Map<string, Body>>();
  /** Those with bytes, the most recently used at the end. */
  readonly #kept = new Set<Body>();
  #bytes = 0;

  /** Returns the cached result of `make`, or calls it. */
  async of(objects: readonly StoredObject[], form: string, make: () => Promise<EncodedList>): Promise<EncodedList> {
    const body = this.#bodies.get(objects)?.get(form);
    if (body?.bytes != null) {
      this.#kept.delete(body);
      this.#kept.add(body);
      return whole(body.bytes);
    }
    const made = await make();
    if (made.size === null || made.size < bodyBytesMin || made.size > bodyBytesMax) return made;
    if (body === undefined) this.#note(objects, form);
    return body === undefined ? made : this.#keep(body, made);
  }

  #note(objects: readonly StoredObject[], form: string): void {
    const forms = this.#bodies.get(objects);
    if (forms === undefined) this.#bodies.set(objects, new Map([[form, { bytes: null }]]));
    else if (!forms.has(form)) forms.set(form, { bytes: null });
  }

  #keep(body: Body, made: EncodedList): EncodedList {
    // Another request may have filled it meanwhile.
    if (body.bytes !== null) return whole(body.bytes);
    const bytes = (body.bytes = Buffer.concat([...made.parts]));
    this.#kept.add(body);
    this.#bytes += bytes.length;
    for (const oldest of this.#kept) {
      if (this.#bytes <= bytesMax) break;
      this.#kept.delete(oldest);
      this.#bytes -= oldest.bytes?.length ?? 0;
      oldest.bytes = null;
    }
    return whole(bytes);
  }
}

const whole = (bytes: Buffer): EncodedList => ({ parts: [bytes], size: bytes.length });
