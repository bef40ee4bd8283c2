/**
 * Builds the self-contained executable: Node with all run-time files of the package embedded (https://nodejs.org/api/single-executable-applications.html).
 * `main.cjs` unpacks them.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** Names under which the executable is called. */
const names = ['apiserver', 'controller-manager'];
/** Marks the place in Node's own executable (see its documentation). */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const ruler = `\n${'-'.repeat(80)}\n\n`;

/** Resolves with the exit status. `args`: see `usage`. */
export async function makeBinary(root, args) {
  const tools = path.join(root, '.ci', 'tools', 'node_modules');
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        node: { type: 'string', default: path.join(tools, 'node24', 'bin', 'node') },
        output: { type: 'string', default: path.join(root, 'dist', 'binary') },
        help: { type: 'boolean', short: 'h' },
      },
    }));
  } catch (error) {
    return say(`error: ${error.message}\n\n${usage}`, 2);
  }
  if (values.help) return say(usage, 0);
  const { node, output } = values;
  if (!fs.existsSync(node)) return say(`error: ${node} does not exist: give --node FILE, a Node 24.8 or newer for this machine`, 1);
  fs.mkdirSync(output, { recursive: true });
  const work = fs.mkdtempSync(path.join(output, 'work-'));
  try {
    const executable = path.join(work, 'raftplane');
    fs.copyFileSync(node, executable);
    fs.chmodSync(executable, 0o755);
    inject(tools, executable, blob(root, node, work));
    install(executable, output);
    fs.writeFileSync(path.join(output, 'LICENSES.txt'), terms(root, node));
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return say(`made ${path.join(output, 'raftplane')}`, 0);
}

const usage = `usage: npm run binary -- [--node FILE] [--output FOLDER]

Makes FOLDER/raftplane (dist/binary), an executable that needs no Node, and links apiserver and controller-manager to it.
FILE: the Node to put the programs into, 24.8 or newer, for this machine; the default is the one of .ci/tools.`;

function say(line, status) {
  console.error(line);
  return status;
}

/** Returns every file that programs need, by its path below the package's root. */
function filesOf(root) {
  const within = (folder, wanted) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && wanted.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  const own = [
    'package.json',
    'LICENSE',
    ...within('api/data', /\.json$/),
    ...within('api/seed', /\.json$/),
    ...within('dist/programs', /(?<!\.map|\.cache|\.node)$/),
    'node_modules/piscina/package.json',
    'node_modules/piscina/LICENSE',
    ...within('node_modules/piscina/dist', /\.m?js$/),
  ];
  return {
    ...Object.fromEntries(own.map((file) => [file, path.join(root, file)])),
    'start.cjs': path.join(root, 'deploy/binary/start.cjs'),
  };
}

/** Returns the file of all embedded contents, made by the Node version that reads it. */
function blob(root, node, work) {
  const files = filesOf(root);
  const hash = createHash('sha256');
  for (const [name, file] of Object.entries(files)) hash.update(`${name}\n`).update(fs.readFileSync(file));
  const fingerprint = path.join(work, 'fingerprint');
  fs.writeFileSync(fingerprint, hash.digest('hex').slice(0, 16));
  const output = path.join(work, 'blob');
  const config = {
    main: path.join(root, 'deploy', 'binary', 'main.cjs'),
    output,
    disableExperimentalSEAWarning: true,
    assets: { fingerprint, ...Object.fromEntries(Object.entries(files).map(([name, file]) => [`files/${name}`, file])) },
  };
  const configFile = path.join(work, 'config.json');
  fs.writeFileSync(configFile, JSON.stringify(config));
  execFileSync(node, ['--experimental-sea-config', configFile], { stdio: ['ignore', 'ignore', 'inherit'] });
  return output;
}

function inject(tools, executable, blobFile) {
  // It warns of unknown sections of Node, which stay as they are.
  execFileSync(
    process.execPath,
    [path.join(tools, 'postject', 'dist', 'cli.js'), executable, 'NODE_SEA_BLOB', blobFile, '--sentinel-fuse', fuse],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
}

/** Replaces an executable instead of overwriting it: it may be running. */
function install(executable, output) {
  fs.renameSync(executable, path.join(output, 'raftplane'));
  for (const name of names) {
    fs.rmSync(path.join(output, name), { force: true });
    fs.symlinkSync('raftplane', path.join(output, name));
  }
}

/** Returns the licences of all contents, which are distributed with the executable. */
function terms(root, node) {
  const texts = [
    path.join(root, 'LICENSE'),
    path.join(root, 'dist/programs/LICENSES.txt'),
    path.join(root, 'node_modules/piscina/LICENSE'),
    path.join(path.dirname(path.dirname(node)), 'LICENSE'),
  ];
  return texts
    .filter((file) => fs.existsSync(file))
    .map((file) => fs.readFileSync(file, 'utf8').trim())
    .join(ruler);
}
