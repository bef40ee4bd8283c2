#!/usr/bin/env node
/**
 * Changes the sources of a folder in one small place after the other, and shows the changes that no unit test notices. StrykerJS does the work
 * (docs/decisions/0019-mutation-tester.md); this file chooses sources and tests for it, and reports.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { report } from './report.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(path.dirname(here));

const usage = `usage: npm run mutate -- [OPTION...] FOLDER-OR-FILE...

Turns an operator, fixes or drops a condition, empties a block of the named sources, one at a time, and runs the unit tests that reach the place.
Prints each change that no test noticed, and the score by file: noticed changes of all. Literals of text and numbers stay as they are.

  --tests FOLDER  unit tests of this folder too (those of the same folder below test/unit always run); may be repeated
  --only PART     of these tests, those whose file has this in its path; may be repeated
  --except PART   no tests whose file has this in its path, such as those that a busy machine makes fail; may be repeated
  --sample N      only N of the changes
  --seed N        which N (1)
  --static        also what modules do when they are loaded, such as tables; each such change needs a process of its own
  --jobs N        processes (1)
  --min SCORE     status 1 below this score, in percent

  npm run mutate -- server/authorization
  npm run mutate -- --sample 100 --seed 7 controllers/deployment
  npm run mutate -- --only abac server/authorization/abac.ts # a file by its own test: seconds
  npm run mutate -- server/authorization/abac.ts:40-80       # these lines
  npm run mutate -- --tests server/http --min 90 server/fairness

Node 22 or newer runs it; an older Node takes the one of .ci/tools.
`;

/** Changes of literals say little, and are many. An optional link that is needless for the types is often there for a type that is too wide. */
const excludedMutations = ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration', 'Regex', 'OptionalChaining'];

function parse(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        tests: { type: 'string', multiple: true, default: [] },
        only: { type: 'string', multiple: true, default: [] },
        except: { type: 'string', multiple: true, default: [] },
        sample: { type: 'string' },
        seed: { type: 'string', default: '1' },
        static: { type: 'boolean', default: false },
        jobs: { type: 'string', default: '1' },
        min: { type: 'string', default: '0' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) return end(usage, 0);
    for (const name of ['sample', 'seed', 'jobs', 'min'])
      if (Number.isNaN(Number(values[name] ?? 0))) throw new Error(`--${name} takes a number`);
    if (positionals.length === 0) throw new Error('a folder is missing');
    return { ...values, places: positionals.map((place) => place.replace(/\/$/, '')) };
  } catch (error) {
    return end(`${error.message}; see npm run mutate -- --help\n`, 2);
  }
}

function end(text, status) {
  (status === 0 ? process.stdout : process.stderr).write(text);
  process.exit(status);
}

const filesBelow = (folder, ending) =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(ending))
        .map((file) => path.join(folder, file))
        .sort()
    : [];

/** The place without its lines. */
const fileOf = (place) => place.replace(/:[\d:-]+$/, '');

function sourcesOf(places) {
  return places.flatMap((place) => {
    const file = fileOf(place);
    if (!fs.existsSync(file)) end(`${file} does not exist\n`, 2);
    return file.endsWith('.ts') ? [file] : filesBelow(file, '.ts');
  });
}

/** Compiled unit tests that stand where the sources stand. */
function testsOf({ places, tests, only, except }) {
  const folders = [...places.map(fileOf).map((file) => (file.endsWith('.ts') ? path.dirname(file) : file)), ...tests];
  const found = folders.flatMap((folder) => filesBelow(path.join('dist', 'test', 'unit', folder), '.test.js'));
  const files = found
    .filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
    .filter((file) => !except.some((part) => file.includes(part)));
  if (files.length === 0) end(`no compiled tests in test/unit/${folders.join(', test/unit/')}; npm run build makes them\n`, 2);
  return [...new Set(files)];
}

function install() {
  const tool = path.join(here, 'node_modules', '.package-lock.json');
  if (!fs.existsSync(tool)) npmCi(here);
  if (Number(process.versions.node.split('.')[0]) >= 22) return;
  const node = path.join(root, '.ci', 'tools', 'node_modules', 'node22', 'bin', 'node');
  if (!fs.existsSync(node)) npmCi(path.join(root, '.ci', 'tools'));
  if (!fs.existsSync(node)) end('Node 22 or newer is needed\n', 2);
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit', cwd: root });
  process.exit(status ?? 1);
}

function npmCi(folder) {
  process.stderr.write(`installing ${path.relative(root, folder)}\n`);
  const { status } = spawnSync('npm', ['ci', '--prefix', folder, '--no-fund', '--no-audit', '--loglevel=error'], { stdio: 'inherit' });
  if (status !== 0) end('npm ci failed; its messages are above\n', 1);
}

/** Compiles the changed sources alone; the rest of the copy is compiled already. */
function buildCommand(sources) {
  const esbuild = path.join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
  return `${process.execPath} ${esbuild} --log-level=warning --outbase=. --outdir=dist --format=esm --platform=node --target=node22 ${sources.join(' ')}`;
}

function strykerOptions(choice, sources) {
  return {
    mutate: choice.places.map((place) => (/\.ts(:[\d:-]+)?$/.test(place) ? place : `${place}/**/*.ts`)),
    mutator: { excludedMutations },
    plugins: [path.join(here, 'mochaRunner.mjs')],
    testRunner: 'unit',
    checkers: choice.sample === undefined ? [] : ['sample'],
    coverageAnalysis: 'perTest',
    ignoreStatic: !choice.static,
    buildCommand: buildCommand(sources),
    // A busy machine may need this beyond the multiple.
    timeoutFactor: 3,
    timeoutMS: 5000,
    concurrency: Number(choice.jobs),
    // No file: Stryker would rewrite it with an interface that TypeScript 7 lacks.
    tsconfigFile: 'none',
    ignorePatterns: ['/.build', '/.ci', '/docs/api', '/dist/programs', '/dist/types', '/dist/**/*.map', '/dist/**/*.d.ts'],
    // Stryker removes the folder of a run.
    tempDirName: path.join('.build', `mutate-${process.pid}`),
    reporters: ['progress-append-only', 'at-once'],
    logLevel: 'warn',
    allowConsoleColors: false,
  };
}

const choice = parse(process.argv.slice(2));
install();
process.chdir(root);
const sources = sourcesOf(choice.places);
process.env.MUTATE_TESTS = JSON.stringify(testsOf(choice));
process.env.MUTATE_SEED = choice.seed;
if (choice.static) process.env.MUTATE_STATIC = 'true';
if (choice.sample !== undefined) process.env.MUTATE_SAMPLE = choice.sample;
const { Stryker } = await import('@stryker-mutator/core');
const mutants = await new Stryker(strykerOptions(choice, sources)).runMutationTest();
const score = report(root, mutants, choice.sample === undefined ? undefined : Number(choice.sample));
process.exit(score < Number(choice.min) ? 1 : 0);
