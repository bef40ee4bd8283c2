import { Worker } from 'node:worker_threads';
import type { BuiltDocuments, Form, Source } from './build.js';

/** The compiled entry point stands beside this file, in whatever directory the compiler wrote both. */
const taskFile = new URL('./builderThread.js', import.meta.url);
/** Memory of the thread while it runs. */
const threadHeapMb = 512;

export interface Builder {
  /** Documents of a form, made now. Rejects when they cannot be made. */
  build(source: Source, form: Form): Promise<BuiltDocuments>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Makes documents, each time in a thread that exists only while it works. Who asks keeps them, and does not ask for the same twice. */
export function createBuilder(): Builder {
  const threads = new Set<Worker>();
  return {
    build: (source, form) =>
      new Promise((resolve, reject) => {
        const thread = new Worker(taskFile, { workerData: { source, form }, resourceLimits: { maxOldGenerationSizeMb: threadHeapMb } });
        threads.add(thread);
        thread.once('message', resolve);
        thread.once('error', reject);
        thread.once('exit', (code) => {
          threads.delete(thread);
          reject(new Error(`the thread that makes OpenAPI documents ended with code ${code} before it was done`));
        });
      }),
    close: async () => {
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}
