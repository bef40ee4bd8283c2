/**
 * A process to be killed, traced or limited: `appender.js PATH GROUPS BYTES [leave]`. With `leave` it ends without closing the log. Appends groups of three
 * entries, compacts at times, and prints the last index of each durable group; prints `failed CODE refused CODE` after a disk error.
 */
import { StorageError } from '../../../../raft/sqlite/errors.js';
import { logIndex } from '../../../../raft/types.js';
import { sayNow } from '../../../fixtures/sayNow.js';
import { entry, open, state } from './entries.js';

const groupSize = 3;
const [path = '', groups = '0', bytes = '100', end = ''] = process.argv.slice(2);
// Handling the signal of a file size limit turns it into a write error.
process.on('SIGXFSZ', () => {});

const log = open(path);
try {
  appendGroups();
  if (end !== 'leave') log.close();
} catch (error) {
  sayNow(`failed ${codeOf(error)} refused ${refusal()}`);
}

function appendGroups(): void {
  for (let group = 0; group < Number(groups); group += 1) {
    const first = log.lastIndex + 1;
    const added = Array.from({ length: groupSize }, (_, place) => entry(first + place, 1, `${first + place}:`.padEnd(Number(bytes), '.')));
    log.append({ hardState: state(1, null, first - 1), entries: added });
    if (group % 50 === 49) log.compactTo(logIndex(log.lastIndex - 40));
    sayNow(String(log.lastIndex));
  }
}

function refusal(): string {
  try {
    log.append({ hardState: null, entries: [entry(log.lastIndex + 1, 1)] });
    return 'nothing';
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof StorageError ? error.code : String(error);
}
