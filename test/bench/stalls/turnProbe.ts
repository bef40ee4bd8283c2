import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { mainThreadCpuMs } from '../processorTime.js';

/** Preloaded into the server under test: writes a line for each long turn of the event loop: wall-clock end and processor milliseconds. */
const fromMs = 10;
const file = process.env['TURN_PROBE_FILE'];

if (isMainThread && file !== undefined && process.platform === 'linux') {
  let before = mainThreadCpuMs(process.pid);
  const turn = (): void => {
    const now = mainThreadCpuMs(process.pid);
    if (now - before >= fromMs) appendFileSync(file, `${performance.timeOrigin + performance.now()} ${now - before}\n`);
    before = now;
    setImmediate(turn).unref();
  };
  turn();
}
