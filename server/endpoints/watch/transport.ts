import type { Writable } from 'node:stream';
import type { FlushQueue } from './flusher.js';

export interface Writer {
  taken(): void;
}

export interface Transport {
  readonly flushQueue?: FlushQueue;
  write(parts: readonly Buffer[], writer: Writer | null): void;
  /** Called once, when nothing can be sent any more. */
  whenClosed(action: () => void): void;
  /** Ends after everything written and these parts. */
  end(last: readonly Buffer[]): void;
  destroy(): void;
}

export interface Framing {
  readonly name: string;
  frame(event: Buffer): Buffer;
}

export const plain: Framing = { name: '', frame: (event) => event };

/** Sends all parts at once, since a write costs more than its bytes. */
export function writeTogether(out: Writable, parts: readonly Buffer[], writer: Writer | null): void {
  const last = parts.length - 1;
  if (last > 0) out.cork();
  for (let each = 0; each < last; each++) out.write(parts[each]);
  if (writer === null) out.write(parts[last]);
  else
    out.write(parts[last], () => {
      writer.taken();
    });
  if (last > 0) out.uncork();
}
