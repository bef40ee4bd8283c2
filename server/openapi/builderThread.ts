import { parentPort, workerData } from 'node:worker_threads';
import { buildDocuments, type BuiltDocument, type BuiltDocuments, type Form, type Source } from './build.js';
import { show, take, type Showing, type Taking } from './remote/tasks.js';

export type Task =
  | { readonly make: 'documents'; readonly source: Source; readonly form: Form }
  | { readonly make: 'kept'; readonly taking: Taking }
  | { readonly make: 'shown'; readonly showing: Showing };

/** The thread's entry point: runs a task, returns the result and ends. */
function made(task: Task): BuiltDocuments | BuiltDocument {
  switch (task.make) {
    case 'documents':
      return buildDocuments(task.source, task.form);
    case 'kept':
      return take(task.taking);
    case 'shown':
      return show(task.showing);
  }
}

parentPort?.postMessage(made(workerData as Task));
