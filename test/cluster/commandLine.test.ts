import { programFile } from '../../deploy/programs.js';
import { commandLineTests } from './commandLineTests.js';

describe('cluster/command line', () => {
  commandLineTests(() => [process.execPath, programFile('apiserver')]);
});
