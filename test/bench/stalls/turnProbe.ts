import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the server under test before its program: writes a line "end, in milliseconds of the wall clock; milliseconds of processor time" to a file for each turn of
 * the event loop that takes long. Processor time says how long a turn is whatever else the machine does. Linux alone tells it of one thread.
 */
const fromMs = 10;
const file = process.env['TURN_PROBE_FILE'];
const schedulerStatistics = `/proc/self/task/${process.pid}/schedstat`;

/** Nanoseconds on a processor are the first number. */
const processorMs = (): number => Number(readFileSync(schedulerStatistics, 'latin1').split(' ')[0]) / 1e6;

if (isMainThread && file !== undefined && process.platform === 'linux') {
  let before = processorMs();
  const turn = (): void => {
    const now = processorMs();
    if (now - before >= fromMs) appendFileSync(file, `${performance.timeOrigin + performance.now()} ${now - before}\n`);
    before = now;
    setImmediate(turn).unref();
  };
  turn();
}
