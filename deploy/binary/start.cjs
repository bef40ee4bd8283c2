/**
 * Chooses what the self-contained executable runs, and becomes it. It lies beside the unpacked files, because the main script of an executable cannot import
 * modules.
 */
'use strict';
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');
const { pathToFileURL } = process.getBuiltinModule('node:url');

/** Programs by the name under which the executable is called, or by its first argument, with arguments that come first. */
const programs = {
  raftplane: ['raftplane'],
  apiserver: ['apiserver'],
  'controller-manager': ['controller-manager'],
  // As envtest calls them.
  'kube-apiserver': ['envtestApiserver', '--store=memory', '--'],
  etcd: ['envtestEtcd'],
};

/** Programs start each other as `node [--import FILE]... FILE ARGUMENT...`, with this executable in the place of Node. */
function asNode(args) {
  const preloads = [];
  let at = 0;
  for (; args[at] === '--import'; at += 2) preloads.push(args[at + 1]);
  const file = args[at];
  const isFile = file !== undefined && path.isAbsolute(file) && /\.[cm]?js$/.test(file) && fs.existsSync(file);
  return isFile ? { preloads, file, args: args.slice(at + 1) } : null;
}

/** The name counts first; an executable of any other name takes its first argument, and is `raftplane` where that names no program. */
function byName(called, args) {
  const name = path.basename(called);
  const [first, ...rest] = args;
  const chosen =
    name !== 'raftplane' && Object.hasOwn(programs, name)
      ? [name, args]
      : Object.hasOwn(programs, first ?? '')
        ? [first, rest]
        : ['raftplane', args];
  const [program, ...ahead] = programs[chosen[0]];
  return { preloads: [], file: path.join(__dirname, 'dist', 'programs', `${program}.js`), args: [...ahead, ...chosen[1]] };
}

async function run({ preloads, file, args }) {
  process.argv = [process.execPath, file, ...args];
  for (const preload of preloads) await import(URL.canParse(preload) ? preload : pathToFileURL(preload).href);
  await import(pathToFileURL(file).href);
}

const args = process.argv.slice(2);
run(asNode(args) ?? byName(process.argv[1] ?? '', args));
