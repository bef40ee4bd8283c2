/** A process to be killed: `restorer.js STORE SNAPSHOT INDEX` opens the store, restores the snapshot, and says so. */
import { writeSync } from 'node:fs';
import { logIndex, term } from '../../../raft/types.js';
import { initialMembership, open } from './commands.js';

const [path = '', snapshot = '', index = ''] = process.argv.slice(2);
const store = open(path);
store.restoreFrom(snapshot, { index: logIndex(Number(index)), term: term(1), membership: initialMembership });
writeSync(1, 'restored\n');
store.close();
