import { parentPort, workerData } from 'node:worker_threads';
import { buildDocuments, type Form, type Source } from './build.js';

/** Entry point of the thread that makes documents: it makes those of one form, hands them over and ends. */
const { source, form } = workerData as { readonly source: Source; readonly form: Form };
parentPort?.postMessage(buildDocuments(source, form));
