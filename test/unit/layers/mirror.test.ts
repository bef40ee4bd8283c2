import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { importsOf } from './rules.js';

const unit = path.join(packageRoot, 'test', 'unit');

/** Folders with tests of the whole repository. */
const general = ['layers', 'specification'];
/** Folders with tests of the tools in `test`. */
const tools = ['bench', 'torture'];

const tests = fs
  .readdirSync(unit, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => file.endsWith('.test.ts') && !general.includes(file.split('/')[0] ?? ''));

/** The folder that a test's folder covers. */
const subjectOf = (file: string): string => {
  const folder = path.posix.dirname(file);
  return tools.includes(folder.split('/')[0] ?? '') ? `test/${folder}` : folder;
};

/** `server/endpoints` for `server/endpoints/verbs`: tests with a server in memory enter through the room. */
const roomOfFolder = (folder: string): string => `${folder.split('/').slice(0, 2).join('/')}/`;

const isSource = (file: string): boolean => !/^test\/(unit|fixtures)\//.test(file);

/** Modules that a test imports, also through files in `test`. */
function reached(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.startsWith('test/')) return seen;
  for (const { target } of importsOf(file, fs.readFileSync(path.join(packageRoot, file), 'utf8'))) {
    const source = target?.replace(/\.js$/, '.ts');
    if (source !== undefined && fs.existsSync(path.join(packageRoot, source))) reached(source, seen);
  }
  return seen;
}

describe('layers/mirror', () => {
  it('the folders of unit tests are those of the sources', () => {
    const unknown = new Set(tests.map(subjectOf).filter((folder) => !fs.existsSync(path.join(packageRoot, folder))));
    expect([...unknown]).to.deep.equal([]);
  });

  it('a unit test reaches a module of the room whose place it has', () => {
    const strange = tests.filter((file) => {
      const modules = [...reached(`test/unit/${file}`)].filter((each) => !each.startsWith('test/') || subjectOf(file).startsWith('test/'));
      // Some tests start programs or read documents.
      return modules.some(isSource) && !modules.some((each) => `${each}/`.startsWith(roomOfFolder(subjectOf(file))));
    });
    expect(strange).to.deep.equal([]);
  });
});
