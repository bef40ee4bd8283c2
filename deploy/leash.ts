import { isMainThread } from 'node:worker_threads';
import { outliveFullDisk } from './logFiles.js';

/**
 * Loaded into every process that the launcher starts (`node --import leash.js program.js`). When the launcher is gone, the channel closes and this process
 * ends as after SIGTERM.
 */

/** A process that has not ended by then exits at once. */
const lastResortMs = 15_000;

// Worker threads inherit the process's flags and load this too, but the main thread has the channel.
if (isMainThread && process.channel) {
  outliveFullDisk();
  process.channel.unref();
  process.once('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastResortMs).unref();
    process.kill(process.pid, 'SIGTERM');
  });
}
