import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BuiltDocument, BuiltDocuments, Form, Source } from './build.js';
import type { Task } from './builderThread.js';
import type { Showing, Taking } from './remote/tasks.js';

/** The compiled entry point is in this file's folder. */
const taskFile = new URL('./builderThread.js', import.meta.url);
const threadHeapMb = 512;
/** Timeout for a foreign document; this server's take some hundred milliseconds. */
const foreignMs = 20_000;

export interface Builder {
  /** Caches nothing. */
  build(source: Source, form: Form): Promise<BuiltDocuments>;
  /** Converts a foreign document into its cached form. Rejects invalid ones, and those that need too much memory or time. */
  take(taking: Taking): Promise<BuiltDocument>;
  /** Encodes another program's cached document. */
  show(showing: Showing): Promise<BuiltDocument>;
  /** Ends work in progress. */
  close(): Promise<void>;
}

/** Waits before further attempts. */
const pausesMs = [200, 1_000];

const threadOf = (task: Task): Worker =>
  new Worker(taskFile, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: threadHeapMb } });

/** A thread ended before its task, which may be retried, unlike a failed task. */
class ThreadLost extends Error {
  override readonly name = 'ThreadLost';
}

async function despiteLostThreads<Made>(make: () => Promise<Made>): Promise<Made> {
  for (const pauseMs of pausesMs)
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      await delay(pauseMs, undefined, { ref: false });
    }
  return make();
}

/** Runs each task in its own thread. Callers cache the results. */
export function createBuilder(start: (task: Task) => Worker = threadOf): Builder {
  const threads = new Set<Worker>();
  // Handles foreign documents one at a time, as several would take too much.
  let foreign: Promise<unknown> = Promise.resolve();
  let closed = false;
  const run = <Made>(task: Task, timeoutMs: number | null): Promise<Made> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error('no documents are made any more'));
      const thread = start(task);
      const timer =
        timeoutMs === null
          ? undefined
          : setTimeout(() => {
              void thread.terminate();
            }, timeoutMs);
      threads.add(thread);
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', (code) => {
        clearTimeout(timer);
        threads.delete(thread);
        reject(new ThreadLost(`the thread that makes OpenAPI documents ended with code ${code} before it was done`));
      });
    });
  const inTurn = (task: Task): Promise<BuiltDocument> => {
    const made = foreign.then(() => run<BuiltDocument>(task, foreignMs));
    foreign = made.catch(() => undefined);
    return made;
  };
  return {
    build: (source, form) => despiteLostThreads(() => run({ make: 'documents', source, form }, null)),
    take: (taking) => inTurn({ make: 'kept', taking }),
    show: (showing) => inTurn({ make: 'shown', showing }),
    close: async () => {
      closed = true;
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}
