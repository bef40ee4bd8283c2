import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { roomOf } from './circles.js';
import { importsOf, rules, table, violations } from './rules.js';

/** Every TypeScript file by path from the root. */
function sources(): string[] {
  return ['api', 'raft', 'workers', 'program', 'cel', 'server', 'controllers', 'deploy', 'console', 'test']
    .filter((folder) => fs.existsSync(path.join(packageRoot, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file))
        .map((file) => `${folder}/${file.split(path.sep).join('/')}`),
    );
}
const read = (file: string): string => fs.readFileSync(path.join(packageRoot, file), 'utf8');

/** This file contains samples of forbidden text. */
const own = 'test/unit/layers/layers.test.ts';

describe('layers', () => {
  it('lets no file import from where it may not', () => {
    expect(sources().flatMap((file) => violations(file, importsOf(file, read(file))))).to.deep.equal([]);
  });

  it('imports with the endings that Node needs, and files that exist', () => {
    const wrong = sources()
      .filter((file) => file !== own)
      .flatMap((file) =>
        importsOf(file, read(file))
          .filter(({ target }) => target !== null)
          .flatMap(({ target, specifier }) => {
            if (!specifier.endsWith('.js')) return [`${file}: ${specifier} lacks .js`];
            return ['.ts', '.tsx'].some((ending) => fs.existsSync(path.join(packageRoot, (target ?? '').replace(/\.js$/, ending))))
              ? []
              : [`${file}: ${specifier} does not exist`];
          }),
      );
    expect(wrong).to.deep.equal([]);
  });

  it('says in CONTRIBUTING.md what its rules say: UPDATE=1 npm test -- unit/layers writes them there', () => {
    const file = path.join(packageRoot, 'CONTRIBUTING.md');
    const text = fs.readFileSync(file, 'utf8');
    const block = /\| folder \| what lives there[\s\S]*?(?=\n\n)/;
    if (process.env['UPDATE'] === '1') fs.writeFileSync(file, text.replace(block, table));
    expect(block.exec(fs.readFileSync(file, 'utf8'))?.[0]).to.equal(table());
  });

  it('has a rule for each room', () => {
    const rooms = new Set(
      sources().flatMap((file) => (file.split('/').length > 2 || !file.startsWith('server/') ? [`${roomOf(file)}/`] : [])),
    );
    const described = rules.flatMap(({ from, about }) => (about === undefined ? [] : [from]));
    expect([...rooms].filter((room) => !described.includes(room))).to.deep.equal([]);
  });

  it('names files in camelCase', () => {
    const others = sources().filter((file) => !/^[a-z][A-Za-z0-9]*(\.property)?(\.test|\.d)?\.tsx?$/.test(path.posix.basename(file)));
    expect(others).to.deep.equal([]);
  });

  it('has no drawers for leftovers', () => {
    expect(sources().filter((file) => /(^|\/)(utils?|helpers?|misc|common)(\/|\.ts$)/i.test(file))).to.deep.equal([]);
  });

  it('knows nothing of the machine it was written on', () => {
    const folders = [/\/work\/(?:main|shared)/, /\/home\/[a-z]+\//, /\/root\/[.a-z]/, /\/Users\/[a-z]+\//];
    expect(sources().filter((file) => file !== own && folders.some((folder) => folder.test(read(file))))).to.deep.equal([]);
  });

  it('explains every file over 500 lines in its first comment', () => {
    const large = sources().filter((file) => read(file).split('\n').length > 500);
    expect(large.filter((file) => !/\/\*\*[\s\S]*?\*\//.test(read(file).split('\n').slice(0, 60).join('\n')))).to.deep.equal([]);
  });
});

describe('layers/rules', () => {
  const importing = (file: string, specifier: string, typeOnly = false): string[] =>
    violations(file, importsOf(file, `import ${typeOnly ? 'type ' : ''}{ x } from '${specifier}';`));

  it('finds imports of every form', () => {
    const text =
      "import a from './a.js';\nimport type { B } from '../b.js';\nexport * from \"./c.js\";\nimport './d.js';\nconst e = await import('./e.js');\nimport {\n  f,\n} from './f.js';\ntype G = import('./g.js').G;";
    expect(importsOf('server/http/x.ts', text).map(({ target }) => target)).to.have.members([
      'server/http/a.js',
      'server/b.js',
      'server/http/c.js',
      'server/http/d.js',
      'server/http/e.js',
      'server/http/f.js',
      'server/http/g.js',
    ]);
  });

  it('allows what the architecture allows', () => {
    for (const [file, specifier] of [
      ['raft/replica.ts', './core/raft.js'],
      ['api/types/apps/v1.ts', '../../meta/resource.js'],
      ['server/kinds/apps/x.ts', '../../../api/types/apps/v1.js'],
      ['controllers/job/plan.ts', '../../api/time.js'],
      ['workers/schema/check.ts', '../../api/catalogue/types.js'],
      ['server/storage/raft.ts', '../../raft/index.js'],
      ['server/http/server.ts', '../endpoints/get.js'],
      ['server/endpoints/get.ts', '../registry/registry.js'],
      ['server/registry/store.ts', '../storage/contract.js'],
      ['server/registry/store.ts', '../../api/status.js'],
      ['server/main.ts', './http/server.js'],
      ['controllers/main.ts', '../program/version.js'],
      ['program/port/listener.ts', './connections/turns.js'],
      ['server/http/chain.ts', '../../program/port/connections/index.js'],
      ['raft/core/raft.ts', '../types.js'],
      ['test/unit/x.test.ts', '../../deploy/cluster.js'],
      ['controllers/client/encoding.ts', '../../workers/codecs/protobuf/index.js'],
      ['test/unit/x.test.ts', '../../server/main.js'],
    ] as const)
      expect(importing(file, specifier), `${file} -> ${specifier}`).to.deep.equal([]);
  });

  it('refuses what the architecture forbids', () => {
    for (const [file, specifier] of [
      ['raft/replica.ts', '../api/status.js'],
      ['server/registry/store.ts', '../kinds/apps/deployments.js'],
      ['raft/replica.ts', '../workers/pool.js'],
      ['api/time.ts', '../program/version.js'],
      ['api/selectors.ts', '../controllers/client/rest.js'],
      ['server/main.ts', '../api/generate/generate.js'],
      ['workers/pool.ts', '../raft/types.js'],
      ['workers/pool.ts', '../server/http/server.js'],
      ['server/storage/raft.ts', '../../raft/core/raft.js'],
      ['server/storage/contract.ts', '../registry/store.js'],
      ['server/registry/store.ts', '../endpoints/get.js'],
      ['server/endpoints/get.ts', '../http/server.js'],
      ['controllers/main.ts', '../server/registry/store.js'],
      ['server/main.ts', '../deploy/files.js'],
      ['deploy/cluster.ts', '../server/main.js'],
      ['raft/core/raft.ts', '../../test/fixtures/x.js'],
      ['controllers/job/facts.ts', '../../workers/codecs/json.js'],
      ['controllers/client/rest.ts', '../../workers/pool.js'],
      ['raft/core/raft.ts', '../log/log.js'],
      ['api/object.ts', '../http/server.js'],
      ['deploy/cluster.ts', '../test/run.js'],
      ['server/http/chain.ts', '../../program/port/connections/slots.js'],
    ] as const)
      expect(importing(file, specifier), `${file} -> ${specifier}`).to.have.length(1);
    expect(importing('server/storage/raft.ts', '../../raft/replicaApi.js', true)).to.have.length(1);
    expect(importing('raft/core/raft.ts', 'node:fs')).to.have.length(1);
  });
});
