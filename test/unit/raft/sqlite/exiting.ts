import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { chooseSqlite } from '../../../../raft/sqlite/driver.js';
import { gateOfThread, useGate } from '../../../../raft/sqlite/gate.js';

/** Exits with status 7 while its thread uses SQLite. */
if (isMainThread) {
  const { gate, ended } = gateOfThread();
  new Worker(new URL(import.meta.url), { workerData: gate }).once('exit', ended).once('message', () => process.exit(7));
} else {
  useGate(workerData as SharedArrayBuffer);
  const db = chooseSqlite().open(':memory:');
  const statement = db.prepare<[], { text: string }>("SELECT 'some text' AS text, x'00' AS bytes, 7 AS number");
  for (let count = 0; ; count += 1) {
    statement.all();
    if (count === 1000) parentPort?.postMessage('works');
  }
}
