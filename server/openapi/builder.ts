import { Worker } from 'node:worker_threads';
import type { BuiltDocuments, Form, Source } from './build.js';

/** The compiled entry point stands beside this file, in whatever directory the compiler wrote both. */
const TASK_FILE = new URL('./builderThread.js', import.meta.url);
/** Memory of the thread while it runs. */
const THREAD_HEAP_MB = 256;

export interface Builder {
  /** Documents of a form. Made when first asked for and then kept; a failure is told to whoever waits, and tried again by the next one. */
  documents(form: Form): Promise<BuiltDocuments>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/**
 * Makes documents in a thread that exists only while it works. There are at most four forms, so at most four threads ever run, and most
 * servers start one.
 */
export function createBuilder(source: Source): Builder {
  const made = new Map<string, Promise<BuiltDocuments>>();
  const threads = new Set<Worker>();

  const build = (form: Form): Promise<BuiltDocuments> => new Promise((resolve, reject) => {
    const thread = new Worker(TASK_FILE, { workerData: { source, form }, resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB } });
    threads.add(thread);
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', code => {
      threads.delete(thread);
      reject(new Error(`the thread that makes OpenAPI documents ended with code ${code} before it was done`));
    });
  });

  return {
    documents(form) {
      const key = `${form.version} ${form.encoding}`;
      const known = made.get(key);
      if (known !== undefined) return known;
      const documents = build(form);
      made.set(key, documents);
      documents.catch(() => { made.delete(key); });
      return documents;
    },
    close: async () => { await Promise.all([...threads].map(thread => thread.terminate())); },
  };
}
