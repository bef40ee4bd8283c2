import { access } from './options/access.js';
import { coverage } from './options/coverage.js';
import { doors } from './options/doors.js';
import { files } from './options/files.js';
import { limits } from './options/limits.js';
import { managerDoors } from './options/managerDoors.js';
import { managerLoops } from './options/managerLoops.js';
import { managers } from './options/managers.js';
import { refusals } from './options/refusals.js';
import { stores } from './options/stores.js';

/** Every option of both bundled programs, by its external effect. */
describe('cluster/options', () => {
  doors();
  limits();
  access();
  files();
  stores();
  managers();
  managerDoors();
  managerLoops();
  refusals();
  coverage();
});
