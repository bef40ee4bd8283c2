import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { boundLog } from '../../../deploy/logFiles.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('deploy/logFiles', () => {
  const file = path.join(temporaryDirectory('logs'), 'r1.log');
  after(() => {
    fs.rmSync(path.dirname(file), { recursive: true, force: true });
  });

  it('moves a log that has grown too large aside, while whoever writes it goes on', () => {
    const log = fs.openSync(file, 'a');
    try {
      fs.writeSync(log, 'first\n');
      boundLog(file, 10);
      expect(fs.readFileSync(file, 'utf8'), 'within bounds').to.equal('first\n');
      fs.writeSync(log, 'second\n');
      boundLog(file, 10);
      fs.writeSync(log, 'third\n');
      expect([fs.readFileSync(`${file}.1`, 'utf8'), fs.readFileSync(file, 'utf8')]).to.deep.equal(['first\nsecond\n', 'third\n']);
    } finally {
      fs.closeSync(log);
    }
  });

  it('leaves alone what is not there', () => {
    boundLog(`${file}.absent`, 10);
  });
});
