import { Transform, type TransformCallback } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const burstSeconds = 1;

export class Pace extends Transform {
  readonly #bytesPerSecond: number;
  readonly #wait: (ms: number) => Promise<unknown>;
  #level: number;
  #filledAt = performance.now();

  constructor(bytesPerSecond: number, wait: (ms: number) => Promise<unknown> = delay) {
    super();
    this.#bytesPerSecond = bytesPerSecond;
    this.#wait = wait;
    this.#level = bytesPerSecond * burstSeconds;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pass(chunk).then(
      () => {
        done();
      },
      (error: unknown) => {
        done(error as Error);
      },
    );
  }

  async #pass(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const take = Math.max(1, Math.min(chunk.length - at, Math.floor(this.#bytesPerSecond * burstSeconds)));
      this.#fill();
      if (this.#level < take) await this.#wait(((take - this.#level) / this.#bytesPerSecond) * 1000);
      this.#fill();
      this.#level -= take;
      if (this.destroyed) return;
      this.push(chunk.subarray(at, at + take));
      at += take;
    }
  }

  #fill(): void {
    const now = performance.now();
    this.#level = Math.min(this.#bytesPerSecond * burstSeconds, this.#level + ((now - this.#filledAt) / 1000) * this.#bytesPerSecond);
    this.#filledAt = now;
  }
}
