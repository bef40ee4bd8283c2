import { parentPort, workerData } from 'node:worker_threads';
import { buildDocuments, type BuiltDocument, type BuiltDocuments, type Form, type Source } from './build.js';
import { show, take, type Showing, type Taking } from './remote/tasks.js';

/** One thing to make. Plain data. */
export type Task =
  | { readonly make: 'documents'; readonly source: Source; readonly form: Form }
  | { readonly make: 'kept'; readonly taking: Taking }
  | { readonly make: 'shown'; readonly showing: Showing };

/** Entry point of the thread that makes documents: it makes what it is told, hands it over and ends. */
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
