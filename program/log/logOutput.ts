export interface LogOutput {
  /** `info` means everything that is no error. */
  write(level: 'error' | 'info', line: string): void;
  flush(): void;
}

export interface Stream {
  write(text: string): unknown;
}

export interface SplitOptions {
  readonly errors: Stream;
  readonly others: Stream;
  /** Bytes buffered of lines other than errors; 0 for none. */
  readonly bufferBytes: number;
  readonly flushMs: number;
}

export const oneStream = (stream: Stream): LogOutput => ({
  write: (_, line) => {
    stream.write(line);
  },
  flush: () => {},
});

/** Errors are written at once, everything else is buffered. */
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
