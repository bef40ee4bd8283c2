/** A process to be killed: `restorer.js STORE SNAPSHOT INDEX` opens the store, restores the snapshot, and reports it. */
import { logIndex, term } from '../../../../raft/types.js';
import { sayNow } from '../../../fixtures/sayNow.js';
import { initialMembership, open } from './commands.js';

const [path = '', snapshot = '', index = ''] = process.argv.slice(2);
const store = open(path);
store.restoreFrom(snapshot, { index: logIndex(Number(index)), term: term(1), membership: initialMembership });
sayNow('restored');
store.close();
