import { Worker } from 'node:worker_threads';
import type { BuiltDocument, BuiltDocuments, Form, Source } from './build.js';
import type { Task } from './builderThread.js';
import type { Showing, Taking } from './remote/tasks.js';

/** The compiled entry point stands beside this file, in whatever directory the compiler wrote both. */
const taskFile = new URL('./builderThread.js', import.meta.url);
/** Memory of the thread while it runs. */
const threadHeapMb = 512;
/** Time that a document of another program may take; those of this server take some hundred milliseconds. */
const foreignMs = 20_000;

export interface Builder {
  /** Documents of a form, made now. Rejects when they cannot be made. */
  build(source: Source, form: Form): Promise<BuiltDocuments>;
  /** What is kept of another program's document. Rejects for what is none, and for what takes too much memory or time. */
  take(taking: Taking): Promise<BuiltDocument>;
  /** Another program's document as it is sent. */
  show(showing: Showing): Promise<BuiltDocument>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Makes documents, each time in a thread that exists only while it works. Who asks keeps them, and does not ask for the same twice. */
export function createBuilder(): Builder {
  const threads = new Set<Worker>();
  // Of what others wrote, one document at a time: together they may not take more memory and processors than one.
  let foreign: Promise<unknown> = Promise.resolve();
  let closed = false;
  const run = <Made>(task: Task, timeoutMs: number | null): Promise<Made> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error('no documents are made any more'));
      const thread = new Worker(taskFile, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: threadHeapMb } });
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
        reject(new Error(`the thread that makes OpenAPI documents ended with code ${code} before it was done`));
      });
    });
  const inTurn = (task: Task): Promise<BuiltDocument> => {
    const made = foreign.then(() => run<BuiltDocument>(task, foreignMs));
    foreign = made.catch(() => undefined);
    return made;
  };
  return {
    build: (source, form) => run({ make: 'documents', source, form }, null),
    take: (taking) => inTurn({ make: 'kept', taking }),
    show: (showing) => inTurn({ make: 'shown', showing }),
    close: async () => {
      closed = true;
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}
