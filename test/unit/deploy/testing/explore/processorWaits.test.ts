import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { ProcessorWaits } from '../../../../../deploy/testing/explore/processorWaits.js';
import { temporaryDirectory } from '../../../../fixtures/temporaryDirectory.js';

describe('testing/explore/processorWaits', () => {
  const folder = temporaryDirectory('processor-waits');
  const thread = (pid: number, tid: number, text: string): void => {
    const task = path.join(folder, `${pid}`, 'task', `${tid}`);
    fs.mkdirSync(task, { recursive: true });
    fs.writeFileSync(path.join(task, 'schedstat'), text);
  };

  it('tells the longest wait of one thread since the last time', () => {
    thread(1, 1, '100 5000000 7\n');
    thread(1, 2, '100 1000000 7\n');
    thread(2, 2, '100 9000000 7\n');
    const waits = new ProcessorWaits(() => [1, 2], folder);
    expect(waits.sinceLastMs()).to.equal(0);
    thread(1, 1, '200 8000000 8\n');
    thread(1, 2, '200 2000000 8\n');
    expect(waits.sinceLastMs()).to.equal(3);
    expect(waits.sinceLastMs()).to.equal(0);
  });

  it('tells of nobody who waits where the system does not tell, or the process has ended', () => {
    thread(3, 3, '');
    const waits = new ProcessorWaits(() => [3, 4], folder);
    expect([waits.sinceLastMs(), waits.sinceLastMs()]).to.deep.equal([0, 0]);
  });
});
