import type { Writable } from 'node:stream';
import type { Lane } from './flusher.js';

/** Who writes, and waits until it has been taken. */
export interface Writer {
  taken(): void;
}

/** The way of a watch's bytes to its client. */
export interface Transport {
  /** Shared by those whose bytes take the same connection; without one it has a connection for itself. */
  readonly lane?: Lane;
  /** `writer` is told when the connection has taken all parts, and those of all writes before, or is gone; null does not want to know. */
  write(parts: readonly Buffer[], writer: Writer | null): void;
  /** Called once, when nothing can be sent any more. */
  whenClosed(action: () => void): void;
  /** Ends in order, behind all that was written and these. */
  end(last: readonly Buffer[]): void;
  /** Cuts the client off. */
  destroy(): void;
}

/** How encoded events look on their way. */
export interface Framing {
  /** Part of the key under which events are shared. */
  readonly name: string;
  /** One encoded event as it is written. */
  frame(event: Buffer): Buffer;
}

/** Events follow one another. */
export const plain: Framing = { name: '', frame: (event) => event };

/** In one go, however many parts there are: what is done for each write costs more than its bytes do. */
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
