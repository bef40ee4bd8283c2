import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs a program of the bench (its path without ending) in its own session, as servers of a cluster are: the kernel shares processors between sessions first. */
export function start(program: string, args: readonly string[]): ChildProcess {
  const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    detached: true,
  });
  // One listener for each waiting writer.
  return child.setMaxListeners(100);
}

/** The next message of a child; rejects when it ends first. */
export async function message<T>(child: ChildProcess): Promise<T> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: stop.signal }).then(([value]) => value as T),
      once(child, 'exit', { signal: stop.signal }).then(() => {
        throw new Error('a process of the benchmark ended');
      }),
    ]);
  } finally {
    stop.abort();
  }
}
