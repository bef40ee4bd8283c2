/** Where log lines go. */
export interface LogOutput {
  /** A line with its end. `info` stands for everything that is no error. */
  write(level: 'error' | 'info', line: string): void;
  /** Writes what is held back. */
  flush(): void;
}

export interface Stream {
  write(text: string): unknown;
}

export interface SplitOptions {
  readonly errors: Stream;
  readonly others: Stream;
  /** Bytes of lines other than errors that are held back before they are written; 0 for none. */
  readonly bufferBytes: number;
  /** Longest time that they are held back. */
  readonly flushMs: number;
}

/** Everything to one stream, at once. */
export const oneStream = (stream: Stream): LogOutput => ({
  write: (_, line) => {
    stream.write(line);
  },
  flush: () => {},
});

/** Errors to a stream of their own, at once; everything else to another one, and held back as long as it fits the buffer. */
export function splitStreams({ errors, others, bufferBytes, flushMs }: SplitOptions): LogOutput {
  let held: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (held.length === 0) return;
    others.write(held.join(''));
    held = [];
    bytes = 0;
  };
  return {
    flush,
    write: (level, line) => {
      if (level === 'error') {
        errors.write(line);
        return;
      }
      if (bytes + line.length > bufferBytes) flush();
      if (line.length > bufferBytes) {
        others.write(line);
        return;
      }
      held.push(line);
      bytes += line.length;
      timer ??= setTimeout(flush, flushMs).unref();
    },
  };
}
