import type { StoredObject } from '../storage/contract.js';
import type { EncodedList } from './encoders/encoder.js';

/** Shorter ones are joined anew each time, which costs next to nothing. */
const bodyBytesMin = 128 * 1024;
/** Longer ones would hold up other requests while they are joined. */
const bodyBytesMax = 4 << 20;
/** Of all together. */
const bytesMax = 16 << 20;

interface Body {
  /** Null until somebody asks for the second time, and again when there was no room any more. */
  bytes: Buffer | null;
}

/**
 * The items of long lists in one piece, as they stand in an answer. Clients come in herds, after a restart above all, and read the same
 * lists; as long as no object of such a list changes, storage answers with the same array, and its items are joined once for all of the
 * herd. What is asked for only once is not kept: pages of a long list that one client reads through.
 */
export class ListBodies {
  private readonly bodies = new WeakMap<readonly StoredObject[], Map<string, Body>>();
  /** Those with bytes, the one used last at the end. */
  private readonly kept = new Set<Body>();
  private bytes = 0;

  /** What `make` made of the same objects in the same form, if it is kept; otherwise it is made now. */
  async of(objects: readonly StoredObject[], form: string, make: () => Promise<EncodedList>): Promise<EncodedList> {
    const body = this.bodies.get(objects)?.get(form);
    if (body?.bytes != null) {
      this.kept.delete(body);
      this.kept.add(body);
      return whole(body.bytes);
    }
    const made = await make();
    if (made.size === null || made.size < bodyBytesMin || made.size > bodyBytesMax) return made;
    if (body === undefined) this.note(objects, form);
    return body === undefined ? made : this.keep(body, made);
  }

  private note(objects: readonly StoredObject[], form: string): void {
    const forms = this.bodies.get(objects);
    if (forms === undefined) this.bodies.set(objects, new Map([[form, { bytes: null }]]));
    else if (!forms.has(form)) forms.set(form, { bytes: null });
  }

  private keep(body: Body, made: EncodedList): EncodedList {
    // Others may have asked meanwhile.
    if (body.bytes !== null) return whole(body.bytes);
    const bytes = (body.bytes = Buffer.concat([...made.parts]));
    this.kept.add(body);
    this.bytes += bytes.length;
    for (const oldest of this.kept) {
      if (this.bytes <= bytesMax) break;
      this.kept.delete(oldest);
      this.bytes -= oldest.bytes?.length ?? 0;
      oldest.bytes = null;
    }
    return whole(bytes);
  }
}

const whole = (bytes: Buffer): EncodedList => ({ parts: [bytes], size: bytes.length });
