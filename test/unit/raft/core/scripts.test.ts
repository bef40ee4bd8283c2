import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { scriptText, ScriptedCluster, stepsIn } from './scripted.js';

const folder = path.join(packageRoot, 'test', 'unit', 'raft', 'core', 'scripts');

/**
 * Each script runs a scenario of several servers message by message. `UPDATE=1 npm test -- unit/raft/core/scripts` rewrites the output: review the difference.
 */
describe('scripts of the Raft core', () => {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    const script = fs.readFileSync(file, 'utf8');
    const { title, steps } = stepsIn(script);
    it(title, () => {
      const [first, ...others] = steps;
      const [, ...ids] = first?.command.split(' ') ?? [];
      const cluster = new ScriptedCluster(ids);
      const played = [
        { command: first?.command ?? '', output: '' },
        ...others.map(({ command }) => ({ command, output: cluster.run(command) })),
      ];
      const text = scriptText(title, played);
      if (process.env['UPDATE'] === '1') fs.writeFileSync(file, text);
      else expect(text).to.equal(script);
    });
  }
});
