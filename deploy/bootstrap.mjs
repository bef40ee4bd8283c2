#!/usr/bin/env node
/**
 * Runs first on a fresh clone, so it is plain JavaScript without dependencies. It installs missing packages, builds changed sources, and runs the requested
 * command. A step with nothing to do takes milliseconds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeBinary } from './binary/build.mjs';
import { bundle } from './bundle.mjs';
import { bundleTypes } from './packageTypes.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const sourceFolders = ['api', 'raft', 'workers', 'program', 'cel', 'server', 'controllers', 'deploy', 'console', 'test'];
const dist = path.join(root, 'dist');
const installStamp = path.join(root, 'node_modules', '.install-stamp');
const buildStamp = path.join(dist, '.build-stamp');
const bundleStamp = path.join(dist, '.bundle-stamp');

const commands = {
  start: {
    about: 'start a local cluster (see: npm start -- --help)',
    needs: bundlePrograms,
    run: (args) => inThisProcess('programs/raftplane.js', upArguments(args)),
  },
  test: { about: 'run all tests; further arguments go to mocha', run: (args) => child([path.join(dist, 'test', 'run.js'), ...args], []) },
  build: { about: 'compile into dist/', run: async () => 0 },
  binary: {
    about: 'make an executable that needs no Node (npm run binary -- --help)',
    needs: bundlePrograms,
    run: (args) => makeBinary(root, args),
  },
  pack: { about: 'make what npm pack takes: programs and types', needs: bundlePrograms, run: packTypes },
  generate: {
    about: 'derive api/data and api/types from api/facts, and docs/options.md from the options',
    uncompiled: true,
    run: generate,
  },
  simulate: {
    about: 'run seeded Raft schedules (npm run simulate -- --help)',
    run: (args) => child([path.join(dist, 'test', 'simulation', 'main.js'), ...args]),
  },
  torture: {
    about: 'break a cluster of real processes and check its promises (npm run torture -- --help)',
    run: (args) => child([path.join(dist, 'test', 'torture', 'main.js'), ...args]),
  },
  soak: {
    about: 'send ordinary requests for as long as one likes (npm run soak -- --help)',
    run: (args) => child([path.join(dist, 'test', 'soak', 'main.js'), ...args]),
  },
  fuzz: {
    about: 'throw requests, frames and bodies at a server (npm run fuzz -- --help)',
    run: (args) => child([path.join(dist, 'test', 'fuzz', 'main.js'), ...args]),
  },
  mutate: {
    about: 'change sources in small places, and show what no unit test notices (npm run mutate -- --help)',
    run: (args) => child([path.join(root, '.ci', 'mutate', 'main.mjs'), ...args]),
  },
  bench: {
    about: 'measure throughput (npm run bench -- --help)',
    run: (args) => child([path.join(dist, 'test', 'bench', 'main.js'), ...args]),
  },
  golden: {
    about: 'replay recorded scenarios (npm run golden -- --help)',
    run: (args) => child([path.join(dist, 'test', 'golden', 'main.js'), ...args]),
  },
  differential: {
    about: 'ask another API server and ours the same (npm run differential -- --help)',
    run: (args) => child([path.join(dist, 'test', 'differential', 'main.js'), ...args]),
  },
};

/** A step failed; its own output or this message explains the cause. */
class StepFailed extends Error {}

async function main([name, ...args]) {
  if (name === '--help' || name === '-h') return void console.log(usage());
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (!command) {
    console.error(`${name ? `unknown command ${JSON.stringify(name)}` : 'a command is missing'}\n\n${usage()}`);
    process.exitCode = 2;
    return;
  }
  endWithNpm();
  await install();
  if (!command.uncompiled) await (command.needs ?? build)();
  const status = await command.run(args);
  if (typeof status === 'number') process.exitCode = status;
}

function usage() {
  const lines = Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`);
  return `usage: node deploy/bootstrap.mjs COMMAND [ARGUMENT...]\n\nInstalls missing packages, compiles changed sources, then runs COMMAND:\n\n${lines.join('\n')}`;
}

// ---- install ----

/** The required state of node_modules: the locked versions, and the Node that native code is built for. */
const wantedInstall = () => `${lockedPackages()} abi-${process.versions.modules}`;

const lockedPackages = () =>
  createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');

async function install() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) throw new StepFailed(`Node 20.19 or newer is needed; this is ${process.versions.node}`);
  if (read(installStamp) === wantedInstall()) return;
  if (!isInstalled()) {
    say('installing packages (npm ci)');
    const status = await npm(['ci', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error']);
    if (status !== 0) throw new StepFailed(`npm ci failed with status ${status}; its messages are above.`);
  }
  if (major < 24 && !fastSqliteLoads()) await buildSqlite();
  fs.writeFileSync(installStamp, wantedInstall());
}

const fastSqliteLoads = () =>
  spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:').close()"], { cwd: root, stdio: 'ignore' }).status === 0;

/** better-sqlite3 is the fastest below Node 24. The packages hold another one, which needs no building. */
async function buildSqlite() {
  say('building better-sqlite3 (a binary from github.com, or compiled, which takes minutes)');
  const status = await npm(['rebuild', 'better-sqlite3', '--loglevel=error']);
  if (status !== 0) say('warning: it could not be built, so an SQLite that came with the packages is used; writes take a fifth more');
}

/** True for a node_modules folder that npm reports as complete (after `npm ci` or `npm install` by hand). */
function isInstalled() {
  const installed = read(path.join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const have = JSON.parse(installed).packages;
  const want = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const differs = Object.entries(want).some(
    ([place, { version, optional, devOptional, peer }]) =>
      place !== '' && !optional && !devOptional && !peer && have[place]?.version !== version,
  );
  return !differs;
}

/** Runs npm. The terminal shows its progress; without a terminal, a line is printed every ten seconds. */
async function npm(args) {
  const cli = process.env.npm_execpath;
  const [file, all] = cli && cli.endsWith('.js') ? [process.execPath, [cli, ...args]] : ['npm', args];
  const started = Date.now();
  const ticker = setInterval(() => say(`  still installing (${Math.round((Date.now() - started) / 1000)} s)`), 10_000);
  try {
    return await run(file, all);
  } finally {
    clearInterval(ticker);
  }
}

// ---- build ----

async function build() {
  const sources = listSources(sourceFolders);
  const wanted = fingerprint(sources);
  if (read(buildStamp) === wanted) return;
  say('compiling');
  removeOrphans(new Set(sources));
  const started = Date.now();
  const ticker = setInterval(() => say(`  still compiling (${Math.round((Date.now() - started) / 1000)} s)`), 10_000);
  try {
    const status = await run(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', root]);
    if (status !== 0) throw new StepFailed(`compilation failed with status ${status}; the compiler's messages are above`);
  } finally {
    clearInterval(ticker);
  }
  // Always bundles again: programs must be newer than compiled files.
  fs.rmSync(bundleStamp, { force: true });
  await bundlePrograms(() => undefined);
  fs.writeFileSync(buildStamp, wanted);
  say(`compiled in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** Bundles the programs without type checks: seconds, where all takes a minute. */
async function bundlePrograms(tell = say) {
  const wanted = fingerprint(listSources(sourceFolders.filter((folder) => folder !== 'test')));
  if (read(bundleStamp) === wanted) return;
  tell('bundling the programs');
  fs.mkdirSync(dist, { recursive: true });
  await bundle(root, dist);
  fs.writeFileSync(bundleStamp, wanted);
}

async function packTypes() {
  const declared = path.join(dist, 'declared');
  fs.rmSync(declared, { recursive: true, force: true });
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const status = await run(process.execPath, [compiler, '-p', path.join(root, 'tsconfig.types.json')]);
  if (status === 0) await bundleTypes(root, declared);
  fs.rmSync(declared, { recursive: true, force: true });
  return status;
}

/** Compiled and bundled files are the same for every Node version. */
function fingerprint(sources) {
  return createHash('sha256')
    .update(
      sources
        .map((file) => {
          const { mtimeMs, size } = fs.statSync(path.join(root, file));
          return `${file} ${mtimeMs} ${size}`;
        })
        .join('\n'),
    )
    .update(lockedPackages())
    .digest('hex');
}

function listSources(folders) {
  const files = folders
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true })
        .map((file) => path.join(folder, file))
        .filter((file) => /\.(tsx?|css|html|svg)$|tsconfig\.json$/.test(file)),
    );
  return [...files.sort(), 'tsconfig.json', 'tsconfig.base.json', path.join('deploy', 'bundle.mjs'), path.join('deploy', 'codeCache.mjs')];
}

/** Removes compiled files without a source, which would be run as tests. */
function removeOrphans(sources) {
  if (!fs.existsSync(dist)) return;
  const others = [`programs${path.sep}`, `types${path.sep}`];
  for (const file of fs.readdirSync(dist, { recursive: true }).filter((name) => !others.some((folder) => name.startsWith(folder)))) {
    const source = file.replace(/\.(js(\.map)?|d\.ts)$/, '.ts');
    if (source !== file && !sources.has(source)) fs.rmSync(path.join(dist, file));
  }
}

// ---- generate ----

/** The generator is built separately, because the other sources may not compile before its output exists. */
async function generate() {
  const status = await runSource(path.join('api', 'generate', 'main.ts'), [path.join(root, 'api')]);
  if (status !== 0) return status;
  return (await runSource(path.join('server', 'options', 'pageMain.ts'), [])) || runSource(path.join('server', 'seed', 'main.ts'), []);
}

/** Bundles one program of the sources, and runs it from the root. */
async function runSource(source, args) {
  const { build: bundleOne } = await import('esbuild');
  const outfile = path.join(dist, 'generate.mjs');
  const entry = path.join(root, source);
  await bundleOne({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return child([outfile, ...args]);
}

// ---- run ----

/** A killed npm cannot pass on a signal: this process gets a new parent, and then stops as after SIGTERM. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

/** Arguments of `raftplane up` with a folder in the sources, unless they choose a cluster. */
const upArguments = (args) => [
  'up',
  ...(args.some((word) => /^--(name|data-dir)(=|$)/.test(word)) ? [] : ['--data-dir', '.cluster']),
  ...args,
];

/** Imports the program, so that one process gets the signals. */
async function inThisProcess(program, args) {
  const file = path.join(dist, program);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}

/** Tests tell places of the sources by themselves (`test/sourcePlaces.ts`). */
function child(args, ofNode = ['--enable-source-maps']) {
  if (!fs.existsSync(args[0])) throw new StepFailed(`${path.relative(root, args[0])} does not exist: its source is missing`);
  return run(process.execPath, [...ofNode, ...args]);
}

/** Runs a program until it ends. It receives the terminal's Ctrl-C directly; SIGTERM is forwarded. */
function run(file, args) {
  return new Promise((resolve, reject) => {
    const started = spawn(file, args, { cwd: root, stdio: 'inherit' });
    const forward = (signal) => started.kill(signal);
    const ignore = () => undefined;
    process.on('SIGTERM', forward).on('SIGINT', ignore);
    started.on('error', (error) => reject(new StepFailed(`cannot run ${file}: ${error.message}`)));
    started.on('exit', (code, signal) => {
      process.off('SIGTERM', forward).off('SIGINT', ignore);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
