import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { shownElsewhere, unprobed } from './asserted.js';
import { assertedOptions, specifiedOptions, unshownRows } from './probed.js';

/** Every option has a row of the table, and every row a test. */
export function coverage(): void {
  for (const program of ['apiserver', 'controller-manager'] as const)
    it(`every option of ${program} is looked at, or it is said why not`, () => {
      const specified = specifiedOptions(program);
      const [shown, elsewhere, without] = [assertedOptions(program), shownElsewhere[program], unprobed[program]];
      expect(unshownRows(program), 'without one test').to.deep.equal([]);
      const left = specified.filter((name) => !shown.has(name) && elsewhere[name] === undefined && without[name] === undefined);
      expect(left, 'neither probed nor listed').to.deep.equal([]);
      expect(
        Object.keys({ ...elsewhere, ...without }).filter((name) => shown.has(name)),
        'listed, and probed: take it from the list',
      ).to.deep.equal([]);
      expect([...shown, ...Object.keys(without)].filter((name) => !specified.includes(name))).to.deep.equal([]);
      for (const [name, test] of Object.entries(elsewhere))
        expect(fs.readFileSync(path.join(packageRoot, 'test/cluster', `${test}.test.ts`), 'utf8'), name).to.match(
          new RegExp(`--${name}|${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`),
        );
    });
}
