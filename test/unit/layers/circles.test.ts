import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { circlesIn, problemsAbout, tiesAmong, tiesOfRooms } from './circles.js';

const among = (files: Readonly<Record<string, string>>): ReturnType<typeof tiesAmong> => tiesAmong(new Map(Object.entries(files)));

/**
 * The product's files have no circular imports, types included. Files in a circle cannot be read or tested alone, and their constants depend on the load
 * order. Shared parts belong into a file below both, or behind an interface of the lower one.
 */
describe('layers/circles', () => {
  const products = new Map(
    ['api', 'raft', 'workers', 'program', 'cel', 'server', 'controllers', 'deploy', 'console'].flatMap((folder) =>
      fs
        .readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file))
        .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
        .map((file) => [file, fs.readFileSync(path.join(packageRoot, file), 'utf8')] as const),
    ),
  );

  it('are nowhere in the product', () => {
    const ties = tiesAmong(products);
    expect(ties.length, 'imports that were found').to.be.greaterThan(products.size);
    expect(problemsAbout(ties)).to.deep.equal([]);
  });

  it('are not among rooms either', () => {
    expect(problemsAbout(tiesOfRooms(tiesAmong(products)))).to.deep.equal([]);
  });

  it('are seen among rooms whose files are in no circle', () => {
    const ties = among({
      'server/a/one.ts': "import type { Two } from '../b/two.js';",
      'server/b/two.ts': 'export interface Two {}',
      'server/b/three.ts': "import { four } from '../a/four.js';",
      'server/a/four.ts': "import { x } from '../../api/x.js';",
      'api/x.ts': "import { y } from './deep/y.js';",
      'api/deep/y.ts': '',
    });
    expect(problemsAbout(ties)).to.deep.equal([]);
    expect(problemsAbout(tiesOfRooms(ties))).to.deep.equal([['server/a imports Two of server/b', 'server/b imports four of server/a']]);
  });

  it('are seen through types, exports and any number of files, with what ties them', () => {
    const ties = among({
      'server/a.ts': "import type { B as Other } from './b.js';\nimport fs from 'node:fs';",
      'server/b.ts': "import {\n  c,\n  type C,\n} from './c/c.js';\nimport { d } from './d.js';",
      'server/c/c.tsx': "export { a } from '../a.js';",
      'server/d.ts': 'export const d = 1;',
    });
    expect(problemsAbout(ties)).to.deep.equal([
      ['server/a.ts imports B of server/b.ts', 'server/b.ts imports c, C of server/c/c.tsx', 'server/c/c.tsx imports a of server/a.ts'],
    ]);
  });

  it('are told apart, and files that share one below them are in none', () => {
    const ties = among({
      'a.ts': "import { b } from './b.js';\nimport { e } from './e.js';",
      'b.ts': "import { a } from './a.js';\nimport { c } from './c.js';",
      'c.ts': "import { d } from './d.js';\nimport { e } from './e.js';",
      'd.ts': "import { c } from './c.js';",
      'e.ts': '',
    });
    expect(circlesIn(ties)).to.deep.equal([
      ['c.ts', 'd.ts'],
      ['a.ts', 'b.ts'],
    ]);
  });
});
