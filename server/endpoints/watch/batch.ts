/**
 * Frames that wait for one client, joined into one write. Most late watchers miss the same events, so they share sequence and joined bytes.
 * Each batch knows its successor with one more frame:
 *
 *     f1 ──▶ f1 f2 ──▶ f1 f2 f3
 *       └──▶ f1 f4                   (a watcher whose selector leaves f2 and f3 out)
 */
export class Batch {
  readonly #before: Batch | null;
  readonly #frame: Buffer;

  /** Small because each connection copies what is written to it. */
  static readonly bytesMax = 8 * 1024;
  readonly bytes: number;
  #joinedBytes: Buffer | null = null;
  #latest: Batch | null = null;
  #others: Map<Buffer, Batch> | null = null;

  private constructor(before: Batch | null, frame: Buffer) {
    this.#before = before;
    this.#frame = frame;
    this.bytes = (before?.bytes ?? 0) + frame.length;
  }

  static of(frame: Buffer): Batch {
    if (newest !== null && newest.#frame === frame) return newest;
    const known = starts.get(frame);
    newest = known ?? new Batch(null, frame);
    if (known === undefined) starts.set(frame, newest);
    return newest;
  }

  /** This batch and one more frame. Requires `hasRoomFor`. */
  followedBy(frame: Buffer): Batch {
    if (this.#latest !== null && this.#latest.#frame === frame) return this.#latest;
    if (this.#latest !== null) (this.#others ??= new Map()).set(this.#latest.#frame, this.#latest);
    this.#latest = this.#others?.get(frame) ?? new Batch(this, frame);
    return this.#latest;
  }

  hasRoomFor(frame: Buffer): boolean {
    return this.bytes + frame.length <= Batch.bytesMax;
  }

  get joined(): Buffer {
    if (this.#before === null) return this.#frame;
    return (this.#joinedBytes ??= Buffer.concat(this.#frames(), this.bytes));
  }

  #frames(): Buffer[] {
    const frames: Buffer[] = [];
    for (let batch: Batch | null = this; batch !== null; batch = batch.#before) frames.push(batch.#frame);
    return frames.reverse();
  }
}

const starts = new WeakMap<Buffer, Batch>();
/** The latest request, nearly always equal to the next. */
let newest: Batch | null = null;
